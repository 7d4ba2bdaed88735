package activities

import (
	"errand/activities/model"
	"errand/activities/session"
	"errand/activities/translate"
	"errand/tools/item"
)

// Names that move with their users.
type (
	Model        = model.Model
	ModelRequest = model.Request
	ModelAnswer  = model.Answer
	ModelError   = model.Error
	FunctionTool = model.FunctionTool
	Stop         = model.FinishReason
	Price        = model.Price
	Spent        = model.Spent
	Progress     = Heartbeat
	Surface      = translate.Surface
	Name         = translate.Name
)

const (
	StopCompleted = model.FinishCompleted
	StopLength    = model.FinishLength
	StopFilter    = model.FinishFilter
)

var (
	Digest      = item.Digest
	NextDigest  = item.NextDigest
	HeldName    = item.Ref
	HeldItem    = item.RefItem
	WrapInput   = translate.WrapInput
	UnwrapInput = translate.UnwrapInput
)

const HeldFrom = item.RefFrom

var _ session.ID
