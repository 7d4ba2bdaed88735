package responses

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"errand/activities/openaimodel/protocol"
	"errand/activities/openaimodel/rawjson"
	"errand/tools/item"
)

// The lists of parts that items have.
const (
	listContent = "content"
	listSummary = "summary"
)

// partIndex is where a part stands in its item.
type partIndex struct {
	list  string
	index int
}

// streamedPart is a part that arrives in pieces, or at once as whole.
type streamedPart struct {
	kind  string
	text  rawjson.StringBuilder
	whole json.RawMessage
}

// deltaTarget says what the deltas of one kind are pieces of.
type deltaTarget struct {
	// item is the type of the items that have such pieces.
	item string
	// list and part are where they go; without a list they are arguments.
	list, part string
	// field holds the whole text in the event that ends the pieces.
	field string
}

// deltaTargets are known by the name of their events, without response. before
// and .delta or .done behind it.
var deltaTargets = map[string]deltaTarget{
	"output_text":             {item.TypeMessage, listContent, "output_text", "text"},
	"refusal":                 {item.TypeMessage, listContent, "refusal", "refusal"},
	"reasoning_text":          {item.TypeReasoning, listContent, "reasoning_text", "text"},
	"reasoning":               {item.TypeReasoning, listContent, "reasoning_text", "text"},
	"reasoning_summary_text":  {item.TypeReasoning, listSummary, "summary_text", "text"},
	"function_call_arguments": {item.TypeFunctionCall, "", "", "arguments"},
}

// addDelta reads an event with a piece of an item, or with all of them.
func (a *assembler) addDelta(name string, e protocol.Event) error {
	base, isDelta := strings.CutSuffix(name, ".delta")
	if !isDelta {
		var isDone bool
		if base, isDone = strings.CutSuffix(name, ".done"); !isDone {
			return nil
		}
	}
	target, known := deltaTargets[base]
	if !known {
		return nil
	}
	owner, err := a.findOrOpen(target.item, e)
	if err != nil {
		return err
	}
	text := &owner.arguments
	if target.list != "" {
		text = &owner.part(target.list, target.part, e).text
	} else {
		owner.name = cmp.Or(owner.name, rawjson.Text(e.Fields["name"]))
	}
	switch {
	case !isDelta:
		text.Replace(e.Fields[target.field])
	case target.list == "":
		protocol.AddArguments(text, e.Fields["delta"])
	default:
		text.Add(e.Fields["delta"])
	}
	return nil
}

// addPart reads an event with a whole part.
func (a *assembler) addPart(e protocol.Event, list string) error {
	whole := e.Fields["part"]
	fields := rawjson.Fields(whole)
	if len(fields) == 0 {
		return nil
	}
	kind := item.TypeMessage
	if list == listSummary || strings.HasPrefix(rawjson.Text(fields["type"]), "reasoning") {
		kind = item.TypeReasoning
	}
	owner, err := a.findOrOpen(kind, e)
	if err == nil {
		owner.part(list, "", e).whole = whole
	}
	return err
}

// part is the part that an event is about; a new one gets that kind.
func (s *streamedItem) part(list, kind string, e protocol.Event) *streamedPart {
	at := partIndex{list, max(0, readIndex(e.Fields[list+"_index"]))}
	if s.parts[at] == nil {
		s.parts[at] = &streamedPart{}
	}
	s.parts[at].kind = cmp.Or(s.parts[at].kind, kind)
	return s.parts[at]
}

// setParts gives an item the parts of one list that have come. Both lists have
// to be there, but for the content of a reasoning.
func (s *streamedItem) setParts(to *rawjson.Object, list string) {
	var order []partIndex
	for at := range s.parts {
		if at.list == list {
			order = append(order, at)
		}
	}
	if len(order) == 0 {
		if list == listSummary || s.kind == item.TypeMessage {
			to.SetDefault(list, json.RawMessage("[]"))
		}
		return
	}
	slices.SortFunc(order, func(x, y partIndex) int { return cmp.Compare(x.index, y.index) })
	parts := make([]json.RawMessage, len(order))
	for i, at := range order {
		parts[i] = s.parts[at].encode()
	}
	to.Set(list, rawjson.Array(parts))
}

func (p *streamedPart) encode() json.RawMessage {
	switch {
	case p.whole != nil:
		return p.whole
	case p.kind == "output_text":
		return protocol.OutputText(p.text.Text())
	case p.kind == "refusal":
		return protocol.RefusalPart(p.text.Text())
	}
	return rawjson.Encode(protocol.ReasoningText{Type: p.kind, Text: p.text.Text()})
}
