package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Identity is what the caller knows a tool by: two fields, never one flat
// name. The namespace is empty for most.
type Identity struct {
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String is the identity for people and for maps: namespace.name, or the name.
func (i Identity) String() string {
	if i.Namespace == "" {
		return i.Name
	}
	return i.Namespace + "." + i.Name
}

// MaxName is the longest name, in bytes, that a model may see.
const MaxName = 64

// ValidName tells whether name is one that every model accepts:
// ^[A-Za-z0-9_-]{1,64}$.
func ValidName(name string) bool {
	if name == "" || len(name) > MaxName {
		return false
	}
	for i := range len(name) {
		if !plain(rune(name[i])) {
			return false
		}
	}
	return true
}

// VisibleName is the name under which a model sees a tool. A valid name stays
// as it is; any other is made readable and told apart by a hash of identity,
// the full name of the tool, for example "function:get.flight". The same
// arguments give the same name on every worker and in every replay.
func VisibleName(identity, name string) string {
	if ValidName(name) {
		return name
	}
	sum := sha256.Sum256([]byte(identity))
	suffix := "_" + hex.EncodeToString(sum[:5])
	if name == "" {
		return "tool" + suffix
	}
	var b strings.Builder
	for _, r := range name {
		if b.Len() == MaxName-len(suffix) {
			break
		}
		if plain(r) {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	return b.String() + suffix
}

func plain(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// FlatName is the model-visible name of a client-owned tool. The hash, where one
// is needed, is of the identity, and no flat name is ever taken apart again.
func FlatName(id Identity) string {
	if id.Namespace == "" {
		return VisibleName("client:"+id.Name, id.Name)
	}
	return VisibleName("namespace:"+id.Namespace+"/"+id.Name, id.Namespace+"__"+id.Name)
}

// NameServerTools gives the tools of servers their model-visible names: their
// own where nobody else has it, and label__tool where it clashes. Others keep
// their names.
func NameServerTools(entries []Entry) {
	taken := map[string]int{}
	for _, e := range entries {
		taken[ownVisible(e.Descriptor)]++
	}
	for i, e := range entries {
		if e.Remote == nil {
			continue
		}
		name := ownVisible(e.Descriptor)
		if taken[name] > 1 {
			name = VisibleName(serverIdentity(e.Descriptor), e.Remote.Server+"__"+e.Remote.Tool)
		}
		if taken[name] > 0 && name != ownVisible(e.Descriptor) { // that name is somebody's own
			name = VisibleName(serverIdentity(e.Descriptor), e.Remote.Server+"."+e.Remote.Tool)
		}
		entries[i].ModelName = name
	}
}

func serverIdentity(d Descriptor) string { return "mcp:" + d.Remote.Server + "/" + d.Remote.Tool }

func ownVisible(d Descriptor) string {
	if d.Remote == nil {
		return d.ModelName
	}
	return VisibleName(serverIdentity(d), d.Remote.Tool)
}
