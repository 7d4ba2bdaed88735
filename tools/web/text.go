package web

import (
	"bytes"
	"context"
	"io"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"errand/tools"
)

// maxMarkup bounds the markup that becomes one line: no line that is shown is a
// tenth as long.
const maxMarkup = 16 << 10

// plain is the text of a piece of markup on one line.
func plain(markup string) string {
	markup = markup[:min(len(markup), maxMarkup)]
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(markup))
	for {
		switch z.Next() { //nolint:exhaustive // only texts and tags count
		case html.ErrorToken:
			return oneLine(b.String())
		case html.TextToken:
			b.Write(z.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			switch tag := string(name); {
			case slices.Contains(unseen, tag):
				skip(z, tag)
			case !slices.Contains(within, tag):
				b.WriteByte(' ')
			}
		}
	}
}

func oneLine(text string) string {
	return strings.Join(strings.Fields(tools.Clean(text)), " ")
}

var (
	// unseen elements have no text of the page.
	unseen = []string{"script", "style", "noscript", "template", "svg", "iframe", "object", "math"}
	// within a line: these do not end a word.
	within = []string{"b", "i", "em", "strong", "mark", "u", "a", "span", "code", "sub", "sup", "small", "abbr", "q", "cite"}
	// blocks begin a line of their own.
	blocks = []string{
		"p", "div", "br", "section", "article", "header", "footer", "main", "aside", "nav", "ul", "ol", "dl", "dt", "dd",
		"table", "tr", "blockquote", "figure", "figcaption", "form", "hr", "pre", "li", "option",
		"h1", "h2", "h3", "h4", "h5", "h6",
	}
	headings = map[string]string{"h1": "# ", "h2": "## ", "h3": "### ", "h4": "#### ", "h5": "##### ", "h6": "###### ", "li": "- "}
)

// skip reads to the end of an element.
func skip(z *html.Tokenizer, tag string) {
	for depth := 1; depth > 0; {
		kind := z.Next()
		name, _ := z.TagName()
		switch {
		case kind == html.ErrorToken:
			return
		case kind == html.StartTagToken && string(name) == tag:
			depth++
		case kind == html.EndTagToken && string(name) == tag:
			depth--
		}
	}
}

const (
	// maxText bounds the text of a page, in bytes: links make it longer than
	// its markup.
	maxText = 1 << 20
	// maxAddress bounds the address of a page whose links are resolved.
	maxAddress = 8 << 10
	// maxTarget bounds the address that a link leads to, and maxLinks how many
	// links of a page keep theirs. The text of the others stays.
	maxTarget = 2000
	maxLinks  = 2000
	// tokensBetween is how many tokens are read before the context is asked.
	tokensBetween = 256
)

// page is the text of an HTML document. It is built in one pass: every byte of
// the document and of a link's target is copied a fixed number of times.
type page struct {
	title string
	text  strings.Builder
	base  *url.URL
	// self is the address of the page itself.
	self string
	// line is what has been collected of the current line up to the current
	// link, and link the text of that link. href is where it leads, as written.
	line, link strings.Builder
	href       string
	links      int
	// code collects the text of a pre element, line by line as it is.
	code  strings.Builder
	inPre bool
}

// readHTML makes lines of a document: headings, list entries and links as
// Markdown writes them, everything else as plain text, at most maxText bytes.
// cut is true when the document has more. It stops with the context.
func readHTML(ctx context.Context, body []byte, kind, address string) (title, text string, cut bool, err error) {
	reader, err := charset.NewReader(bytes.NewReader(body), kind)
	if err != nil { // an encoding that nobody knows
		reader = bytes.NewReader(body)
	}
	p := &page{}
	if base, err := url.Parse(address); err == nil && len(address) <= maxAddress { // without it links are left out
		p.base, p.self = base, base.String()
	}
	z := html.NewTokenizer(reader)
	for n := 0; !p.full() && p.token(z); n++ {
		if n%tokensBetween == 0 && ctx.Err() != nil {
			return "", "", false, ctx.Err()
		}
	}
	cut = p.full()
	p.endCode()
	p.end("")
	text = p.text.String()
	if len(text) > maxText {
		text, cut = whole(text[:maxText]), true
	}
	return p.title, tools.Clean(strings.TrimSpace(text)), cut, nil
}

