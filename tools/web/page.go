package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"errand/tools"
	"errand/tools/hosts"
	"errand/tools/item"
)

// content is the text of a page that was read.
type content struct {
	address, title, text string
	// cut is true when the page was longer than what is read of one.
	cut bool
}

// reader is what the page of a call is read with.
func (s *Source) reader(call tools.Invocation) *hosts.Reader {
	if call.Found && s.found != nil {
		return s.found
	}
	return s.listed
}

// notFound goes with the refusal of a page whose host is not listed.
const notFound = "no search of this run has found this page: search first, and open a result by its very address"

// read gets a page as text.
func (s *Source) read(ctx context.Context, from *hosts.Reader, address string, wanted tools.WebSearch) (content, error) {
	doc, err := from.Read(ctx, address, func(u *url.URL) error { return outside(u, wanted) })
	switch {
	case errors.Is(err, hosts.ErrNotListed) && s.found != nil && from == s.listed:
		return content{}, fmt.Errorf("%w; %s", err, notFound)
	case err != nil:
		return content{}, err
	}
	media, _, err := mime.ParseMediaType(doc.Kind)
	if err != nil {
		media = strings.TrimSpace(strings.ToLower(strings.Split(doc.Kind, ";")[0]))
	}
	c := content{address: doc.URL, cut: doc.Cut}
	switch {
	case media == "text/html" || media == "application/xhtml+xml":
		var long bool
		if c.title, c.text, long, err = readHTML(ctx, doc.Body, doc.Kind, doc.URL); err != nil {
			return content{}, err
		}
		c.cut = c.cut || long
	case strings.HasPrefix(media, "text/"), media == "application/json", media == "application/xml",
		strings.HasSuffix(media, "+json"), strings.HasSuffix(media, "+xml"):
		c.text = decoded(doc.Body, doc.Kind)
	}
	if doc.Code >= http.StatusBadRequest {
		return content{}, fmt.Errorf("url: %s answered %s%s", doc.URL, doc.Status, after(limited(oneLine(c.text), maxDetail)))
	}
	if c.text == "" && c.title == "" {
		short, _ := tools.Cut(doc.Kind, 100)
		return content{}, fmt.Errorf("url: %s has no text that can be read (it is %s)", doc.URL, short)
	}
	return c, nil
}

func after(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

func (s *Source) openPage(ctx context.Context, from *hosts.Reader, address string, wanted tools.WebSearch) (tools.Output, error) {
	c, err := s.read(ctx, from, address, wanted)
	if err != nil {
		return tools.Output{}, err
	}
	text, cut := c.text, c.cut
	if most := amountOf(wanted).page; len(text) > most {
		text, cut = whole(text[:most]), true
	}
	head := c.address + "\n"
	if c.title != "" {
		head = c.title + "\n" + head
	}
	if cut {
		text += "\n[the page goes on: find_in_page looks for a text in all of it]"
	}
	return tools.Output{Content: head + "\n" + text, Public: public(item.OpenPage(strings.TrimSpace(address)))}, nil
}

// whole leaves out a character that is cut at the end.
func whole(text string) string {
	for len(text) > 0 {
		if r, size := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || size > 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return text
}

const (
	maxMatches = 10
	// around is how many characters are shown on each side of a match.
	around = 200
)

func (s *Source) findInPage(ctx context.Context, from *hosts.Reader, a tools.SearchArguments, wanted tools.WebSearch) (tools.Output, error) {
	c, err := s.read(ctx, from, a.URL, wanted)
	if err != nil {
		return tools.Output{}, err
	}
	matches, more := find(oneLine(c.text), oneLine(a.Pattern))
	body := struct {
		URL     string   `json:"url"`
		Title   string   `json:"title,omitempty"`
		Matches []string `json:"matches"`
		Note    string   `json:"note,omitempty"`
	}{c.address, c.title, matches, ""}
	switch {
	case more:
		body.Note = fmt.Sprintf("there are more: only the first %d are shown", maxMatches)
	case len(matches) == 0 && c.cut:
		body.Note = "the text is not in the part of the page that is read"
	case len(matches) == 0:
		body.Note = "the text is not in the page"
	}
	raw, err := json.Marshal(body)
	if err != nil { // texts only
		return tools.Output{}, err
	}
	return tools.Output{Content: json.RawMessage(raw), Public: public(item.FindInPage(strings.TrimSpace(a.URL), a.Pattern))}, nil
}

// find gives the surroundings of each place where a text stands, whatever the
// case of its letters.
func find(text, pattern string) (matches []string, more bool) {
	matches = []string{}
	// Letter by letter in lower case places stay, counted in characters.
	lower, sought := strings.Map(unicode.ToLower, text), strings.Map(unicode.ToLower, pattern)
	length, at := utf8.RuneCountInString(sought), 0
	for sought != "" {
		before := strings.Index(lower, sought)
		if before < 0 {
			return matches, false
		}
		if len(matches) == maxMatches {
			return matches, true
		}
		start := at + ahead(text[at:], utf8.RuneCountInString(lower[:before]))
		from := start - back(text[:start], around)
		at = start + ahead(text[start:], length+around) // what is shown already is not shown again
		lower = lower[before+ahead(lower[before:], length+around):]
		matches = append(matches, ellipsis(from > 0)+text[from:at]+ellipsis(at < len(text)))
	}
	return matches, false
}

// ahead is how many bytes the first n characters of a text take, and back those
// of the last n.
func ahead(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

func back(text string, n int) int {
	end := len(text)
	for ; n > 0 && end > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:end])
		end -= size
	}
	return len(text) - end
}

func ellipsis(is bool) string {
	if is {
		return "…"
	}
	return ""
}
