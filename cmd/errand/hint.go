package main

import (
	"fmt"
	"os/user"
	"strings"

	"errand/cmd/errand/show"
	"errand/cmd/errand/words"
	"errand/workflows"
)

// hints are the commands that answer a question from elsewhere.
type hints struct {
	// command is this command with the flags that find the run; run is the
	// run's id, as a word for the shell.
	command, run string
	// actor is who approves here.
	actor string
}

func (h hints) of(one *question) string {
	if one.action != nil {
		return fmt.Sprintf("? %s waits for an answer: %s\n%s", show.Tool(one.action.Manifest), h.answer(*one.action), show.Indent(show.Arguments(one.action.Manifest)))
	}
	return fmt.Sprintf("? %s waits for approval: %s\n%s", show.Line(one.approval.Tool), h.approve(*one.approval), show.Indent(show.JSON(one.approval.Args)))
}

func (h hints) answer(a workflows.OpenAction) string {
	return fmt.Sprintf("%s answer %s --action %s 'TEXT'", h.command, h.run, a.ActionID)
}

func (h hints) approve(a workflows.OpenApproval) string {
	return fmt.Sprintf("%s approve %s %s", h.command, h.run, a.ApprovalRequestID)
}

// hints are made of the flags of this invocation, so that what they say can be
// pasted as it is.
func (a *app) hints(runID string) hints {
	return hints{command: a.again(), run: words.Quote(runID), actor: a.defaultActor()}
}

// again is this command with the flags that say where runs are.
func (a *app) again() string {
	parts := []string{a.name}
	for _, flag := range []struct{ name, value string }{
		{"--address", a.flags.address}, {"--namespace", a.flags.namespace},
		{"--profile", a.flags.profile}, {"--task-queue", a.flags.taskQueue},
	} {
		if flag.value != "" {
			parts = append(parts, flag.name, words.Quote(flag.value))
		}
	}
	return strings.Join(parts, " ")
}

// defaultActor is who approves when --actor does not say.
func (a *app) defaultActor() string {
	if name := a.getenv("USER"); name != "" {
		return name
	}
	if current, err := user.Current(); err == nil {
		return current.Username
	}
	return ""
}
