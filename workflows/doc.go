// Package workflows is the durable run: the workflow Run and the wire contract
// around it. A starter needs the contract only (names, payloads, results); a
// worker registers Run.
//
// The package is deterministic. It does no I/O and knows no model or tool
// technology; everything that touches the world is an activity.
package workflows
