package mcp_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// badMode has the test's own program act as a server that misbehaves.
const badMode = "ERRAND_TEST_BAD_SERVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(badMode); mode != "" {
		misbehave(mode, os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}

// message is a JSON-RPC request as a bad server reads it.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
		Meta struct {
			Token string `json:"progressToken"`
			Key   string `json:"errand/call-key"`
		} `json:"_meta"`
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

const badTools = `{"tools":[{"name":"do","inputSchema":{"type":"object"}}]}`

const badInit = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bad","version":"0"}}`

func reply(w io.Writer, id json.RawMessage, result string) {
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
}

func text(s string) string {
	raw, _ := json.Marshal(s)
	return `{"content":[{"type":"text","text":` + string(raw) + `}]}`
}

// flood writes n bytes without holding them.
func flood(w io.Writer, n int) {
	block := bytes.Repeat([]byte("x"), 64<<10)
	for ; n > 0; n -= len(block) {
		if _, err := w.Write(block[:min(n, len(block))]); err != nil {
			return
		}
	}
}

// misbehave serves until its input ends, as well as the mode allows.
func misbehave(mode string, in io.Reader, out io.Writer) {
	if mode == "slow start" {
		<-time.After(1500 * time.Millisecond)
	}
	if mode == "garbage" {
		_, _ = io.WriteString(out, "Starting…\n\x1b[1mhello\x1b[0m\nnull\n[]\n{\"level\":\"info\"}\n17\n{{{\n")
	}
	if mode == "grandchild" {
		_ = exec.Command("sleep", "300").Start()
	}
	changed := false
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		switch m.Method {
		case "initialize":
			reply(out, m.ID, badInit)
		case "server/discover":
			_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", m.ID)
		case "tools/list":
			if mode == "dies on list" {
				fmt.Fprintln(os.Stderr, "cannot list: MISSING_KEY")
				os.Exit(7)
			}
			if changed {
				reply(out, m.ID, `{"tools":[{"name":"another","inputSchema":{"type":"object"}}]}`)
				continue
			}
			reply(out, m.ID, badTools)
		case "tools/call":
			if changed = mode == "changes"; changed {
				_, _ = io.WriteString(out, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n")
			}
			badCall(mode, m, out)
		}
		if mode == "stops reading" && m.Method == "tools/list" {
			<-time.After(time.Hour)
		}
	}
}

func badCall(mode string, m message, out io.Writer) {
	switch mode {
	case "wrong id":
		reply(out, json.RawMessage(`"somebody-elses"`), text("not yours"))
	case "no answer", "grandchild":
	case "256 MiB":
		_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, m.ID)
		flood(out, 256<<20)
		_, _ = io.WriteString(out, "\"}]}}\n")
	case "endless line":
		flood(out, 1<<40)
	case "slow answer":
		<-time.After(11 * time.Second)
		reply(out, m.ID, text("at last"))
	case "dies":
		os.Exit(3)
	case "garbage":
		_, _ = io.WriteString(out, "calling…\n")
		_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%q,"progress":1,"total":2,"message":"half"}}`+"\n", m.Params.Meta.Token)
		reply(out, m.ID, text("done "+m.Params.Meta.Key))
	case "asks":
		_, _ = io.WriteString(out, `{"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"who?","requestedSchema":{}}}`+"\n")
		_, _ = io.WriteString(out, `{"jsonrpc":"2.0","id":"q2","method":"sampling/createMessage","params":{}}`+"\n")
		reply(out, m.ID, text("went on"))
	case "odd result":
		reply(out, m.ID, `{"content":[{"type":"text","text":"kept"},{"type":"hologram","x":1},"plain"],"structuredContent":{"b":1,"a":9007199254740993},"isError":false,"_meta":[]}`)
	default:
		reply(out, m.ID, text("fine "+strconv.Itoa(os.Getpid())))
	}
}

// marked lists the processes that have a variable of that value, whoever
// started them.
func marked(t *testing.T, mark string) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		environ, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err == nil && strings.Contains(string(environ), mark) {
			command, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
			all = append(all, e.Name()+" "+string(command))
		}
	}
	return all
}
