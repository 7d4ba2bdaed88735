package worker

import (
	"context"
	"sync"
)

// State is how a finding turned out.
type State string

// States of findings.
const (
	// StateOK is as it should be.
	StateOK State = "ok"
	// StateOff is not configured, and need not be.
	StateOff State = "off"
	// StateWarning works, and may surprise.
	StateWarning State = "warning"
	// StateFault does not work.
	StateFault State = "fault"
)

// Finding is what a checkup has to say about one thing.
type Finding struct {
	// Check is what was looked at, for example model; Subject which one.
	Check   string `json:"check"`
	Subject string `json:"subject,omitempty"`
	State   State  `json:"state"`
	Message string `json:"message"`
	// Fix is what to do about it.
	Fix string `json:"fix,omitempty"`
}

// Checkup tries everything that the configuration names, but for Temporal:
// model servers, the search provider, folders. It spends no tokens; a search
// provider is asked one query. model is the one that runs will name, if that is
// known.
func Checkup(ctx context.Context, config Config, model string) []Finding {
	config = config.withDefaults()
	var checks []func() []Finding
	for i, e := range config.Models {
		checks = append(checks, func() []Finding { return e.checkup(ctx, config.Models[:i], model) })
	}
	checks = append(checks,
		func() []Finding { return []Finding{config.Search.checkup(ctx)} },
		func() []Finding { return []Finding{config.Files.checkup()} },
		func() []Finding { return []Finding{config.Skills.checkup()} },
		func() []Finding { return []Finding{config.Fetch.checkup()} },
		func() []Finding { return []Finding{storageCheckup(ctx, config.Storage)} },
	)
	for _, server := range config.MCP.Servers {
		checks = append(checks, func() []Finding { return []Finding{config.MCP.checkup(ctx, server.Name)} })
	}
	results := make([][]Finding, len(checks))
	var all sync.WaitGroup
	for i, check := range checks {
		all.Go(func() { results[i] = check() })
	}
	all.Wait()
	var found []Finding
	for _, some := range results {
		found = append(found, some...)
	}
	return found
}
