package worker

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"errand/activities/openaimodel"
	"errand/tools"
	"errand/tools/delegate"
)

// check says what is wrong with a value and what to write instead, or "".
type check func(value string) string

func oneOf(allowed ...string) check {
	return func(value string) string {
		if slices.Contains(allowed, value) {
			return ""
		}
		return "must be one of " + strings.Join(allowed, ", ")
	}
}

var (
	checkLevel  = oneOf("debug", "info", "warn", "error")
	checkFormat = oneOf("json", "console")
	checkAPI    = oneOf(openaimodel.Responses, openaimodel.Chat)
)

func checkQueue(value string) string {
	switch {
	case strings.TrimSpace(value) == "":
		return `must not be empty: write for example "errand"`
	case strings.HasPrefix(value, "__temporal_"), strings.HasPrefix(value, "/_sys/"):
		return "starts like Temporal's own task queues: choose another name"
	}
	return ""
}

// anyText is for what is checked together with something else.
func anyText(string) string { return "" }

func checkRoot(value string) string {
	if strings.TrimSpace(value) == "" {
		return "must not be empty: write a directory"
	}
	return ""
}

func checkSkills(value string) string {
	if value == "" {
		return ""
	}
	return checkRoot(value)
}

func checkHost(value string) string {
	if value == "" || strings.ContainsAny(value, "/@?# \t") {
		return `must be a host alone, such as "docs.example.com"`
	}
	return ""
}

func checkMatch(value string) string {
	if value == "" {
		return `must not be empty: write "*" for every model`
	}
	if _, err := path.Match(spanning.Replace(value), ""); err != nil {
		return `is not a pattern: close every "[" and end with no "\"`
	}
	return ""
}

func checkURL(value string) string {
	parsed, err := url.Parse(value)
	switch {
	case err != nil, parsed.Scheme != "http" && parsed.Scheme != "https", parsed.Hostname() == "":
		return "must be a URL such as http://127.0.0.1:8000/v1"
	case parsed.User != nil:
		return "must not hold a user: put credentials into api_key or headers"
	case parsed.RawQuery != "" || parsed.Fragment != "":
		return "must not hold a query or a fragment: remove it"
	}
	return ""
}

// shownURL quotes a base URL for a message. What cannot be an address at all
// may be a key in the wrong place, so it is not shown.
func shownURL(value string) string {
	if shown := withoutCredentials(value); shown != notURL {
		return fmt.Sprintf("%q", shown)
	}
	address := strings.ContainsAny(value, ".:/$") && !strings.Contains(value, "@")
	if !address || strings.HasPrefix(value, "sk-") || strings.HasPrefix(value, "eyJ") {
		return "(not shown)"
	}
	return fmt.Sprintf("%q", value)
}

// faults checks a configuration that a program may have filled in itself.
func (c Config) faults() tools.Faults {
	var all tools.Faults
	reportText(&all, "temporal.task_queue", c.Temporal.TaskQueue, checkQueue)
	for i, e := range c.Models {
		e.faults(fmt.Sprintf("models[%d]", i), &all)
	}
	c.Deployment.faults(&all)
	for i, p := range c.Prices {
		p.faults(fmt.Sprintf("prices[%d]", i), &all)
	}
	reportText(&all, "files.root", c.Files.Root, checkRoot)
	reportText(&all, "skills.root", c.Skills.Root, checkSkills)
	if d := c.Delegate.MaxDepth; d < 0 || d > delegate.MaxDepth {
		all.Add("delegate.max_depth", fmt.Sprintf("%d: must be from 1 to %d, or 0 for no such tool", d, delegate.MaxDepth))
	}
	for i, host := range c.Fetch.Hosts {
		reportText(&all, fmt.Sprintf("fetch.hosts[%d]", i), host, checkHost)
	}
	for i, host := range c.MCP.Hosts {
		reportText(&all, fmt.Sprintf("mcp.hosts[%d]", i), host, checkHost)
	}
	c.Search.faults(&all)
	c.Storage.Faults(&all)
	reportText(&all, "log.level", c.Log.Level, checkLevel)
	reportText(&all, "log.format", c.Log.Format, checkFormat)
	for _, limit := range []struct {
		key   string
		value int
	}{{"limits.memory_bytes", c.Limits.MemoryBytes}, {"limits.activities", c.Limits.Activities}} {
		if limit.value < 1 {
			all.Add(limit.key, fmt.Sprintf("%d: must be at least 1", limit.value))
		}
	}
	return all
}

func reportText(all *tools.Faults, key, value string, check check) {
	if complaint := check(value); complaint != "" {
		all.Add(key, fmt.Sprintf("%q: %s", value, complaint))
	}
}

// amountWanted is the fix for a price that is none.
const amountWanted = "must be an amount of money per million tokens, such as 1.25"

// maxAmount is well above every price there is, and keeps sums of costs in
// bounds.
const maxAmount = 1e6

func checkAmount(amount float64) string {
	if amount >= 0 && amount <= maxAmount {
		return ""
	}
	return amountWanted
}

func (p Price) faults(at string, all *tools.Faults) {
	reportText(all, at+".match", p.Match, checkMatch)
	for _, one := range []struct {
		key    string
		amount float64
	}{{"input", p.Input}, {"cached_input", p.CachedInput}, {"output", p.Output}} {
		if complaint := checkAmount(one.amount); complaint != "" {
			all.Add(at+"."+one.key, fmt.Sprintf("%v: %s", one.amount, complaint))
		}
	}
}

func (e Endpoint) faults(at string, all *tools.Faults) {
	before := len(*all)
	reportText(all, at+".match", e.Match, checkMatch)
	if complaint := checkURL(e.BaseURL); complaint != "" {
		all.Add(at+".base_url", shownURL(e.BaseURL)+": "+complaint)
	}
	reportText(all, at+".api", e.API, checkAPI)
	if complaint := tools.DurationFault(e.Timeout); complaint != "" {
		all.Add(at+".timeout", complaint)
	}
	idle := tools.DurationFault(e.IdleTimeout)
	switch {
	case idle != "":
		all.Add(at+".idle_timeout", idle)
	case e.IdleTimeout > 0 && !e.Stream:
		all.Add(at+".idle_timeout", fmt.Sprintf("%s: has no effect without stream: true: write that, or remove this", e.IdleTimeout))
	}
	if len(*all) > before {
		return
	}
	// The adapter knows the rest: header names, characters of a key. It names
	// its own fields, not which endpoint they are of.
	_, err := e.client()
	var list tools.Faults
	if !errors.As(err, &list) && err != nil {
		all.Add(at, err.Error())
	}
	for _, fault := range list {
		all.Add(at, fault.String())
	}
}
