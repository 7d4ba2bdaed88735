package mcp

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"errand/tools"
	"errand/tools/mcp/mcpconfig"
	"errand/tools/process"
)

// inherited are the variables of the worker that every server gets. All others
// have to be named: a worker's environment holds credentials.
var inherited = []string{"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "USER", "SHELL", "SYSTEMROOT", "TEMP", "TMP"}

const (
	// closeGrace is how long a server may take to end after its input has, and
	// again after it was asked to.
	closeGrace = 2 * time.Second
	// stderrGrace is how long the last words of a server that has ended are
	// waited for: what it has started may hold its standard error open.
	stderrGrace = 100 * time.Millisecond
	// maxTail bounds what is kept of a server's standard error, in bytes.
	maxTail = 2000
)

// serverProcess is a server that runs as a child of the worker.
type serverProcess struct {
	*process.Child
	stdin  *os.File
	stdout *os.File
	stderr *stderr

	stopOnce sync.Once
}

// spawn starts a server's process. Nothing ends it but stop.
func spawn(s mcpconfig.Server, log Logger) (*serverProcess, error) {
	stdin, toServer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = stdin.Close() }() // the child has its own
	fromServer, stdout, err := os.Pipe()
	if err != nil {
		_ = toServer.Close()
		return nil, err
	}
	defer func() { _ = stdout.Close() }()

	p := &serverProcess{stdin: toServer, stdout: fromServer, stderr: newStderr(s, log)}
	cmd := exec.Command(s.Command, s.Args...) //nolint:gosec,noctx // the command is the operator's own; the pool ends it
	cmd.Dir, cmd.Env = s.Cwd, environmentOf(s)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, p.stderr
	cmd.WaitDelay = stderrGrace
	if p.Child, err = process.Start(cmd); err != nil {
		p.closePipes()
		return nil, &Failure{Kind: Unreachable, Unprocessed: true, Message: fmt.Sprintf("the server's process did not start: %v", err)}
	}
	return p, nil
}

func (p *serverProcess) closePipes() {
	_ = p.stdin.Close()
	_ = p.stdout.Close()
}

func environmentOf(s mcpconfig.Server) []string {
	set := map[string]string{}
	for _, name := range slices.Concat(inherited, s.InheritEnv) {
		if value, ok := os.LookupEnv(name); ok {
			set[name] = value
		}
	}
	for name, value := range s.Env {
		set[name] = string(value)
	}
	all := make([]string, 0, len(set))
	for name, value := range set {
		all = append(all, name+"="+value)
	}
	slices.Sort(all)
	return all
}

// stop ends the process and everything in its group: first its input, then a
// signal, then another that cannot be ignored.
func (p *serverProcess) stop() {
	p.stopOnce.Do(func() {
		_ = p.stdin.Close()
		p.Ended(closeGrace)
		_ = p.Stop(context.Background(), closeGrace) // however it ended, it has
		p.closePipes()
	})
}

// why says how the process ended, with the last it wrote to standard error.
func (p *serverProcess) why() string {
	text := "the server's process has ended"
	if err := p.Err(); err != nil {
		text += " (" + err.Error() + ")"
	}
	if last := p.stderr.text(); last != "" {
		text += "; it wrote: " + last
	}
	return text
}

// maxLogLine is from where on a line is logged in pieces, in bytes.
const maxLogLine = 4 << 10

// stderr takes what a server writes to standard error. Every line goes to the
// log, and the last ones are kept, both without the server's secrets.
type stderr struct {
	name   string
	log    Logger
	hidden *strings.Replacer
	tail   process.Tail

	mu   sync.Mutex
	line []byte // what has come of the next line
}

func newStderr(s mcpconfig.Server, log Logger) *stderr {
	return &stderr{name: s.Name, log: log, hidden: hiding(s), tail: process.Tail{Limit: maxTail}}
}

// hiding replaces the values of a server's secrets by a mark.
func hiding(s mcpconfig.Server) *strings.Replacer {
	var pairs []string
	for _, values := range []map[string]tools.Secret{s.Env, s.Headers} {
		for _, value := range values {
			if len(value) >= 6 { // shorter ones would blot out ordinary words
				pairs = append(pairs, string(value), "[masked]")
			}
		}
	}
	return strings.NewReplacer(pairs...)
}

// Write implements io.Writer; it never fails.
func (s *stderr) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for piece := range bytes.Lines(p) {
		s.line = append(s.line, piece...)
		if bytes.HasSuffix(piece, []byte("\n")) || len(s.line) >= maxLogLine {
			s.flush()
		}
	}
	return len(p), nil
}

// flush passes on the line that has come so far. It is called with mu held.
func (s *stderr) flush() {
	text := strings.TrimSpace(string(s.line))
	s.line = s.line[:0]
	if text == "" {
		return
	}
	text = s.hidden.Replace(text)
	s.log.Debug("mcp server wrote", "server", s.name, "text", text)
	_, _ = s.tail.Write([]byte(text + "\n")) // it never fails
}

// text is the last that the server wrote. It ends a line that was left open.
func (s *stderr) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
	return s.tail.Text()
}
