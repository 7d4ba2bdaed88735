package main

import (
	"fmt"
	"strings"

	"go.temporal.io/sdk/client"

	"errand/cmd/errand/devserver"
	"errand/cmd/errand/words"
	"errand/worker"
	"errand/workflows/contract"
)

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
		s.WebUI, _, _ = strings.Cut(webUI(s.Address, s.Namespace, "x"), "/namespaces/")
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
	if s.Address != defaultAddress {
		fmt.Fprintf(&all, " --address %s", words.Quote(s.Address))
	}
	if s.Namespace != client.DefaultNamespace {
		fmt.Fprintf(&all, " --namespace %s", words.Quote(s.Namespace))
	}
	if s.TaskQueue != contract.DefaultTaskQueue {
		fmt.Fprintf(&all, " --task-queue %s", words.Quote(s.TaskQueue))
	}
	return all.String()
}
