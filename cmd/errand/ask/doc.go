// Package ask has a person at the terminal answer calls and approvals, and say
// what a Ctrl-C means. It knows nothing of runs: the commands run, attach and
// tail ask through it.
package ask
