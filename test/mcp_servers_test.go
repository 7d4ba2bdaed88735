package test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/mcp"
	"errand/tools/mcp/mcpconfig"
)

// callTool runs a tool past any run.
func callTool(ctx context.Context, s *mcp.Servers, server, tool, arguments string, progress func(string)) (tools.Output, error) {
	if progress == nil {
		progress = func(string) {}
	}
	return s.Execute(ctx, tools.Invocation{
		Server: &tools.ServerDeclaration{Label: server}, Remote: &tools.Remote{Server: server, Tool: tool},
		Arguments: json.RawMessage(arguments), Key: "run/1/0", Effect: tools.EffectOnce, Progress: progress,
	})
}

// everythingCalls are arguments for every tool of server-everything.
var everythingCalls = map[string]string{
	"echo":                           `{"message":"hi"}`,
	"get-annotated-message":          `{"messageType":"success","includeImage":true}`,
	"get-env":                        `{}`,
	"get-resource-links":             `{"count":2}`,
	"get-resource-reference":         `{"resourceType":"Blob","resourceId":2}`,
	"get-structured-content":         `{"location":"Chicago"}`,
	"get-sum":                        `{"a":20,"b":22}`,
	"get-tiny-image":                 `{}`,
	"gzip-file-as-resource":          `{"name":"a.gz","data":"data:text/plain;base64,aGk=","outputType":"resource"}`,
	"toggle-simulated-logging":       `{}`,
	"toggle-subscriber-updates":      `{}`,
	"trigger-long-running-operation": `{"duration":1,"steps":2}`,
	"simulate-research-query":        `{"topic":"x"}`,
}

// says is what the outputs of some of them must hold.
var says = map[string]string{
	"echo": "Echo: hi", "get-sum": "42", "get-tiny-image": "[image image/png:", "get-structured-content": `"humidity":`,
	"get-resource-links": "[resource ", "get-resource-reference": "bytes that are not text",
	"trigger-long-running-operation": "Long running operation completed",
}

func TestEveryToolOfServerEverythingOverEveryTransport(t *testing.T) {
	t.Parallel()
	for name, server := range map[string]func(t *testing.T) mcpconfig.Server{
		"stdio": func(t *testing.T) mcpconfig.Server {
			return marked(t, mcpconfig.Server{Command: "node", Args: []string{reference(t, "everything")}})
		},
		"http": func(t *testing.T) mcpconfig.Server {
			port := freePort(t)
			everything(t, "streamableHttp", port)
			return mcpconfig.Server{URL: "http://127.0.0.1:" + port + "/mcp"}
		},
		"sse": func(t *testing.T) mcpconfig.Server {
			port := freePort(t)
			everything(t, "sse", port)
			return mcpconfig.Server{URL: "http://127.0.0.1:" + port + "/sse", Transport: mcpconfig.TransportSSE}
		},
		"sse found out": func(t *testing.T) mcpconfig.Server {
			port := freePort(t)
			everything(t, "sse", port)
			return mcpconfig.Server{URL: "http://127.0.0.1:" + port + "/sse"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t)
			s.Name = "everything"
			servers := reach(t, s)
			ctx := within(t)
			listing, err := servers.List(ctx, tools.ServerDeclaration{Label: "everything"}, "tools[0]")
			require.NoError(t, err)
			require.Empty(t, listing.Failure)
			require.Empty(t, listing.Warnings)
			require.Equal(t, "2025-11-25", listing.Protocol)
			require.Len(t, listing.Tools, len(everythingCalls))
			for _, one := range listing.Tools {
				tool := one.Descriptor.Remote.Tool
				require.Contains(t, string(one.Descriptor.Parameters), "draft-07", "the schema is the server's own")
				out, err := callTool(ctx, servers, "everything", tool, everythingCalls[tool], nil)
				if tool == "simulate-research-query" { // it insists on running as a task
					require.True(t, err != nil || out.IsError, tool)
					continue
				}
				require.NoError(t, err, tool)
				require.Contains(t, out.Content, says[tool], tool)
				require.False(t, out.IsError && tool != "gzip-file-as-resource", "%s: %v", tool, out.Content)
				require.Empty(t, out.Warnings, tool)
			}
			out, err := callTool(ctx, servers, "everything", "get-sum", `{"a":"x"}`, nil)
			require.NoError(t, err)
			require.True(t, out.IsError, "the server's own complaint is an outcome")
		})
	}
}

