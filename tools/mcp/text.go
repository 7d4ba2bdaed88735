package mcp

import (
	"errors"
	"net/url"
	"strings"

	"errand/tools"
)

// maxText bounds what failures and warnings quote of a server.
const maxText = 1000

func short(text string) string {
	cut, _ := tools.Cut(strings.TrimSpace(text), maxText)
	return cut
}

// plainError is an error's text without the library's own wrapping.
func plainError(err error) string {
	var at *url.Error // it quotes the address, which may hold a key
	if errors.As(err, &at) {
		err = at.Err
	}
	text := err.Error()
	for _, prefix := range []string{"transport error: ", "failed to send request: "} {
		for strings.HasPrefix(text, prefix) {
			text = strings.TrimPrefix(text, prefix)
		}
	}
	return text
}

func cutAfter(text, mark string) (before, after string, found bool) {
	before, after, found = strings.Cut(text, mark)
	return before, strings.TrimSpace(after), found
}
