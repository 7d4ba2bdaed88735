package workflows

import (
	"errand/activities/session"
	"errand/workflows/contract"
)

type holdingsState struct {
	All     []activationState `json:"all,omitempty"`
	Keepers int               `json:"keepers,omitempty"`
}

type activationState struct {
	session.Location
	State   contract.SessionStatus `json:"state"`
	Failure string                 `json:"failure,omitempty"`
	Refused bool                   `json:"refused,omitempty"`
	Gone    bool                   `json:"gone,omitempty"`
	Parting string                 `json:"parting,omitempty"`
}

func (h *holdings) state() holdingsState {
	s := holdingsState{Keepers: h.keepers}
	for _, a := range h.all {
		s.All = append(s.All, activationState{Location: a.Location, State: a.state, Failure: a.failure, Refused: a.refused, Gone: a.gone, Parting: a.parting})
	}
	return s
}

func (h *holdings) restore(s holdingsState) {
	h.keepers = s.Keepers
	for _, a := range s.All {
		h.all = append(h.all, &activation{
			Location: a.Location, state: a.State, failure: a.Failure, refused: a.Refused, gone: a.Gone, parting: a.Parting,
		})
	}
}