func TestSlowToolIsCancelledInTheMiddleAndTheNextCallWorks(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"stdio", "streamableHttp", "sse"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := mcpconfig.Server{Name: "e"}
			if port := freePort(t); kind == "stdio" {
				s.Command, s.Args = "node", []string{reference(t, "everything")}
				s = marked(t, s)
			} else {
				everything(t, kind, port)
				s.URL, s.Transport = "http://127.0.0.1:"+port+"/mcp", mcpconfig.TransportHTTP
				if kind == "sse" {
					s.URL, s.Transport = "http://127.0.0.1:"+port+"/sse", mcpconfig.TransportSSE
				}
			}
			servers := reach(t, s)
			ctx, cancel := context.WithCancel(within(t))
			defer cancel()
			progressed := make(chan string, 100)
			done := make(chan error, 1)
			go func() {
				_, err := callTool(ctx, servers, "e", "trigger-long-running-operation", `{"duration":6,"steps":12}`, func(s string) { progressed <- s })
				done <- err
			}()
			require.Equal(t, "1/12", <-progressed)
			cancel()
			select {
			case err := <-done:
				require.ErrorIs(t, err, context.Canceled)
			case <-time.After(4 * time.Second):
				t.Fatal("the call went on after it was cancelled")
			}
			out, err := callTool(within(t), servers, "e", "echo", `{"message":"still here"}`, nil)
			require.NoError(t, err)
			require.Contains(t, out.Content, "still here")
		})
	}
}

func TestServerIsKilledInTheMiddleOfACallAndComesBack(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	first := everything(t, "streamableHttp", port)
	servers := reach(t, mcpconfig.Server{Name: "e", URL: "http://127.0.0.1:" + port + "/mcp", Transport: mcpconfig.TransportHTTP, PoolSize: 1})
	progressed := make(chan string, 100)
	done := make(chan error, 1)
	go func() {
		_, err := callTool(within(t), servers, "e", "trigger-long-running-operation", `{"duration":20,"steps":40}`, func(s string) { progressed <- s })
		done <- err
	}()
	<-progressed
	first.Kill9()
	var failed *tools.CallError
	require.ErrorAs(t, <-done, &failed)
	require.Equal(t, tools.Unknown, failed.Status, "nobody knows how far the tool came")
	_, err := callTool(within(t), servers, "e", "echo", `{"message":"anybody?"}`, nil)
	require.ErrorAs(t, err, &failed)
	require.Equal(t, tools.Failed, failed.Status, "a server that is down has not run anything: %s", failed.Message)
	everything(t, "streamableHttp", port)
	out, err := callTool(within(t), servers, "e", "echo", `{"message":"back"}`, nil)
	require.NoError(t, err)
	require.Contains(t, out.Content, "back")
}

func TestServerRestartsBetweenCallsAndItsStaleSessionIsNoticed(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	first := everything(t, "streamableHttp", port)
	servers := reach(t, mcpconfig.Server{Name: "e", URL: "http://127.0.0.1:" + port + "/mcp", PoolSize: 1})
	_, err := callTool(within(t), servers, "e", "echo", `{"message":"one"}`, nil)
	require.NoError(t, err)
	first.Kill9()
	everything(t, "streamableHttp", port)
	out, err := callTool(within(t), servers, "e", "echo", `{"message":"two"}`, nil)
	require.NoError(t, err)
	require.Contains(t, out.Content, "two")
}

