package workflows_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/activities/model"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// webSource is a source with the tool web_search.
type webSource struct{ source }

func (s webSource) Describe(string) (tools.Descriptor, bool) {
	return s.Declared(tools.Declaration{}), true
}

func (webSource) Declared(d tools.Declaration) tools.Descriptor {
	return tools.Descriptor{
		ModelName: tools.TypeWebSearch, Name: tools.TypeWebSearch, Type: tools.TypeWebSearch, Owner: tools.OwnedByGateway,
		ParallelSafe: true, GatewayTool: tools.GatewayTool{Source: tools.SourceWebSearch, Effect: tools.EffectRead, Options: d.Options},
	}
}

// found is a search with one result, at an address made of the query.
func found(_ context.Context, call tools.Invocation) (tools.Output, error) {
	a, err := tools.ReadSearchArguments(call.Arguments)
	if err != nil {
		return tools.Output{}, err
	}
	if a.Query == "fail" {
		return tools.Output{}, errors.New("no luck")
	}
	action := item.Search(a.Query, []item.Source{{URL: "https://example.com/" + a.Query, Title: "About " + a.Query}})
	public, err := json.Marshal(map[string]json.RawMessage{"action": action})
	return tools.Output{Content: "options " + string(call.Options), Public: public}, err
}

const searching = `{"model":"m","input":"go","tools":[{"type":"web_search_preview","search_context_size":"low","max_uses":2},
	{"type":"function","name":"ask"},{"type":"platform","name":"look"}]}`

func TestASearchIsShownInItsPlaceAndTheRawCallNever(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"web_search": found, "look": answers("seen")}, activities.Hooks{}, callItem(
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"https://example.com/a is not known yet"}]}`,
		`{"type":"function_call","call_id":"1","name":"web_search","arguments":"{\"query\":\"a\"}"}`,
		`{"type":"function_call","call_id":"2","name":"ask","arguments":"{}"}`,
		`{"type":"function_call","call_id":"3","name":"web_search","arguments":"{\"query\":\"fail\"}"}`,
		`{"type":"function_call","call_id":"4","name":"look","arguments":"{}"}`,
		`{"type":"function_call","call_id":"5","name":"web_search","arguments":"{\"query\":\"c\"}"}`,
	), say("See https://example.com/a."))
	b.RegisterDelayedCallback(func() {
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"2","output":"yes"}`))
	}, time.Minute)
	result, err := b.run(searching)
	require.NoError(t, err)
	require.Equal(t, []string{
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"https://example.com/a is not known yet"}]}`,
		`{"type":"web_search_call","id":"ws_1_0","status":"completed","action":{"type":"search","query":"a","queries":["a"],"sources":[{"type":"url","url":"https://example.com/a","title":"About a"}]}}`,
		`{"type":"function_call","call_id":"2","name":"ask","arguments":"{}"}`,
		`{"type":"web_search_call","id":"ws_1_2","status":"failed","action":{"type":"search","query":"fail","queries":["fail"],"sources":[]}}`,
		`{"type":"web_search_call","id":"ws_1_4","status":"failed","action":{"type":"search","query":"c","queries":["c"],"sources":[]}}`,
		`{"type":"function_call_output","call_id":"2","output":"yes"}`,
		`{"content":[{"annotations":[{"type":"url_citation","url":"https://example.com/a","title":"About a","start_index":4,"end_index":25}],"text":"See https://example.com/a.","type":"output_text"}],"role":"assistant","type":"message"}`,
	}, texts(result.Output))
	outputs := b.outputs()
	require.Equal(t, `options {"search_context_size":"low"}`, outputs[0])
	require.Contains(t, outputs[2], "no luck")
	require.Contains(t, outputs[4], "max_uses")
	conversation := b.conversation()
	require.Equal(t, string(item.Message("assistant", "See https://example.com/a.")), string(conversation[len(conversation)-1]),
		"the model's own words stay as they are")
}

func texts(items []json.RawMessage) []string {
	all := make([]string, len(items))
	for i, it := range items {
		all[i] = string(it)
	}
	return all
}

func TestASearchOfACutAnswerIsNotShown(t *testing.T) {
	t.Parallel()
	answer := calls("1", "web_search", `{"query":"a"}`)
	answer.Finish = model.FinishLength
	b := newBench(t, source{"web_search": found, "look": answers("seen")}, activities.Hooks{}, answer, say("done"))
	result, err := b.run(searching)
	require.NoError(t, err)
	require.Equal(t, []string{string(item.Message("assistant", "done"))}, texts(result.Output))
}

func TestASearchThatNeedsApprovalIsShownAfterTheQuestion(t *testing.T) {
	t.Parallel()
	ask := activities.Hooks{Before: []activities.BeforeToolCall{
		func(context.Context, activities.HookCall) (activities.Decision, error) {
			return activities.Ask("sure?"), nil
		},
	}}
	b := newBench(t, source{"web_search": found, "look": answers("seen")}, ask, calls("1", "web_search", `{"query":"a"}`), say("done"))
	b.RegisterDelayedCallback(func() {
		b.SignalWorkflow(contract.SettleApproval, json.RawMessage(`{"approval_request_id":"apr_1_0","approve":true}`))
	}, time.Minute)
	result, err := b.run(searching)
	require.NoError(t, err)
	require.Len(t, result.Output, 3)
	require.Contains(t, string(result.Output[0]), `"mcp_approval_request"`)
	require.Contains(t, string(result.Output[1]), `"completed"`)
}

func TestWithoutAProviderSearchIsNotOffered(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"look": answers("seen")}, activities.Hooks{}, calls("1", "web_search", `{"query":"a"}`), say("done"))
	result, err := b.run(searching)
	require.NoError(t, err)
	require.Len(t, result.Output, 1)
	require.Contains(t, b.outputs()[0], "NoHandler")
	require.Equal(t, []string{
		"tools[0]: web_search is not offered to the model: this worker has no executor for it",
	}, result.Run.Warnings[:1])
}

// A page is found once a search of the same run has named it as a source.
func TestAPageThatASearchHasFoundIsKnownAsFound(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	opened := map[string]bool{}
	search := func(ctx context.Context, call tools.Invocation) (tools.Output, error) {
		a, err := tools.ReadSearchArguments(call.Arguments)
		if err != nil || a.URL == "" {
			return found(ctx, call)
		}
		mu.Lock()
		defer mu.Unlock()
		opened[a.URL] = call.Found
		return tools.Output{Content: "page"}, nil
	}
	b := newBench(t, source{"web_search": search, "look": answers("seen")}, activities.Hooks{},
		calls("1", "web_search", `{"query":"a"}`),
		callItem(
			`{"type":"function_call","call_id":"2","name":"web_search","arguments":"{\"url\":\" https://example.com/a#top\"}"}`,
			`{"type":"function_call","call_id":"3","name":"web_search","arguments":"{\"action\":\"find_in_page\",\"url\":\"https://example.com/b\",\"pattern\":\"x\"}"}`,
		), say("done"))
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"web_search"},{"type":"platform","name":"look"}]}`)
	require.NoError(t, err)
	require.Equal(t, map[string]bool{" https://example.com/a#top": true, "https://example.com/b": false}, opened)
}