// full tells whether what is collected is all that is kept of a page.
func (p *page) full() bool { return p.text.Len() > maxText }

func (p *page) token(z *html.Tokenizer) bool {
	switch kind := z.Next(); kind { //nolint:exhaustive // comments and doctypes say nothing
	case html.ErrorToken:
		return false
	case html.TextToken:
		p.write(z.Text())
	case html.StartTagToken, html.SelfClosingTagToken:
		name, more := z.TagName()
		switch tag := string(name); {
		case tag == "title":
			if z.Next() == html.TextToken && p.title == "" {
				p.title = limited(oneLine(string(z.Text())), maxTitle)
			}
		case slices.Contains(unseen, tag):
			if kind == html.StartTagToken {
				skip(z, tag)
			}
		case tag == "pre" && kind == html.StartTagToken:
			p.end("")
			p.inPre = true
		case p.inPre:
		case tag == "a" && more:
			p.endLink(false)
			p.href = hrefOf(z)
		default:
			p.breakAt(tag, headings[tag])
		}
	case html.EndTagToken:
		name, _ := z.TagName()
		switch tag := string(name); {
		case tag == "pre":
			p.endCode()
		case p.inPre:
		case tag == "a":
			p.endLink(true)
		default:
			p.breakAt(tag, "")
		}
	}
	return true
}

// write takes text of the page to where it belongs.
func (p *page) write(text []byte) {
	switch {
	case p.inPre:
		p.code.Write(text)
	case p.href != "":
		p.link.Write(text)
	default:
		p.line.Write(text)
	}
}

func (p *page) breakAt(tag, mark string) {
	switch {
	case slices.Contains(blocks, tag):
		p.end(mark)
	case tag == "td" || tag == "th":
		p.write([]byte(" "))
	}
}

// end finishes the current line and begins another one with a mark.
func (p *page) end(mark string) {
	p.endLink(false)
	if line := oneLine(p.line.String()); line != "" && strings.Trim(line, "#- ") != "" {
		p.text.WriteString(line)
		p.text.WriteByte('\n')
	}
	p.line.Reset()
	p.line.WriteString(mark)
}

// endCode writes what a pre element holds, as Markdown writes code.
func (p *page) endCode() {
	if text := strings.Trim(p.code.String(), "\r\n"); p.inPre && strings.TrimSpace(text) != "" {
		p.text.WriteString("```\n" + text + "\n```\n")
	}
	p.code.Reset()
	p.inPre = false
}

// hrefOf is where a link leads, as it is written; empty if that is too long.
func hrefOf(z *html.Tokenizer) (href string) {
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		if href == "" && string(key) == "href" && len(value) <= maxTarget {
			href = strings.TrimSpace(string(value))
		}
	}
	return href
}

// endLink writes the text of the current link into its line, with the target
// if the link is closed and leads somewhere.
func (p *page) endLink(closed bool) {
	if p.href == "" {
		return
	}
	text, target := p.link.String(), ""
	if closed {
		if line := oneLine(text); line != "" {
			if target = p.target(p.href); target != "" {
				p.line.WriteString("[" + line + "](" + target + ")")
			}
		}
	}
	if target == "" {
		p.line.WriteString(text)
	}
	p.href = ""
	p.link.Reset()
}

// target is the address that a link leads to; empty for places in the same
// page, for what is no page, and beyond the bounds.
func (p *page) target(href string) string {
	if p.base == nil || p.links == maxLinks || href[0] == '#' {
		return ""
	}
	p.links++
	to, err := p.base.Parse(href)
	if err != nil || (to.Scheme != "http" && to.Scheme != "https") || to.User != nil {
		return ""
	}
	to.Fragment, to.RawFragment = "", ""
	if text := to.String(); text != p.self && len(text) <= maxTarget {
		return text
	}
	return ""
}

// decoded is a text document as UTF-8.
func decoded(body []byte, kind string) string {
	reader, err := charset.NewReader(bytes.NewReader(body), kind)
	if err != nil {
		return tools.Clean(string(body))
	}
	text, err := io.ReadAll(reader)
	if err != nil { // it reads from memory
		return tools.Clean(string(body))
	}
	return tools.Clean(string(text))
}
