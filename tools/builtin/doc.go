// Package builtin has the platform tools that every errand worker offers: the
// time, files under one directory, and web pages of hosts that the
// configuration lists. The worker assembles them with its own.
//
// Every failure is a text for the model: it names the argument and what to do.
package builtin
