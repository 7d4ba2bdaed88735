package openaimodel

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"errand/tools/item"
)

// The lists of parts that items have.
const (
	listContent = "content"
	listSummary = "summary"
)

// partAt is where a part stands in its item.
type partAt struct {
	list  string
	index int
}

// streamedPart is a part that arrives in pieces, or at once as whole.
type streamedPart struct {
	kind  string
	text  joined
	whole json.RawMessage
}

// pieceForm says what the pieces of one kind are for.
type pieceForm struct {
	// item is the type of the items that have such pieces.
	item string
	// list and part are where they go; without a list they are arguments.
	list, part string
	// field holds the whole text in the event that ends the pieces.
	field string
}

// pieceForms are known by the name of their events, without response. before
// and .delta or .done behind it.
var pieceForms = map[string]pieceForm{
	"output_text":             {item.TypeMessage, listContent, "output_text", "text"},
	"refusal":                 {item.TypeMessage, listContent, "refusal", "refusal"},
	"reasoning_text":          {item.TypeReasoning, listContent, "reasoning_text", "text"},
	"reasoning":               {item.TypeReasoning, listContent, "reasoning_text", "text"},
	"reasoning_summary_text":  {item.TypeReasoning, listSummary, "summary_text", "text"},
	"function_call_arguments": {item.TypeFunctionCall, "", "", "arguments"},
}

// piece takes an event with a piece of an item, or with all of them.
func (s *responsesStream) piece(name string, e event) error {
	base, more := strings.CutSuffix(name, ".delta")
	if !more {
		var done bool
		if base, done = strings.CutSuffix(name, ".done"); !done {
			return nil
		}
	}
	form, known := pieceForms[base]
	if !known {
		return nil
	}
	to, err := s.owner(form.item, e)
	if err != nil {
		return err
	}
	into := &to.arguments
	if form.list != "" {
		into = &to.part(form.list, form.part, e).text
	} else {
		to.name = cmp.Or(to.name, scalar(e.fields["name"]))
	}
	switch {
	case !more:
		into.set(e.fields[form.field])
	case form.list == "":
		into.addArguments(e.fields["delta"])
	default:
		into.add(e.fields["delta"])
	}
	return nil
}

// part takes an event with a whole part.
func (s *responsesStream) part(e event, list string) error {
	whole := e.fields["part"]
	if len(readFields(whole)) == 0 {
		return nil
	}
	kind := item.TypeMessage
	if list == listSummary || strings.HasPrefix(scalar(readFields(whole)["type"]), "reasoning") {
		kind = item.TypeReasoning
	}
	to, err := s.owner(kind, e)
	if err == nil {
		to.part(list, "", e).whole = whole
	}
	return err
}

// owner is the item that an event is about. One that was never announced is
// opened by its first piece.
func (s *responsesStream) owner(kind string, e event) (*slot, error) {
	id, place := scalar(e.fields["item_id"]), index(e.fields["output_index"])
	if to := s.slotOf(kind, id, place); to != nil {
		return to, nil
	}
	return s.open(kind, id, place)
}

func (s *slot) part(list, kind string, e event) *streamedPart {
	at := partAt{list, max(0, index(e.fields[list+"_index"]))}
	if s.parts[at] == nil {
		s.parts[at] = &streamedPart{}
	}
	s.parts[at].kind = cmp.Or(s.parts[at].kind, kind)
	return s.parts[at]
}

// withParts gives an item the parts of one list that have come. Both lists
// have to be there, but for the content of a reasoning.
func (s *slot) withParts(all []member, list string) []member {
	var places []partAt
	for at := range s.parts {
		if at.list == list {
			places = append(places, at)
		}
	}
	if len(places) == 0 {
		if list == listSummary || s.kind == item.TypeMessage {
			all = filled(all, list, json.RawMessage("[]"))
		}
		return all
	}
	slices.SortFunc(places, func(a, b partAt) int { return cmp.Compare(a.index, b.index) })
	parts := make([]json.RawMessage, len(places))
	for i, at := range places {
		parts[i] = s.parts[at].raw()
	}
	return replaced(all, list, array(parts))
}

func (p *streamedPart) raw() json.RawMessage {
	switch {
	case p.whole != nil:
		return p.whole
	case p.kind == "output_text":
		return outputText(p.text.text())
	case p.kind == "refusal":
		return refusalPart(p.text.text())
	}
	return encode(reasoningText{p.kind, p.text.text()})
}
