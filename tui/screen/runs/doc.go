// Package runs is the screen of runs: a list, live ones first, and one run with
// its log.
//
// A log may be of any size and hold anything. The screen reads it from near its
// end, earlier pieces on demand, keeps a bounded part of it, and cleans only the
// lines that are drawn.
package runs
