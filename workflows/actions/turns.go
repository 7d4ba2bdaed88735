package actions

// Turns are those of the answers that are being validated: answers to one
// action are decided about in the order that they came in, so that the first
// good one wins. They are numbers, as a counter in a shop hands them out.
type Turns struct{ of map[*Action]*turns }

type turns struct{ taken, done int }

// Take gives the next turn for an action.
func (t *Turns) Take(a *Action) (turn int) {
	if t.of == nil {
		t.of = map[*Action]*turns{}
	}
	if t.of[a] == nil {
		t.of[a] = &turns{}
	}
	turn = t.of[a].taken
	t.of[a].taken++
	return turn
}

// Has tells whether a turn has come: every earlier one is done.
func (t *Turns) Has(a *Action, turn int) bool { return t.of[a].done == turn }

// Done ends the turn that has come.
func (t *Turns) Done(a *Action) {
	n := t.of[a]
	if n.done++; n.done == n.taken {
		delete(t.of, a)
	}
}

// Empty tells whether no answer is being validated.
func (t *Turns) Empty() bool { return len(t.of) == 0 }

// Any tells whether an answer to one of the calls is being validated.
func (t *Turns) Any(calls Batch) bool {
	for _, c := range calls {
		if c.Action != nil && t.of[c.Action] != nil {
			return true
		}
	}
	return false
}
