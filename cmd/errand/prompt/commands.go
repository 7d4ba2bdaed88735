package prompt

import (
	"fmt"

	"errand/cmd/errand/show"
	"errand/workflows/contract"
)

// Commands are the commands that answer a question from elsewhere.
type Commands struct {
	// Name is what this command is called, Flags those that find the run.
	Name, Flags string
	// Run is the run's id, as a word for the shell.
	Run string
	// Actor is who approves here.
	Actor string
}

func (c Commands) question(one *question) string {
	if one.action != nil {
		return fmt.Sprintf("? %s waits for an answer: %s\n%s", show.Tool(one.action.Manifest), c.Answer(*one.action), show.Indent(show.Arguments(one.action.Manifest)))
	}
	return fmt.Sprintf("? %s waits for approval: %s\n%s", show.Line(one.approval.Tool), c.Approve(*one.approval), show.Indent(show.JSON(one.approval.Args)))
}

// Answer is the command that answers a call.
func (c Commands) Answer(a contract.OpenAction) string {
	return fmt.Sprintf("%s answer %s --action %s 'TEXT'%s", c.Name, c.Run, a.ActionID, c.Flags)
}

// Approve is the command that approves a call.
func (c Commands) Approve(a contract.OpenApproval) string {
	return fmt.Sprintf("%s approve %s %s%s", c.Name, c.Run, a.ApprovalRequestID, c.Flags)
}
