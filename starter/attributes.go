package starter

import (
	"context"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"errand/workflows/contract"
)

// attributeConverter reads search attributes, which are never encoded by a
// converter of the client's: the server reads them too.
var attributeConverter = converter.GetDefaultDataConverter()

// waitsOrSilent keeps what says that it waits, and what says nothing.
var waitsOrSilent = fmt.Sprintf("(%s = %s OR %s IS NULL)",
	contract.AttributeStatus, quote(string(PendingAction)), contract.AttributeStatus)

var (
	statusKey  = temporal.NewSearchAttributeKeyKeyword(contract.AttributeStatus)
	pendingKey = temporal.NewSearchAttributeKeyInt64(contract.AttributePending)
)

// attributes are the search attributes that a run begins with.
func (o startOptions) attributes() temporal.SearchAttributes {
	if !o.search {
		return temporal.SearchAttributes{}
	}
	return temporal.NewSearchAttributes(
		statusKey.ValueSet(string(Queued)), pendingKey.ValueSet(0))
}

// Searchable tells whether the namespace has the search attributes of runs,
// ErrandStatus (Keyword) and ErrandPendingCalls (Int): see WithSearchAttributes.
func (s *Starter) Searchable(ctx context.Context) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	_, err := s.client.CountWorkflow(limited, &workflowservice.CountWorkflowExecutionsRequest{
		Query: fmt.Sprintf("%s = 'x' AND %s < 0", contract.AttributeStatus, contract.AttributePending),
	})
	if isA[*serviceerror.InvalidArgument](err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for the search attributes: %w", err)
	}
	return true, nil
}

// refine tells what the search attributes know better than the server: what a
// running one is doing, and whether a completed one is incomplete.
func refine(one *Summary, attributes *commonpb.SearchAttributes) {
	var word string
	payload, given := attributes.GetIndexedFields()[contract.AttributeStatus]
	if !given || attributeConverter.FromPayload(payload, &word) != nil {
		return
	}
	status := Status(word)
	switch {
	case one.Status == InProgress && !status.Terminal() && status != "":
		one.Status = status
	case one.Status == Completed && status == Incomplete:
		one.Status = status
	}
	if payload, given = attributes.GetIndexedFields()[contract.AttributePending]; given && one.Closed.IsZero() {
		_ = attributeConverter.FromPayload(payload, &one.PendingCalls) // zero is right for what cannot be read
	}
}
