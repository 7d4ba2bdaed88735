// Package delegate has the platform tool delegate: it gives a task to another
// run. The tool is described here; the workflow executes it.
package delegate
