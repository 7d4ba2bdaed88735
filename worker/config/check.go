package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"errand/activities/openaimodel"
	"errand/tools"
	"errand/tools/delegate"
)

// Faults is everything wrong with a configuration.
func (c Config) Faults() tools.Faults {
	var all tools.Faults
	c.check(&all)
	c.checkTogether(&all)
	return all
}

// check looks at every setting by itself. Settings that have a fault in all
// already are left alone.
func (c Config) check(all *tools.Faults) {
	checkText(all, "temporal.task_queue", c.Temporal.TaskQueue, checkQueue)
	for i, e := range c.Models {
		e.check(fmt.Sprintf("models[%d]", i), all)
	}
	if c.Deployment.Behavior != "" {
		checkText(all, "deployment.behavior", c.Deployment.Behavior, oneOf(AutoUpgrade, Pinned))
	}
	for i, p := range c.Prices {
		p.check(fmt.Sprintf("prices[%d]", i), all)
	}
	checkText(all, "files.root", c.Files.Root, checkRoot)
	if c.Skills.Root != "" {
		checkText(all, "skills.root", c.Skills.Root, checkRoot)
	}
	if d := c.Delegate.MaxDepth; d < 0 || d > delegate.MaxDepth {
		all.Add("delegate.max_depth", fmt.Sprintf("%d: must be from 1 to %d, or 0 for no such tool", d, delegate.MaxDepth))
	}
	checkHosts(all, "fetch.hosts", c.Fetch.Hosts)
	checkHosts(all, "mcp.hosts", c.MCP.Hosts)
	c.Search.check(all)
	c.Log.check(all)
	checkCount(all, "limits.memory_bytes", c.Limits.MemoryBytes)
	checkCount(all, "limits.activities", c.Limits.Activities)
}

// checkTogether looks at what single settings cannot tell. Sections that have a
// fault in all already are left alone.
func (c Config) checkTogether(all *tools.Faults) {
	c.Deployment.checkTogether(all)
	if !within(*all, "search") {
		c.Search.checkTogether(all)
	}
	if !within(*all, "storage") {
		c.Storage.Faults(all)
	}
}

func (d Deployment) checkTogether(all *tools.Faults) {
	switch {
	case d.Name == "" && (d.BuildID != "" || d.Behavior != ""):
		all.Add("deployment.name", "required beside build_id and behavior: the name of the deployment")
	case d.Name != "" && d.BuildID == "":
		all.Add("deployment.build_id", "required: which build this is, such as a commit")
	case strings.ContainsAny(d.Name, ". \t"):
		all.Add("deployment.name", "must hold no dots and blanks")
	}
}

// Faults is everything wrong with a log.
func (l Log) Faults() tools.Faults {
	var all tools.Faults
	l.check(&all)
	return all
}

func (l Log) check(all *tools.Faults) {
	checkText(all, "log.level", l.Level, oneOf("debug", "info", "warn", "error"))
	checkText(all, "log.format", l.Format, oneOf("json", "console"))
}

// within tells whether there is a fault at a path, inside it, or in what the path
// is an element of.
func within(all tools.Faults, path string) bool {
	return slices.ContainsFunc(all, func(f tools.Fault) bool { return inside(f.Path, path) || inside(path, f.Path) })
}

// inside tells whether a path is another one, or leads to a part of it.
func inside(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// rule says what is wrong with a text and what to write instead, or "".
type rule func(value string) string

func checkText(all *tools.Faults, path, value string, holds rule) {
	if fix := holds(value); fix != "" && !within(*all, path) {
		all.Add(path, fmt.Sprintf("%q: %s", value, fix))
	}
}

func checkHosts(all *tools.Faults, path string, hosts []string) {
	for i, host := range hosts {
		checkText(all, fmt.Sprintf("%s[%d]", path, i), host, checkHost)
	}
}

func checkDuration(all *tools.Faults, path string, d time.Duration) {
	if fault := tools.DurationFault(d); fault != "" && !within(*all, path) {
		all.Add(path, fault)
	}
}

func checkCount(all *tools.Faults, path string, n int) {
	if n < 1 {
		all.Add(path, fmt.Sprintf("%d: must be at least 1", n))
	}
}

func oneOf(allowed ...string) rule {
	return func(value string) string {
		if slices.Contains(allowed, value) {
			return ""
		}
		return "must be one of " + strings.Join(allowed, ", ")
	}
}

var checkAPI = oneOf(openaimodel.Responses, openaimodel.Chat)

func checkQueue(value string) string {
	switch {
	case strings.TrimSpace(value) == "":
		return `must not be empty: write for example "errand"`
	case strings.HasPrefix(value, "__temporal_"), strings.HasPrefix(value, "/_sys/"):
		return "starts like Temporal's own task queues: choose another name"
	}
	return ""
}

func checkRoot(value string) string {
	if strings.TrimSpace(value) == "" {
		return "must not be empty: write a directory"
	}
	return ""
}

func checkHost(value string) string {
	if value == "" || strings.ContainsAny(value, "/@?# \t") {
		return `must be a host alone, such as "docs.example.com"`
	}
	return ""
}
