package workflows

import (
	"encoding/json"
	"fmt"
	"strings"

	"go.temporal.io/sdk/workflow"
)

// maxDetailRows bounds the tables that the Web UI shows.
const maxDetailRows = 20

// showDetails keeps the summary that the Web UI shows of a run: Markdown with
// a command for every open call that answers it.
func (r *run) showDetails(ctx workflow.Context) {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** · round %d · %s\n\n", r.report.status, r.round, r.report.model)
	r.detailActions(&b)
	r.detailApprovals(&b)
	u := r.report.usage
	fmt.Fprintf(&b, "Tokens: %d in, %d out. Items: %d. Calls settled: %d.\n",
		u.InputTokens, u.OutputTokens, len(r.conversation.items), len(r.report.traces))
	if r.report.lastError != "" {
		fmt.Fprintf(&b, "\nLast error: `%s`\n", inline(r.report.lastError, 300))
	}
	workflow.SetCurrentDetails(ctx, b.String())
}

func (r *run) detailActions(b *strings.Builder) {
	rows := 0
	for _, a := range r.ledger.open {
		if rows++; rows == 1 {
			b.WriteString("Waiting for the client:\n\n| tool | arguments | status | answer it with |\n|---|---|---|---|\n")
		}
		if rows > maxDetailRows {
			continue
		}
		answer := fmt.Sprintf(`{"action_id":%s,"output":"…"}`, quote(a.id))
		fmt.Fprintf(b, "| %s | `%s` | %s | `%s` |\n", inline(a.call.Tool, 64), inline(a.call.Arguments, 80), a.status,
			command(r.id, ToolOutput, answer))
	}
	endTable(b, rows)
}

func (r *run) detailApprovals(b *strings.Builder) {
	rows := 0
	for _, p := range r.ledger.asked {
		if rows++; rows == 1 {
			b.WriteString("Waiting for approval:\n\n| tool | arguments | why | approve it with |\n|---|---|---|---|\n")
		}
		if rows > maxDetailRows {
			continue
		}
		answer := fmt.Sprintf(`{"approval_request_id":%s,"approve":true}`, quote(p.id))
		fmt.Fprintf(b, "| %s | `%s` | %s | `%s` |\n", inline(p.call.Tool, 64), inline(p.call.Arguments, 80),
			inline(p.reason, 80), command(r.id, SettleApproval, answer))
	}
	endTable(b, rows)
}

func endTable(b *strings.Builder, rows int) {
	if rows > maxDetailRows {
		fmt.Fprintf(b, "\n… and %d more\n", rows-maxDetailRows)
	}
	if rows > 0 {
		b.WriteString("\n")
	}
}

// command is a temporal command that can be pasted into a shell.
func command(runID, update, input string) string {
	return fmt.Sprintf("temporal workflow update execute --workflow-id %s --name %s --input '%s'",
		shellWord(runID), update, input)
}

func shellWord(s string) string {
	if strings.ContainsAny(s, " \t\n'\"\\$`&|;<>()*?[]{}~#!") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(text)
}

// inline makes text safe for one cell of a Markdown table.
func inline(text string, limit int) string {
	text = strings.NewReplacer("|", "¦", "`", "'", "\n", " ", "\r", " ").Replace(text)
	for i := range text {
		if i > limit {
			return text[:i] + "…"
		}
	}
	return text
}
