//go:build race

package supervise

// raced: the race detector keeps several times the memory of the program.
const raced = true
