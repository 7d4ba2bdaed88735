package platform

import (
	"context"

	"errand/tools"
)

// Execute does the work of a call; Tool.Execute says what is asked of it.
type Execute func(ctx context.Context, call tools.Invocation) (tools.Output, error)

// Wrap makes a tool of another one: around gets that tool's Execute and returns
// the one that takes its place, to do something before and after, or instead.
// Name, schemas, capabilities, effect and everything else stay as they were;
// change them on the result where the wrapping changes what they say.
//
// A tool without Execute, and one that around makes nothing of, cannot be
// registered: NewSource says so.
func Wrap(tool Tool, around func(next Execute) Execute) Tool {
	if tool.Execute == nil || around == nil {
		tool.Execute = nil
		return tool
	}
	tool.Execute = around(tool.Execute)
	return tool
}
