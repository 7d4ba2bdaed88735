// Package checkup tries what the configuration of a worker names, and says of each
// thing how it is and what to do about it.
package checkup

import (
	"context"
	"sync"

	"errand/worker/config"
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

// Run tries everything that the configuration names, but for Temporal:
// model servers, the search provider, folders. It spends no tokens; a search
// provider is asked one query. model is the one that runs will name, if that is
// known.
func Run(ctx context.Context, c config.Config, model string) []Finding {
	c = c.WithDefaults()
	var checks []func() Finding
	for i, e := range c.Models {
		checks = append(checks, func() Finding { return checkEndpoint(ctx, e, c.Models[:i], model) })
	}
	checks = append(checks,
		func() Finding { return checkSearch(ctx, c.Search) },
		func() Finding { return checkFiles(c.Files) },
		func() Finding { return checkSkills(c.Skills) },
		func() Finding { return checkFetch(c.Fetch) },
		func() Finding { return checkStorage(ctx, c.Storage) },
	)
	for _, server := range c.MCP.Servers {
		checks = append(checks, func() Finding { return checkServer(ctx, c.MCP, server.Name) })
	}
	found := make([]Finding, len(checks))
	var all sync.WaitGroup
	for i, check := range checks {
		all.Go(func() { found[i] = check() })
	}
	all.Wait()
	return found
}