func TestEveryToolOfServerFilesystem(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "a.txt"), []byte("alpha\nbeta\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, "p.png"), []byte("\x89PNG\r\n\x1a\n"), 0o600))
	servers := reach(t, marked(t, mcpconfig.Server{Name: "files", Command: "node", Args: []string{reference(t, "filesystem"), root}}))
	at := func(name string) string { return `"` + filepath.Join(root, name) + `"` }
	calls := [][2]string{
		{"list_allowed_directories", `{}`},
		{"read_file", `{"path":` + at("a.txt") + `}`},
		{"read_text_file", `{"path":` + at("a.txt") + `,"head":1}`},
		{"read_media_file", `{"path":` + at("p.png") + `}`},
		{"read_multiple_files", `{"paths":[` + at("a.txt") + `]}`},
		{"write_file", `{"path":` + at("b.txt") + `,"content":"x"}`},
		{"edit_file", `{"path":` + at("b.txt") + `,"edits":[{"oldText":"x","newText":"y"}]}`},
		{"create_directory", `{"path":` + at("d") + `}`},
		{"list_directory", `{"path":` + at("") + `}`},
		{"list_directory_with_sizes", `{"path":` + at("") + `}`},
		{"directory_tree", `{"path":` + at("") + `}`},
		{"move_file", `{"source":` + at("b.txt") + `,"destination":` + at("d/b.txt") + `}`},
		{"search_files", `{"path":` + at("") + `,"pattern":"**/*.txt"}`},
		{"get_file_info", `{"path":` + at("a.txt") + `}`},
	}
	listEach(t, servers, "files", calls)
	written, err := os.ReadFile(filepath.Join(root, "d", "b.txt"))
	require.NoError(t, err)
	require.Equal(t, "y", string(written))
	out, err := callTool(within(t), servers, "files", "read_text_file", `{"path":"/etc/passwd"}`, nil)
	require.NoError(t, err)
	require.True(t, out.IsError)
	require.Empty(t, out.Warnings, "the output schema is not for failures")
}

func TestEveryToolOfServerMemory(t *testing.T) {
	t.Parallel()
	servers := reach(t, marked(t, mcpconfig.Server{
		Name: "memory", Command: "node", Args: []string{reference(t, "memory")},
		Env: map[string]tools.Secret{"MEMORY_FILE_PATH": tools.Secret(filepath.Join(t.TempDir(), "m.jsonl"))},
	}))
	listEach(t, servers, "memory", [][2]string{
		{"create_entities", `{"entities":[{"name":"Ada","entityType":"person","observations":["counts"]},{"name":"Eve","entityType":"person","observations":[]}]}`},
		{"create_relations", `{"relations":[{"from":"Ada","to":"Eve","relationType":"knows"}]}`},
		{"add_observations", `{"observations":[{"entityName":"Ada","contents":["writes"]}]}`},
		{"read_graph", `{}`},
		{"search_nodes", `{"query":"writes"}`},
		{"open_nodes", `{"names":["Ada"]}`},
		{"delete_observations", `{"deletions":[{"entityName":"Ada","observations":["writes"]}]}`},
		{"delete_relations", `{"relations":[{"from":"Ada","to":"Eve","relationType":"knows"}]}`},
		{"delete_entities", `{"entityNames":["Ada","Eve"]}`},
	})
}

func TestEveryToolOfServerSequentialThinking(t *testing.T) {
	t.Parallel()
	servers := reach(t, marked(t, mcpconfig.Server{Name: "think", Command: "node", Args: []string{reference(t, "sequential-thinking")}}))
	listEach(t, servers, "think", [][2]string{
		{"sequentialthinking", `{"thought":"one","nextThoughtNeeded":true,"thoughtNumber":1,"totalThoughts":2}`},
	})
}

// listEach calls the tools in order, and checks that they are all there are.
func listEach(t *testing.T, servers *mcp.Servers, server string, calls [][2]string) {
	t.Helper()
	ctx := within(t)
	listing, err := servers.List(ctx, tools.ServerDeclaration{Label: server}, "tools[0]")
	require.NoError(t, err)
	require.Empty(t, listing.Failure)
	require.Empty(t, listing.Warnings)
	want := map[string]bool{}
	for _, c := range calls {
		want[c[0]] = true
	}
	for _, one := range listing.Tools {
		require.True(t, want[one.Descriptor.Remote.Tool], one.Descriptor.Remote.Tool)
	}
	require.Len(t, listing.Tools, len(want))
	for _, c := range calls {
		out, err := callTool(ctx, servers, server, c[0], c[1], nil)
		require.NoError(t, err, c[0])
		require.False(t, out.IsError, "%s: %v", c[0], out.Content)
		require.Empty(t, strings.Join(out.Warnings, "; "), c[0])
		require.NotEmpty(t, out.Content, c[0])
	}
}
