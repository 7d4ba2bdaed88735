// Package bench compares Errand's workflow Run with Minimal: the workflow that
// an engineer would write by hand for the same job.
package bench
