// Package daemon is the screen of the daemon as a whole: what runs, what waits and
// why, what is tried again and when, what a person has to look after, and what the
// day has cost.
//
// The page is made anew from the mirror at each draw. The cursor rests on an entry
// by the card or run that it is about, so that it stays there while others come and
// go.
package daemon
