package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryScenarioButThoseOfOAuthIsRunAtEveryVersion(t *testing.T) {
	t.Parallel()
	cases, oauth := parseList("Client scenarios (test against a client):\n  - tools_call [2025-11-25,2026-07-28]\n  - auth/basic [2026-07-28]\n  - skills [extension]\n")
	require.Equal(t, []scenario{{"tools_call", "2025-11-25"}, {"tools_call", "2026-07-28"}, {"skills", extension}}, cases)
	require.Equal(t, 1, oauth)
}

func TestOnlyWhatWasCheckedHasPassedAndSurprisesAreFaults(t *testing.T) {
	t.Parallel()
	known := scenario{scenario: "sep-2322-client-request-state"}
	for _, row := range []struct {
		name  string
		of    scenario
		found verdict
		fault bool
	}{
		{name: "passes", found: verdict{passed: 1, ok: true}},
		{name: "nothing was checked", found: verdict{skipped: 3, ok: true}, fault: true},
		{name: "a check failed", found: verdict{passed: 3, failed: []string{"x"}}, fault: true},
		{name: "the client failed", found: verdict{passed: 3}, fault: true},
		{name: "fails as expected", of: known, found: verdict{failed: []string{"x", "y", "z"}}},
		{name: "more fails than expected", of: known, found: verdict{failed: []string{"w", "x", "y", "z"}}, fault: true},
		{name: "passes, which was not expected", of: known, found: verdict{passed: 1, ok: true}, fault: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, fault := classify(row.of, row.found)
			require.Equal(t, row.fault, fault != nil)
		})
	}
}
