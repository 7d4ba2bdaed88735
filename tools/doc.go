// Package tools says what a declaration, a descriptor, a call and an outcome
// are, and holds the pure decisions about them: naming, the registry, size
// limits. It imports the standard library only, so that every other package,
// the deterministic workflow included, can speak its words.
package tools

// Version is the version of Errand, without a "v".
const Version = "0.1.0"
