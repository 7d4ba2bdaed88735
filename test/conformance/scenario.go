package main

import (
	"bufio"
	"strings"
)

// scenario is one of the suite, at one version of the protocol.
type scenario struct {
	scenario, version string
}

// extension stands for a version where a scenario is of none: it is optional.
const extension = "extension"

// parseList reads what the runner lists: "  - name [version,version]". It counts
// the scenarios that need OAuth.
func parseList(list string) (cases []scenario, oauth int) {
	lines := bufio.NewScanner(strings.NewReader(list))
	for lines.Scan() {
		entry, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "- ")
		if !ok {
			continue
		}
		name, versions, _ := strings.Cut(entry, " [")
		if strings.HasPrefix(name, "auth/") {
			oauth++
			continue
		}
		for version := range strings.SplitSeq(strings.TrimSuffix(versions, "]"), ",") {
			cases = append(cases, scenario{name, strings.TrimSpace(version)})
		}
	}
	return cases, oauth
}
