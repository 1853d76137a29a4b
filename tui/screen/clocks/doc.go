// Package clocks is the screen of the schedules and of what became of each tick.
//
// Both are asked of the daemon once a second while the screen is in front: the
// schedules with their next and last, and the newest records of the tick audit. A row
// of marks beside a schedule is what its last ticks came to, the newest to the right.
package clocks
