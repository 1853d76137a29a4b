// Package tui is the screen: the board, one card, the runs, the clocks, the triggers
// and the daemon, live, over the daemon's control socket.
//
// The screen owns nothing. It is a client of one Source, which *control.Client
// satisfies; everything it shows was sent by the daemon, and everything it does
// is a request to the daemon. Killing it loses half-typed text and nothing else.
//
// # Who does what
//
// The caller finds or starts the daemon. Options.Connect is called off the
// drawing path, once at the start and again after every loss, and is told whether
// it may start a daemon: not after one was seen, unless the person asks, for
// whoever stopped it may be about to start it with another configuration. It
// answers with a Source, with ErrNoStore (an empty folder: the screen then offers to make a
// board through Options.Init), or with an error whose words are shown while the
// screen keeps trying. A daemon that Connect started on the way belongs to the
// sitting: OwnsDaemon then says so, the daemon runs in a session of its own so
// that ctrl-z and ctrl-c reach only the screen, and StopDaemon is called once
// after the terminal has been given back, whatever ended the screen: q, SIGTERM,
// a closed terminal or a panic. Only q can ask first, so only q can cancel runs;
// every other end leaves running bots to their supervisors.
//
// # Inside
//
// One goroutine (feed) connects, watches, and hands frames to the program; a
// second never exists. The root model folds frames into a mirror, which the
// screens read. Update never blocks: what talks to the Source is a command. View
// only draws, and each screen lays out what is visible and no more. Every text
// that came from a card, a bot or a log passes kit.Clean on its way to the
// terminal, and every line passes kit.Box, so that nothing can be executed and
// no line is wider than the window.
package tui
