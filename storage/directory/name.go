package directory

import (
	"fmt"
	"path"
	"strings"

	"go.temporal.io/sdk/converter"
)

const (
	// longName is the longest name that is written out: file systems take 255
	// bytes.
	longName = 150
	// none stands for what has no name. In names that are made of a text two
	// hexadecimal digits follow a percent sign, so none of them is this one.
	none = "%none"
)

// folderOf is where the payloads of a workflow are, whichever execution of it
// wrote them.
func folderOf(target converter.StorageDriverTargetInfo) string {
	switch t := target.(type) {
	case converter.StorageDriverWorkflowInfo:
		return path.Join(nameOf(t.Namespace), nameOf(t.WorkflowID))
	case converter.StorageDriverActivityInfo:
		return path.Join(nameOf(t.Namespace), "%activity-"+nameOf(t.ActivityID))
	}
	return path.Join(none, none)
}

// nameOf is any text as the name of one folder. Two texts may share one only if
// the file system does not tell large letters from small ones, which does no
// harm: files are named by their digest.
func nameOf(text string) string {
	if text == "" {
		return none
	}
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; plain(c) || c == '.' && i > 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if name := b.String(); len(name) <= longName {
		return name
	}
	return b.String()[:longName-33] + "%" + digestOf([]byte(text))[:32]
}

func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}
