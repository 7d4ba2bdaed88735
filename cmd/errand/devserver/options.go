package devserver

import (
	"maps"
	"slices"
	"strconv"
)

// Options say how a server is started. The zero value is a server in memory on
// free ports of 127.0.0.1.
type Options struct {
	// Binary is the temporal binary; empty: what Binary finds.
	Binary string
	// Address is the host:port to listen on. Empty: 127.0.0.1 and a free port.
	// An empty host is 127.0.0.1 as well: a dev server checks nobody's rights.
	Address string
	// UIPort is where the Web UI listens; 0: a free port, NoUI: nowhere.
	UIPort int
	// DBFile keeps the data over restarts; it and the directories above it are
	// made. Empty: in memory.
	DBFile string
	// Namespace is made beside "default", which is always there.
	Namespace string
	// LogFile gets what the server writes, appended. Empty: nowhere.
	LogFile string
	// SearchAttributes to register: name to type, such as Keyword.
	SearchAttributes map[string]string
	// ExtraDynamicConfig are server settings, added to the tuned ones or put in
	// their place: key to JSON text.
	ExtraDynamicConfig map[string]string
}

// NoUI as UIPort starts no Web UI.
const NoUI = -1

const defaultNamespace = "default"

// tuned are the settings that take a one-activity run from 150 ms to 30 ms.
// The queues of a dev server with one shard are polled 20 times a second by
// default; four partitions of a task queue make small fan-outs stall; timers
// and retries are held back for up to a second.
var tuned = map[string]string{
	"history.transferProcessorMaxPollRPS":   "10000",
	"history.timerProcessorMaxPollRPS":      "10000",
	"history.visibilityProcessorMaxPollRPS": "10000",
	"history.timerProcessorMaxTimeShift":    `"20ms"`,
	// A worker gets the calls that its own workflow task asks for in the answer
	// to that task: no queue, no poll.
	"system.enableActivityEagerExecution": "true",
	// Status and events are asked for at the same time; with one place, the
	// second query waits for the client's retry.
	"history.MaxBufferedQueryCount":        "100",
	"matching.numTaskqueueReadPartitions":  "1",
	"matching.numTaskqueueWritePartitions": "1",
}

// arguments are those of the temporal binary.
func (o Options) arguments(p place) []string {
	args := []string{
		"server", "start-dev", "--log-level", "error", "--color", "never",
		"--ip", p.host, "--port", strconv.Itoa(p.port),
	}
	if p.uiPort == NoUI {
		args = append(args, "--headless")
	} else {
		args = append(args, "--ui-port", strconv.Itoa(p.uiPort))
	}
	if o.DBFile != "" {
		args = append(args, "--db-filename", o.DBFile,
			"--sqlite-pragma", "journal_mode=WAL", "--sqlite-pragma", "synchronous=NORMAL")
	}
	if namespace := o.namespace(); namespace != defaultNamespace {
		args = append(args, "--namespace", namespace)
	}
	for _, name := range slices.Sorted(maps.Keys(o.SearchAttributes)) {
		args = append(args, "--search-attribute", name+"="+o.SearchAttributes[name])
	}
	settings := maps.Clone(tuned)
	maps.Copy(settings, o.ExtraDynamicConfig)
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "--dynamic-config-value", key+"="+settings[key])
	}
	return args
}

func (o Options) namespace() string {
	if o.Namespace == "" {
		return defaultNamespace
	}
	return o.Namespace
}
