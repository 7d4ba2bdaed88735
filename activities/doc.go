// Package activities does everything that touches the world: it discovers
// tools, asks the model, prepares calls and executes them. The workflow calls
// its methods by value and shares its input and result types; the worker
// builds it from a model and the sources of tools.
//
// A tool's failure is a value: Execute returns an outcome for anything the
// model should read. The machine's failure is an error: what Temporal should
// act on.
package activities
