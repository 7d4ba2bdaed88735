package activities

import "errand/tools"

// border is where public names and shapes become the model's own and come
// back. Names are looked up in both directions; a flat name is never taken
// apart.
type border struct {
	Surface
	byVisible map[string]Name
	byPublic  map[tools.Identity]Name
	shown     map[string]bool
}

func newBorder(s Surface) *border {
	b := &border{
		Surface: s, byVisible: map[string]Name{}, byPublic: map[tools.Identity]Name{}, shown: map[string]bool{},
	}
	for _, n := range s.Names {
		b.byVisible[n.Visible] = n
		b.byPublic[n.Identity] = n
	}
	for _, t := range s.Tools {
		b.shown[t.Name] = true
	}
	for _, n := range s.Names {
		// Some models join a namespace with a dot whatever they were shown.
		dotted := n.String()
		if _, taken := b.byVisible[dotted]; !taken && !b.shown[dotted] {
			b.byVisible[dotted] = n
		}
	}
	return b
}

// visible is the model's name of a tool. One that was not declared, in an
// earlier conversation, is flattened in the same way.
func (b *border) visible(id tools.Identity) string {
	if n, ok := b.byPublic[id]; ok {
		return n.Visible
	}
	return tools.FlatName(id)
}

// public is the tool that a model-visible name stands for.
func (b *border) public(visible string) Name {
	if n, ok := b.byVisible[visible]; ok {
		return n
	}
	return Name{Visible: visible, Identity: tools.Identity{Name: visible}}
}
