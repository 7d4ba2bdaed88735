package workflows

import "fmt"

// Actions and approvals are named by the place of their call, so that they are
// unique in a run and never the call's own id.
const (
	actionFormat   = "act_%d_%d"
	approvalFormat = "apr_%d_%d"
)

// ActionID is the id of the action that hands over the call at this place of a
// round.
func ActionID(round, index int) string { return fmt.Sprintf(actionFormat, round, index) }

// ApprovalID is the id of the approval request for the call at this place of a
// round.
func ApprovalID(round, index int) string { return fmt.Sprintf(approvalFormat, round, index) }

// Place reads the place of a call out of its action id.
func Place(actionID string) (round, index int, ok bool) {
	n, err := fmt.Sscanf(actionID, actionFormat, &round, &index)
	return round, index, err == nil && n == 2 && ActionID(round, index) == actionID
}
