// Package program answers client-owned calls by running programs: the flag
// --exec of the command. A program gets the arguments on standard input and
// what it must know of the call in its environment; what it prints is the
// answer.
package program
