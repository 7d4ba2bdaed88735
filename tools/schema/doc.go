// Package schema reads JSON Schemas that strangers wrote and holds the
// arguments of a model against them. It compiles safely (nothing is loaded
// from a file or the network, and every cost is bounded), coerces scalars that
// a model got slightly wrong, and puts all that is still wrong into one text
// that the model can act on.
//
// The default dialect is draft 2020-12; a "$schema" in the document is
// honoured. The activities that discover tools and prepare calls are its
// callers, and tools/platform, which refuses a tool whose schema is broken.
package schema
