// Package daemon joins the rooms of one host into a running dispatcher.
//
// # Locks
//
// A daemon takes these, in this order, and lets go of them in reverse:
//
//	<workspace root>/.dispatcher.lock  one daemon per workspace root; a second one
//	                                   gets a *LockedError and has touched nothing
//	dispatcher/owners/<uuid>.lock      this daemon, as the claim journal names it
//	dispatcher/.daemon.lock            the store's singletons, the control socket
//	                                   among them
//
// A daemon that finds the last one taken only dispatches; its control socket then
// lies in its workspace root. When the owner of the singletons ends or dies, one of
// the others takes its place and opens the store's socket beside its own. The owner lock is proof of life: whoever finds an
// owner's lock free, or gone, may adopt its claims. Owner files are made and
// swept under the store's writer lock, so that a file without a holder is always
// one of the dead.
//
// # Parts
//
// Run opens the store and then runs these side by side until one fails, the
// context ends or a client asks for the end:
//
//	dispatch   the actor, over the adapters of this package
//	control    the socket, answered by service
//	sight      watches the files, wakes the actor, feeds the watch stream
//	config     reads the config file again when it changes
//	clocks     the resident scheduler, for the owner of the singletons: schedule and
//	           keepalive subscriptions, from manifests and triggers.yaml
//	spine      what events owe: reads the board's log, tells the outcomes of runs, and
//	           carries the effects out, for the owner of the singletons
//	watchdog   takes cards over whose holders have died, for the owner of the singletons
//	web        health and metrics over TCP, where the operator wants them
//	trust gate holds dispatch paused while the store is not trusted on this host
//
// # A crash
//
// Killed at any instant, a daemon leaves its claims in the journal, its run
// folders under their supervisors, and locks that the kernel has freed. The next
// one adopts the journal in one step. The socket file it leaves answers nobody
// and is replaced. At an orderly end the journal is left in the same way: live
// runs carry on and the next daemon settles them.
//
// # Settings
//
// The config file is read at the start, whenever it changes, and when a client asks.
// One that is wrong is shown and changes nothing. What is in force is kept in
// dispatcher.json by the owner of the singletons: others read the spending cap and
// the bots' folders there, with a daemon or without. Settings that hold from the
// start to the end of a daemon are named as such when the file changes them.
//
// # Files of its own
//
// claims.json, retries.json and runtime.json are changed under the writer lock
// and replaced whole. One that cannot be read is never taken for an empty one:
// dispatch holds still and says which file it is.
package daemon
