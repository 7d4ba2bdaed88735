package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"errand/tools"
	"errand/tools/hosts"
)

// Source executes web_search. It is safe for concurrent use.
type Source struct {
	provider provider
	// listed reads from the listed hosts, and found from every public one as
	// well; found is nil where pages are not opened for having been found.
	listed, found *hosts.Reader
	// open is true when pages may be opened at all.
	open bool
}

// New makes the source, or says what is wrong with its configuration. It
// connects to nothing.
func New(c Config) (*Source, error) {
	p, err := newProvider(c)
	if err != nil {
		return nil, err
	}
	names := slices.DeleteFunc(slices.Clone(c.Hosts), func(one string) bool { return strings.TrimSpace(one) == Found })
	s := &Source{provider: p, open: len(c.Hosts) > 0}
	s.listed = hosts.NewReader(hosts.List{Names: names, Setting: c.HostsSetting}, nil)
	if len(names) < len(c.Hosts) {
		s.found = hosts.NewReader(hosts.List{Names: append(names, "*"), Setting: c.HostsSetting}, nil)
	}
	return s, nil
}

// Describe returns the descriptor of web_search for a declaration without
// options.
func (s *Source) Describe(name string) (tools.Descriptor, bool) {
	if name != tools.TypeWebSearch {
		return tools.Descriptor{}, false
	}
	return s.Declared(tools.Declaration{}), true
}

// Declared returns the descriptor of web_search for one declaration.
func (s *Source) Declared(d tools.Declaration) tools.Descriptor {
	wanted := options(d.Options)
	open := s.open && !wanted.IndexOnly
	out := tools.Descriptor{
		ModelName: tools.TypeWebSearch, Name: tools.TypeWebSearch, Type: tools.TypeWebSearch,
		Owner:       tools.OwnedByGateway,
		Description: describe(wanted, open), Parameters: searchOnly, ParallelSafe: true,
		GatewayTool: tools.GatewayTool{Source: tools.SourceWebSearch, Effect: tools.EffectRead, Options: d.Options},
	}
	if open {
		out.Parameters = allActions
	}
	return out
}

// Prepare refuses arguments that lack what their action needs.
func (s *Source) Prepare(_ string, arguments []byte) ([]byte, error) {
	a, err := tools.ReadSearchArguments(arguments)
	if err != nil {
		return nil, err
	}
	for _, need := range []struct{ action, member, value string }{
		{tools.ActionSearch, "query", a.Query},
		{tools.ActionOpenPage, "url", a.URL},
		{tools.ActionFindInPage, "url", a.URL},
		{tools.ActionFindInPage, "pattern", a.Pattern},
	} {
		if a.Action == need.action && strings.TrimSpace(need.value) == "" {
			return nil, fmt.Errorf("%s: required for the action %s", need.member, need.action)
		}
	}
	return arguments, nil
}

// Execute does what the arguments ask for. Errors are for the model.
func (s *Source) Execute(ctx context.Context, _ string, call tools.Invocation) (tools.Output, error) {
	a, err := tools.ReadSearchArguments(call.Arguments)
	if err != nil {
		return tools.Output{}, err
	}
	wanted := options(call.Options)
	switch {
	case a.Action == tools.ActionSearch:
		call.Progress("searching")
		return s.search(ctx, a.Query, wanted)
	case !s.open || wanted.IndexOnly:
		return tools.Output{}, errors.New("pages cannot be opened here: only the action search is possible")
	case a.Action == tools.ActionOpenPage:
		call.Progress("reading " + a.URL)
		return s.openPage(ctx, s.reader(call), a.URL, wanted)
	case a.Action == tools.ActionFindInPage:
		call.Progress("reading " + a.URL)
		return s.findInPage(ctx, s.reader(call), a, wanted)
	}
	return tools.Output{}, fmt.Errorf("action: %q is not one of search, open_page and find_in_page", a.Action)
}

// options reads those of a declaration; what cannot be read asks for nothing.
func options(raw json.RawMessage) tools.WebSearch {
	var wanted tools.WebSearch
	if raw != nil && json.Unmarshal(raw, &wanted) != nil {
		return tools.WebSearch{}
	}
	return wanted
}

// public is what a web_search_call item shows beside its status.
func public(action json.RawMessage) json.RawMessage {
	raw, err := json.Marshal(map[string]json.RawMessage{"action": action})
	if err != nil { // it was encoded just now
		return nil
	}
	return raw
}
