package workflows

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"errand/workflows/actions"
	"errand/workflows/contract"
	"errand/workflows/report"
)

// maxDetailRows bounds the tables that the Web UI shows.
const maxDetailRows = 20

// showDetails keeps the summary that the Web UI shows of a run: Markdown with
// a command for every open call that answers it.
func (r *run) showDetails(ctx workflow.Context) {
	var b strings.Builder
	u := r.Budget.Usage
	fmt.Fprintf(&b, "**%s** · round %d · %s · %d tokens in, %d out · %s in the conversation\n\n",
		r.Report.Status, r.Round, r.Report.Model, u.InputTokens, u.OutputTokens, count(len(r.Conversation.Items), "item"))
	if r.execution.about != "" {
		fmt.Fprintf(&b, "Goes on with: `%s`\n\n", r.execution.about)
	}
	if r.Budget.Cost != nil {
		fmt.Fprintf(&b, "Cost so far: %s\n\n", r.Budget.Cost)
	}
	if r.Report.LastError != "" {
		fmt.Fprintf(&b, "Last error: `%s`\n\n", inline(r.Report.LastError, 300))
	}
	if r.Budget.Asking != nil {
		fmt.Fprintf(&b, "The budget is used up (%s). Give a larger one with:\n\n`%s`\n\n%s", r.Budget.Asking.Reason,
			r.command(contract.ExtendBudget, fmt.Sprintf(`{%s:…}`, quote(r.Budget.Asking.Reason))), padding)
	}
	if o := r.Stopped; o != nil {
		fmt.Fprintf(&b, "%s\n\n", stopDetail(o))
	}
	r.detailActions(&b, workflow.Now(ctx))
	r.detailApprovals(&b)
	r.detailSessions(&b)
	workflow.SetCurrentDetails(ctx, b.String())
}

func (r *run) detailActions(b *strings.Builder, now time.Time) {
	t := table{title: "Waiting for the client", columns: "| tool | arguments | action | status |\n|---|---|---|---|\n"}
	for _, a := range r.Ledger.OpenActions() {
		t.add(fmt.Sprintf("| %s | `%s` | `%s` | %s |\n", inline(a.Call().Identity().String(), 64), inline(a.Call().Arguments, 80), a.ID, standing(a, now)),
			r.command(contract.ToolOutput, fmt.Sprintf(`{"action_id":%s,"output":"…"}`, quote(a.ID))))
	}
	t.write(b, "Answer")
}

// standing is the status of an action, who has claimed it, and until when it may
// be answered.
func standing(a *actions.Action, now time.Time) string {
	status, owner := a.Current(now)
	text := string(status)
	if owner != "" {
		text += " by " + inline(owner, 40)
	}
	if a.Call().Expiry.IsZero() {
		return text
	}
	return text + ", until " + a.Call().Expiry.Format("2006-01-02 15:04 MST")
}

func (r *run) detailApprovals(b *strings.Builder) {
	t := table{title: "Waiting for approval", columns: "| tool | arguments | why | approval |\n|---|---|---|---|\n"}
	for _, p := range r.Ledger.OpenApprovals() {
		t.add(fmt.Sprintf("| %s | `%s` | %s | `%s` |\n", inline(p.Call().Identity().String(), 64), inline(p.Call().Arguments, 80), inline(p.Reason, 80), p.ID),
			r.command(contract.SettleApproval, fmt.Sprintf(`{"approval_request_id":%s,"approve":true}`, quote(p.ID))))
	}
	t.write(b, "Approve")
}

// stopDetail says how, by whom and why a run is stopped.
func stopDetail(o *contract.StopReport) string {
	text := "Stop accepted: `" + string(o.Mode) + "`"
	if o.Actor != "" {
		text += ", by " + inline(o.Actor, 80)
	}
	if o.Reason != "" {
		text += ": " + inline(o.Reason, 200)
	}
	return text
}

// detailSessions shows what is open for the run, and where.
func (r *run) detailSessions(b *strings.Builder) {
	t := table{title: "Open for this run", columns: "| source | opening | status | task queue of its worker |\n|---|---|---|---|\n"}
	for _, a := range r.Sessions.All {
		if a.State != contract.SessionOpen && a.State != contract.SessionOpening {
			continue
		}
		t.add(fmt.Sprintf("| %s | %d | %s | `%s` |\n", inline(a.Session.Source, 64), a.Session.Epoch, a.State, inline(a.Queue, 120)), "")
	}
	t.write(b, "")
}

// table is rows of what is open, and below them the commands if there are any, a
// paragraph each: inside a cell or a block of code the Web UI would cut them off.
type table struct {
	title, columns string
	rows, commands []string
	more           int
}

func (t *table) add(row, command string) {
	if len(t.rows) == maxDetailRows {
		t.more++
		return
	}
	t.rows, t.commands = append(t.rows, row), append(t.commands, command)
}

func (t *table) write(b *strings.Builder, verb string) {
	if len(t.rows) == 0 {
		return
	}
	fmt.Fprintf(b, "%s:\n\n%s%s\n", t.title, t.columns, strings.Join(t.rows, ""))
	if t.more > 0 {
		fmt.Fprintf(b, "… and %d more\n\n", t.more)
	}
	if verb == "" { // there is nothing to do about these
		b.WriteString(padding)
		return
	}
	fmt.Fprintf(b, "%s with:\n\n`%s`\n\n", verb, strings.Join(t.commands, "`\n\n`"))
	b.WriteString(padding)
}

// padding keeps the last lines visible: the Web UI gives the text a frame that
// is somewhat too low.
const padding = "\u00a0\n\n\u00a0\n\n"

// command is a temporal command that can be pasted into a shell.
func (r *run) command(update, input string) string {
	return fmt.Sprintf("temporal workflow update execute --workflow-id %s --name %s --input '%s'",
		shellWord(r.id), update, input)
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

// record adds an event to the journal, and returns its number.
func (r *run) record(ctx workflow.Context, e contract.Event) int {
	e.Round = r.Round
	return r.Journal.Add(workflow.Now(ctx), e)
}

// short cuts what events, errors and warnings quote from outside.
func short(text string) string { return report.Short(text) }
