package builtin

import (
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"

	"errand/tools/hosts"
	"errand/tools/platform"
)

// Config says what the tools may touch.
type Config struct {
	// FilesRoot is the directory that the file tools are confined to. It need
	// not exist: the first write makes it. Empty refuses every use of files.
	FilesRoot string
	// FetchHosts are the hosts that fetch_url may read: exact names or
	// addresses, or *.example.com for all subdomains, each with a port if no
	// other port may be used. Empty refuses all.
	FetchHosts []string
	// HTTPClient, if not nil, carries the requests of fetch_url. Its transport
	// then has to keep private addresses out by itself.
	HTTPClient *http.Client
}

// Tools are the built-in tools, ready to be registered.
func Tools(c Config) []platform.Tool {
	files := directory(c.FilesRoot)
	return []platform.Tool{
		nowTool(),
		readFileTool(files),
		listFilesTool(files),
		writeFileTool(files),
		fetchURLTool(hosts.List{Names: c.FetchHosts, Setting: "fetch.hosts (ERRAND_FETCH_HOSTS)"}, c.HTTPClient),
	}
}

var errNoText = errors.New("not text")

// asText returns data as text, or errNoText when it is something else. The
// last character may be cut.
func asText(data []byte, mediaType string) (string, error) {
	text := string(data)
	if strings.ContainsRune(text, 0) {
		return "", errNoText
	}
	if !strings.HasPrefix(mediaType, "text/") && !utf8.ValidString(wholeRunes(text)) {
		return "", errNoText
	}
	return wholeRunes(text), nil
}

// wholeRunes leaves out a character that is cut at the end of text.
func wholeRunes(text string) string {
	for i := 1; i <= min(utf8.UTFMax, len(text)); i++ {
		tail := text[len(text)-i:]
		if utf8.RuneStart(tail[0]) {
			if !utf8.FullRuneInString(tail) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}
