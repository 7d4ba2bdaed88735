// Package show writes what people read of a run: a line for each event, the
// transcript, tables. It only formats; the commands fetch what it shows.
//
// Whatever came from a model, a tool or a server goes through Line or Block
// first, so that it cannot move the cursor or recolour the terminal.
package show
