package tools

import "fmt"

// Registry holds the descriptors of a run by name. It is built once, after
// discovery, and not changed afterwards.
type Registry struct {
	order  []Descriptor
	places map[Identity]int // place in order
}

// Duplicates says what two tools of one name mean.
type Duplicates string

const (
	// DuplicatesError refuses the request.
	DuplicatesError Duplicates = "error"
	// DuplicatesLast keeps the later declaration and warns.
	DuplicatesLast Duplicates = "last"
)

// Entry is a descriptor and where it was declared.
type Entry struct {
	Path string
	Descriptor
}

// NewRegistry builds the registry of a run in declaration order. Names clash
// by what the model would see, across all owners and sources; a clash between
// different public names is always a fault.
func NewRegistry(entries []Entry, policy Duplicates) (*Registry, []string, Faults) {
	r := &Registry{places: map[Identity]int{}}
	var faults Faults
	var warnings []string
	visible := map[string]Entry{}
	place := map[string]int{}
	for _, e := range entries {
		if e.Name == "" { // a source may leave it out where the two are the same
			e.Name = e.ModelName
		}
		other, taken := visible[e.ModelName]
		switch {
		case !taken:
			place[e.ModelName] = len(r.order)
			r.order = append(r.order, e.Descriptor)
		case other.Identity() != e.Identity() || policy != DuplicatesLast:
			faults.Add(e.Path+".name", fmt.Sprintf("%s %q clashes with %s %q of %s: rename one",
				e.Type, e.Identity(), other.Type, other.Identity(), other.Path))
			continue
		default:
			warnings = append(warnings, fmt.Sprintf("%s: %s %q replaces the one of %s",
				e.Path, e.Type, e.Identity(), other.Path))
			r.order[place[e.ModelName]] = e.Descriptor
		}
		visible[e.ModelName] = e
	}
	for i, d := range r.order {
		r.places[d.Identity()] = i
	}
	return r, warnings, faults
}

// Find returns the descriptor that the caller knows by id.
func (r *Registry) Find(id Identity) (Descriptor, bool) {
	i, ok := r.places[id]
	if !ok {
		return Descriptor{}, false
	}
	return r.order[i], true
}

// All returns the descriptors in declaration order. Do not change them.
func (r *Registry) All() []Descriptor { return r.order }

// Shown is the number of tools that the model sees.
func (r *Registry) Shown() int {
	n := 0
	for _, d := range r.order {
		if !d.Hidden {
			n++
		}
	}
	return n
}

// RegistryOf is the registry of descriptors that NewRegistry let through
// before, in the order that All had.
func RegistryOf(descriptors []Descriptor) *Registry {
	r := &Registry{order: descriptors, places: make(map[Identity]int, len(descriptors))}
	for i, d := range descriptors {
		r.places[d.Identity()] = i
	}
	return r
}
