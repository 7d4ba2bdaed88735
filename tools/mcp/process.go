package mcp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"errand/tools"
)

// inherited are the variables of the worker that every server gets. All others
// have to be named: a worker's environment holds credentials.
var inherited = []string{"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "USER", "SHELL", "SYSTEMROOT", "TEMP", "TMP"}

const (
	// closeGrace is how long a server may take to end after its input has, and
	// again after it was asked to.
	closeGrace = 2 * time.Second
	// maxTail bounds what is kept of a server's standard error.
	maxTail = 2000
)

// process is a server that runs as a child of the worker.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	tail   *tail
	done   chan struct{} // closed once the process has ended
	err    error         // how it ended; read after done

	stopOnce sync.Once
	stopped  chan struct{}
}

// spawn starts a server's process. Nothing ends it but stop.
func spawn(s Server, log Logger) (*process, error) {
	cmd := exec.Command(s.Command, s.Args...) //nolint:gosec,noctx // the command is the operator's own; the pool ends it
	cmd.Dir, cmd.Env = s.Cwd, environmentOf(s)
	ownGroup(cmd)
	var files []*os.File
	closeAll := func() {
		for _, f := range files {
			_ = f.Close()
		}
	}
	pipe := func() (r, w *os.File, err error) {
		if r, w, err = os.Pipe(); err == nil {
			files = append(files, r, w)
		}
		return r, w, err
	}
	inR, inW, err := pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := pipe()
	if err != nil {
		closeAll()
		return nil, err
	}
	errR, errW, err := pipe()
	if err != nil {
		closeAll()
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, errW
	p := &process{
		cmd: cmd, stdin: inW, stdout: outR, tail: newTail(s, log), done: make(chan struct{}), stopped: make(chan struct{}),
	}
	if err := p.start(); err != nil {
		closeAll()
		return nil, &Failure{Kind: Unreachable, Untouched: true, Message: fmt.Sprintf("the server's process did not start: %v", err)}
	}
	for _, f := range []*os.File{inR, outW, errW} {
		_ = f.Close() // the child has its own
	}
	go p.tail.follow(errR)
	return p, nil
}

// start starts the process from a thread that lasts as long as it does: the
// kernel takes the end of that thread for the end of the worker.
func (p *process) start() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := p.cmd.Start()
		started <- err
		if err != nil {
			runtime.UnlockOSThread()
			return
		}
		p.err = p.cmd.Wait()
		close(p.done)
		runtime.UnlockOSThread()
	}()
	return <-started
}

func environmentOf(s Server) []string {
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
func (p *process) stop() {
	p.stopOnce.Do(func() {
		defer close(p.stopped)
		_ = p.stdin.Close()
		if !p.ended(closeGrace) {
			terminate(p.cmd)
			if !p.ended(closeGrace) {
				kill(p.cmd)
				<-p.done
			}
		}
		kill(p.cmd) // what it has started and left behind
		_ = p.stdout.Close()
		p.tail.close()
	})
	<-p.stopped
}

func (p *process) ended(within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	}
}

// why says how the process ended, with the last it wrote to standard error.
func (p *process) why() string {
	text := "the server's process has ended"
	if p.err != nil {
		text += " (" + p.err.Error() + ")"
	}
	if last := p.tail.text(); last != "" {
		text += "; it wrote: " + last
	}
	return text
}

// tail is the end of what a server writes to standard error. Every line goes
// to the log.
type tail struct {
	name   string
	log    Logger
	hidden *strings.Replacer
	mu     sync.Mutex
	kept   []byte
	file   io.Closer
	done   chan struct{}
}

func newTail(s Server, log Logger) *tail {
	return &tail{name: s.Name, log: log, hidden: hiding(s), done: make(chan struct{})}
}

// hiding replaces the values of a server's secrets by a mark.
func hiding(s Server) *strings.Replacer {
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

const maxLogLine = 4 << 10

func (t *tail) follow(from *os.File) {
	defer close(t.done)
	t.mu.Lock()
	t.file = from
	t.mu.Unlock()
	lines := bufio.NewReaderSize(from, maxLogLine)
	for {
		line, err := lines.ReadSlice('\n') // a longer line comes in pieces
		if text := strings.TrimSpace(string(line)); text != "" {
			text = t.hidden.Replace(text)
			t.log.Debug("mcp server wrote", "server", t.name, "text", text)
			t.keep(text)
		}
		if err != nil && err != bufio.ErrBufferFull { //nolint:errorlint // it is returned as it is
			_ = from.Close()
			return
		}
	}
}

func (t *tail) keep(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, text+"\n"...)
	if excess := len(t.kept) - maxTail; excess > 0 {
		t.kept = t.kept[excess:]
	}
}

func (t *tail) text() string {
	select {
	case <-t.done:
	case <-time.After(100 * time.Millisecond): // a grandchild may hold it open
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(bytes.TrimSpace(t.kept)), "\uFFFD")
}

func (t *tail) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file != nil {
		_ = t.file.Close()
	}
}
