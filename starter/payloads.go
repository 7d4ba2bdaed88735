package starter

import (
	"encoding/json"

	"errand/tools"
)

// Output is the answer to the call of this action. A string is what the model
// reads; anything else becomes its JSON text. What cannot be written as JSON
// becomes an error that says so, for the model to read.
func Output(actionID string, output any) Answer {
	raw, err := json.Marshal(output)
	if err != nil {
		return Failure(actionID, "the output cannot be written as JSON: "+err.Error())
	}
	return Answer{ActionID: actionID, Output: raw}
}

// Failure answers the call of this action with an error for the model to read.
func Failure(actionID, message string) Answer {
	return failure(Answer{ActionID: actionID}, tools.ErrExecutionFailed, message)
}

// failure fills an answer in the shape that every failed call has.
func failure(answer Answer, errorType, message string) Answer {
	answer.Output = quoted(tools.Fail(tools.Failed, errorType, message).Output)
	answer.IsError = true
	return answer
}

// Text is a message of the user, read after the current batch of calls. Set
// Deliver to DeliverFollowUp to have it read when the model is done.
func Text(text string) Message {
	return Message{Role: "user", Content: quoted(text), Deliver: DeliverSteer}
}

// Approved says yes to an approval request. actor names who decided; it may be
// empty.
func Approved(approvalRequestID, actor string) Approval {
	return decision(approvalRequestID, true, "", actor)
}

// Denied says no to an approval request. The model reads the reason.
func Denied(approvalRequestID, reason, actor string) Approval {
	return decision(approvalRequestID, false, reason, actor)
}

func decision(id string, approve bool, reason, actor string) Approval {
	return Approval{ApprovalRequestID: id, Approve: &approve, Reason: reason, Actor: actor}
}

// quoted is text as JSON, which always succeeds.
func quoted(text string) json.RawMessage {
	raw, err := json.Marshal(text)
	if err != nil {
		panic("starter: " + err.Error())
	}
	return raw
}
