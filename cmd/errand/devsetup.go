package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/sdk/client"

	"errand/cmd/errand/connect"
	"errand/cmd/errand/devserver"
	"errand/cmd/errand/shell"
	"errand/worker"
	"errand/workflows/contract"
)

// devServer is the server that dev has started, or nil if one answered at the
// address already. It leaves in options how to reach it.
func (a *app) devServer(ctx context.Context, options *client.Options, f devFlags) (*devserver.Server, error) {
	if devserver.Answering(ctx, options.HostPort) {
		if f.ownServer != "" {
			return nil, fmt.Errorf("a Temporal server answers at %s already, and %s is for one that is started now: "+
				"choose another --port, or leave %s out to use that server", options.HostPort, f.ownServer, f.ownServer)
		}
		a.progress("A Temporal server answers at %s: using it.", options.HostPort)
		return nil, nil
	}
	if !connect.Loopback(options.HostPort) {
		return nil, fmt.Errorf("no Temporal server answers at %s, and a development server can only be started on this machine: "+
			"use --port, or unset TEMPORAL_ADDRESS and TEMPORAL_PROFILE", options.HostPort)
	}
	*options = plainOptions(*options)
	binary, err := devserver.Binary(ctx, a.std.err)
	if err != nil {
		return nil, err
	}
	uiPort, err := uiPort(options.HostPort, f.uiPort)
	if err != nil {
		return nil, err
	}
	settings := devserver.Options{
		Binary: binary, Address: options.HostPort, UIPort: uiPort, Namespace: options.Namespace,
		SearchAttributes: map[string]string{contract.AttributeStatus: "Keyword", contract.AttributePending: "Int"},
	}
	where := "in memory"
	if !f.memory {
		settings.DBFile = f.db
		settings.LogFile = filepath.Join(filepath.Dir(f.db), "temporal.log")
		where = "with data in " + f.db
	}
	a.progress("Starting a Temporal development server at %s, %s.", options.HostPort, where)
	begin := time.Now()
	server, err := devserver.Start(ctx, settings)
	if err != nil {
		// The text alone: what the last look at the server met is no reason to
		// say that one should be started.
		return nil, errors.New(inUse(err, options.HostPort).Error())
	}
	a.progress("It answers after %d ms.", time.Since(begin).Milliseconds())
	return server, nil
}

// progress tells how far the start has come; scripts that read JSON are spared.
func (a *app) progress(format string, args ...any) {
	if !a.json() {
		a.notice(format, args...)
	}
}

// uiPort is the port of the Web UI: as given, or beside the server's.
func uiPort(address string, given int) (int, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return 0, fmt.Errorf("address %q: want host:port: %w", address, err)
	}
	number, err := strconv.Atoi(port)
	switch {
	case given != 0 && given == number:
		return 0, badUsage("--ui-port %d: the server itself listens there: choose another one", given)
	case given != 0:
		return given, nil
	case err != nil || !connect.IsPort(number+connect.UIOffset):
		return 0, fmt.Errorf("no default port for the Web UI beside %s: name one with --ui-port", address)
	}
	return number + connect.UIOffset, nil
}

// inUse says which flag frees a start from a port that is taken.
func inUse(err error, address string) error {
	var taken *devserver.InUseError
	switch {
	case !errors.As(err, &taken):
		return err
	case taken.Address == address:
		return fmt.Errorf("%s is in use by another program that is no Temporal server: stop it, or choose another port with --port", taken.Address)
	}
	return fmt.Errorf("%s, meant for the Web UI, is in use: choose another port with --ui-port", taken.Address)
}

// site is what there is to know of a set-up that dev has started.
type site struct {
	Address   string  `json:"address"`
	Namespace string  `json:"namespace"`
	WebUI     string  `json:"web_ui,omitempty"`
	TaskQueue string  `json:"task_queue"`
	Worker    bool    `json:"worker"`
	Started   bool    `json:"started_server"`
	Models    []model `json:"models"`
}

// model is an endpoint without its secrets.
type model struct {
	Match   string `json:"match"`
	BaseURL string `json:"base_url"`
	API     string `json:"api"`
	// Key is "[set]" or "[not set]".
	Key string `json:"api_key"`
}

func newSite(options client.Options, server *devserver.Server, config worker.Config, working bool) site {
	s := site{
		Address: options.HostPort, Namespace: options.Namespace,
		TaskQueue: config.Temporal.TaskQueue, Worker: working, Started: server != nil, Models: []model{},
	}
	if server != nil {
		s.WebUI = server.UIURL
	} else {
		s.WebUI, _, _ = strings.Cut(connect.WebUI(s.Address, s.Namespace, "x"), "/namespaces/")
	}
	for _, e := range config.Models {
		s.Models = append(s.Models, model{e.Match, e.BaseURL, e.API, e.APIKey.String()})
	}
	return s
}

// showSite prints the set-up and a command to try.
func (a *app) showSite(s site) error {
	if a.json() {
		return a.document(s)
	}
	paint := a.paint(a.std.outTerminal)
	var text strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&text, "  %s %s\n", paint.Dim(fmt.Sprintf("%-11s", name)), value)
		}
	}
	text.WriteString("\n")
	line("Temporal", s.Address+", namespace "+s.Namespace)
	line("Web UI", s.WebUI)
	line("Task queue", s.TaskQueue)
	if s.Worker {
		for _, m := range s.Models {
			line("Models "+m.Match, fmt.Sprintf("%s (%s, key %s)", m.BaseURL, m.API, strings.Trim(m.Key, "[]")))
		}
	} else {
		line("Worker", "none: start one with "+paint.Bold(a.name+" worker"+s.flags()))
	}
	fmt.Fprintf(&text, "\nTry it in another terminal:\n\n  %s\n\nCtrl-C stops everything.\n",
		paint.Bold(a.name+` run "What time is it?" --tool now`+s.flags()))
	return a.print("%s", text.String())
}

// flags are what another command needs to find this set-up.
func (s site) flags() string {
	var all strings.Builder
	if s.Address != connect.DefaultAddress {
		fmt.Fprintf(&all, " --address %s", shell.Quote(s.Address))
	}
	if s.Namespace != client.DefaultNamespace {
		fmt.Fprintf(&all, " --namespace %s", shell.Quote(s.Namespace))
	}
	if s.TaskQueue != contract.DefaultTaskQueue {
		fmt.Fprintf(&all, " --task-queue %s", shell.Quote(s.TaskQueue))
	}
	return all.String()
}
