package tools

// NameServerTools gives the tools of servers their model-visible names: their
// own where nobody else has it, and label__tool where it clashes. Others keep
// their names.
func NameServerTools(entries []Entry) {
	taken := map[string]int{}
	for _, e := range entries {
		taken[ownVisible(e.Descriptor)]++
	}
	for i, e := range entries {
		if e.Remote == nil {
			continue
		}
		name := ownVisible(e.Descriptor)
		if taken[name] > 1 {
			name = VisibleName(serverIdentity(e.Descriptor), e.Remote.Server+"__"+e.Remote.Tool)
		}
		if taken[name] > 0 && name != ownVisible(e.Descriptor) { // that name is somebody's own
			name = VisibleName(serverIdentity(e.Descriptor), e.Remote.Server+"."+e.Remote.Tool)
		}
		entries[i].ModelName = name
	}
}

func serverIdentity(d Descriptor) string { return "mcp:" + d.Remote.Server + "/" + d.Remote.Tool }

func ownVisible(d Descriptor) string {
	if d.Remote == nil {
		return d.ModelName
	}
	return VisibleName(serverIdentity(d), d.Remote.Tool)
}
