package tools

import (
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing wrong with a request: where, and what to do about it.
type Fault struct {
	// Path is a JSON path such as tools[2].server_label.
	Path    string `json:"path"`
	Message string `json:"message"`
}

func (f Fault) String() string {
	if f.Path == "" {
		return f.Message
	}
	return f.Path + ": " + f.Message
}

// Faults is everything wrong with a request. It is an error when not empty.
type Faults []Fault

// Add records one fault.
func (f *Faults) Add(path, message string) { *f = append(*f, Fault{path, message}) }

// At tells whether there is a fault with this very path.
func (f *Faults) At(path string) bool {
	return slices.ContainsFunc(*f, func(one Fault) bool { return one.Path == path })
}

// maxFaultText bounds the path and the message of a bounded fault.
const maxFaultText = 1000

// Bounded is at most limit faults, their texts cut, and a last one that counts
// those left out.
func (f Faults) Bounded(limit int) Faults {
	if len(f) == 0 {
		return nil
	}
	var out Faults
	for i, one := range f {
		if i == limit {
			out = append(out, Fault{Message: fmt.Sprintf("… and %d more faults", len(f)-limit)})
			break
		}
		path, _ := Cut(one.Path, maxFaultText)
		message, _ := Cut(one.Message, maxFaultText)
		out = append(out, Fault{Path: path, Message: message})
	}
	return out
}

// Error lists every fault, separated by semicolons.
func (f Faults) Error() string {
	all := make([]string, len(f))
	for i, fault := range f {
		all[i] = fault.String()
	}
	return strings.Join(all, "; ")
}

// Err is f as an error, or nil when there is no fault.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}
