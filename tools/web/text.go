package web

import (
	"bytes"
	"io"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"errand/tools"
)

// plain is the text of a piece of markup on one line.
func plain(markup string) string {
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

// page is the text of an HTML document.
type page struct {
	title string
	text  strings.Builder
	base  *url.URL
	// line is what has been collected of the current line, and link where the
	// text of the current link begins in it.
	line strings.Builder
	href string
	link int
	// code collects the text of a pre element, line by line as it is.
	code  strings.Builder
	inPre bool
}

// readHTML makes lines of a document: headings, list entries and links as
// Markdown writes them, everything else as plain text.
func readHTML(body []byte, kind, address string) (title, text string) {
	reader, err := charset.NewReader(bytes.NewReader(body), kind)
	if err != nil { // an encoding that nobody knows
		reader = bytes.NewReader(body)
	}
	p := &page{}
	p.base, _ = url.Parse(address) // without it links are left out
	z := html.NewTokenizer(reader)
	for p.token(z) {
	}
	p.endCode()
	p.end("")
	return p.title, tools.Clean(strings.TrimSpace(p.text.String()))
}

func (p *page) token(z *html.Tokenizer) bool {
	switch kind := z.Next(); kind { //nolint:exhaustive // comments and doctypes say nothing
	case html.ErrorToken:
		return false
	case html.TextToken:
		if p.inPre {
			p.code.Write(z.Text())
			return true
		}
		p.line.Write(z.Text())
	case html.StartTagToken, html.SelfClosingTagToken:
		name, more := z.TagName()
		tag := string(name)
		switch {
		case tag == "title":
			if z.Next() == html.TextToken && p.title == "" {
				p.title = oneLine(string(z.Text()))
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
			p.href, p.link = p.target(z), p.line.Len()
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
			p.endLink()
		default:
			p.breakAt(tag, "")
		}
	}
	return true
}

func (p *page) breakAt(tag, mark string) {
	switch {
	case slices.Contains(blocks, tag):
		p.end(mark)
	case tag == "td" || tag == "th":
		p.line.WriteString(" ")
	}
}

// end finishes the current line and begins another one with a mark.
func (p *page) end(mark string) {
	if line := oneLine(p.line.String()); line != "" && strings.Trim(line, "#- ") != "" {
		p.text.WriteString(line)
		p.text.WriteByte('\n')
	}
	p.href = ""
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

// target is the address that a link leads to; empty for places in the same
// page and for what is no page.
func (p *page) target(z *html.Tokenizer) string {
	for {
		key, value, more := z.TagAttr()
		if string(key) == "href" && p.base != nil {
			to, err := p.base.Parse(strings.TrimSpace(string(value)))
			if err != nil || (to.Scheme != "http" && to.Scheme != "https") || to.User != nil {
				return ""
			}
			to.Fragment = ""
			if to.String() == p.base.String() {
				return ""
			}
			return to.String()
		}
		if !more {
			return ""
		}
	}
}

func (p *page) endLink() {
	if p.href == "" {
		return
	}
	line := p.line.String()
	before, text := line[:p.link], oneLine(line[p.link:])
	if text != "" {
		p.line.Reset()
		p.line.WriteString(before + "[" + text + "](" + p.href + ")")
	}
	p.href = ""
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
