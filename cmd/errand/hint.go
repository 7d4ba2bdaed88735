package main

import (
	"fmt"
	"os/user"

	"errand/cmd/errand/show"
	"errand/cmd/errand/words"
	"errand/workflows/contract"
)

// hints are the commands that answer a question from elsewhere.
type hints struct {
	// name is what this command is called, where the flags that find the run.
	name, where string
	// run is the run's id, as a word for the shell.
	run string
	// actor is who approves here.
	actor string
}

func (h hints) of(one *question) string {
	if one.action != nil {
		return fmt.Sprintf("? %s waits for an answer: %s\n%s", show.Tool(one.action.Manifest), h.answer(*one.action), show.Indent(show.Arguments(one.action.Manifest)))
	}
	return fmt.Sprintf("? %s waits for approval: %s\n%s", show.Line(one.approval.Tool), h.approve(*one.approval), show.Indent(show.JSON(one.approval.Args)))
}

func (h hints) answer(a contract.OpenAction) string {
	return fmt.Sprintf("%s answer %s --action %s 'TEXT'%s", h.name, h.run, a.ActionID, h.where)
}

func (h hints) approve(a contract.OpenApproval) string {
	return fmt.Sprintf("%s approve %s %s%s", h.name, h.run, a.ApprovalRequestID, h.where)
}

// hints are made of the flags of this invocation, so that what they say can be
// pasted as it is.
func (a *app) hints(runID string) hints {
	return hints{name: a.name, where: a.where(), run: words.Quote(runID), actor: a.defaultActor()}
}

// where is the flags of this invocation that say where runs are.
func (a *app) where() string {
	where := ""
	for _, flag := range []struct{ name, value string }{
		{"--address", a.flags.address},
		{"--namespace", a.flags.namespace},
		{"--profile", a.flags.profile},
		{"--task-queue", a.flags.taskQueue},
	} {
		if flag.value != "" {
			where += " " + flag.name + " " + words.Quote(flag.value)
		}
	}
	return where
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
