package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// verdict is what the suite found in one scenario.
type verdict struct {
	passed, skipped int
	failed          []string
	// ok is the runner's own word: no check failed, and the client did not.
	ok   bool
	said string
}

// readVerdict reads the checks that the runner left somewhere under dir.
func readVerdict(dir string) (verdict, error) {
	var v verdict
	found, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil || len(found) != 1 {
		return v, fmt.Errorf("the runner left %d results, not one", len(found))
	}
	raw, err := os.ReadFile(found[0])
	if err != nil {
		return v, err
	}
	var checks []struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	}
	if err := json.Unmarshal(raw, &checks); err != nil {
		return v, fmt.Errorf("%s: %w", found[0], err)
	}
	for _, c := range checks {
		switch c.Status {
		case "SUCCESS":
			v.passed++
		case "FAILURE", "WARNING":
			v.failed = append(v.failed, c.ID)
		case "SKIPPED":
			v.skipped++
		}
	}
	slices.Sort(v.failed)
	v.failed = slices.Compact(v.failed)
	return v, nil
}

// classify says what a verdict means. A scenario in which nothing was checked has
// not passed.
func classify(c scenario, v verdict) (said string, fault error) {
	of, known := expected[c.scenario]
	passed := v.ok && len(v.failed) == 0 && v.passed > 0
	switch {
	case passed && known:
		return "FAILED to fail", fmt.Errorf("%s %s passes: take it out of the expected failures", c.scenario, c.version)
	case passed:
		return "passed", nil
	case known && len(v.failed) == of.failed:
		return "expected: " + of.why, nil
	}
	return "FAILED " + strings.Join(v.failed, " "), fmt.Errorf("%s %s failed:\n%s", c.scenario, c.version, v.said)
}
