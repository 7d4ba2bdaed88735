package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
)

func declared(t *testing.T, list string) []tools.Declaration {
	t.Helper()
	var faults tools.Faults
	all := tools.ParseDeclarations(json.RawMessage(list), &faults)
	require.Empty(t, faults, list)
	return all
}

func TestEveryTypeOfDeclarationIsRead(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		`{"type":"function","name":"f"}`:                         "function",
		`{"type":"custom","name":"c"}`:                           "custom",
		`{"type":"platform","name":"p"}`:                         "platform",
		`{"type":"mcp","server_label":"s"}`:                      "mcp",
		`{"type":"web_search"}`:                                  "web_search",
		`{"type":"web_search_2025_08_26"}`:                       "web_search",
		`{"type":"web_search_preview"}`:                          "web_search",
		`{"type":"web_search_preview_2025_03_11"}`:               "web_search",
		`{"type":"file_search","vector_store_ids":["v"]}`:        "file_search",
		`{"type":"code_interpreter","container":{}}`:             "code_interpreter",
		`{"type":"namespace","name":"n","tools":[{"name":"f"}]}`: "function",
		`{"type":"web_search_1999","odd":[1]}`:                   "web_search_1999",
		`{"type":"teleport","name":7}`:                           "teleport",
	} {
		all := declared(t, `[`+written+`]`)
		require.Len(t, all, 1, written)
		require.Equal(t, want, all[0].Type, written)
		require.Equal(t, want != "web_search_1999" && want != "teleport", all[0].Known(), written)
	}
}

func TestClientToolsAreShownAsFunctions(t *testing.T) {
	t.Parallel()
	const parameters = `{"type":"object", "properties":{"a":{"$ref":"#/$defs/a"}},"vendor":1.0}`
	for written, want := range map[string]tools.Descriptor{
		`{"type":"function","name":"f","description":"d","parameters":` + parameters + `}`: {
			ModelName: "f", Description: "d", Parameters: json.RawMessage(parameters),
		},
		`{"type":"custom","name":"c","description":"d","format":{"type":"text"}}`: {
			ModelName: "c", Description: "d",
		},
		`{"type":"custom","name":"g","format":{"type":"grammar","syntax":"regex","definition":"^a$"}}`: {
			ModelName: "g", Description: "The input must follow this regex grammar:\n^a$",
		},
		`{"type":"namespace","name":"crm","description":"Customers.","tools":[{"type":"custom","name":"note","description":"d"}]}`: {
			ModelName: "crm__note", Description: "Customers.\nd",
		},
	} {
		d := tools.ClientDescriptor(declared(t, `[`+written+`]`)[0])
		require.Equal(t, want.ModelName, d.ModelName)
		require.Equal(t, want.Description, d.Description)
		if want.Parameters != nil {
			require.Equal(t, string(want.Parameters), string(d.Parameters), "as written")
			continue
		}
		require.JSONEq(t, `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`, string(d.Parameters))
	}
	for _, written := range []string{`{"type":"file_search","vector_store_ids":["v"]}`, `{"type":"code_interpreter","container":"c"}`, `{"type":"web_search"}`} {
		d := tools.HostedDescriptor(declared(t, `[`+written+`]`)[0])
		require.True(t, d.Hidden, "nobody executes it, so the model is not shown it")
		require.Equal(t, tools.OwnedByGateway, d.Owner)
	}
}

func TestLaterDeclarationStaysOnlyWhenAskedAndOfTheSameTool(t *testing.T) {
	t.Parallel()
	entries := func(list string) (all []tools.Entry) {
		for _, d := range declared(t, list) {
			all = append(all, tools.Entry{Path: d.Path, Descriptor: tools.ClientDescriptor(d)})
		}
		return all
	}
	twice := entries(`[{"type":"function","name":"f","description":"1"},{"type":"function","name":"g"},{"type":"function","name":"f","description":"2"}]`)
	r, warnings, faults := tools.NewRegistry(twice, tools.DuplicatesLast)
	require.Empty(t, faults)
	require.Equal(t, []string{`tools[2]: function "f" replaces the one of tools[0]`}, warnings)
	require.Len(t, r.All(), 2)
	f, _ := r.Find(tools.Identity{Name: "f"})
	require.Equal(t, "2", f.Description)
	_, _, faults = tools.NewRegistry(twice, tools.DuplicatesError)
	require.Len(t, faults, 1)
	require.Equal(t, "tools[2].name", faults[0].Path)

	members := entries(`[{"type":"namespace","name":"n","tools":[{"name":"f"}]},{"type":"namespace","name":"n","tools":[{ "name":"f" },{"name":"f","description":"2"}]}]`)
	require.Len(t, members, 2, "the very same member counts once")
	_, warnings, faults = tools.NewRegistry(members, tools.DuplicatesLast)
	require.Empty(t, faults)
	require.Len(t, warnings, 1)

	_, _, faults = tools.NewRegistry(entries(`[{"type":"namespace","name":"n","tools":[{"name":"f"}]},{"type":"function","name":"n__f"}]`), tools.DuplicatesLast)
	require.Len(t, faults, 1, "two tools that the model could not tell apart are a fault in any case")
}
