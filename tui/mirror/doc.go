// Package mirror is the screen's copy of the board and its runs, folded from
// the frames that the daemon sends. Columns stay sorted while cards come and go,
// so that a frame costs what it changes and not what the board holds. It is
// owned by one goroutine.
package mirror
