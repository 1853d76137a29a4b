// Package control is the daemon's local API: HTTP/1.1 over a unix socket that
// only the daemon's own user can open.
//
// # The socket
//
// A Place names the socket file and, beside it, a pointer file. The socket lies
// at its place when the path fits into the operating system's limit; otherwise
// in a private folder under $XDG_RUNTIME_DIR or the temp folder, and the pointer
// file holds that path. Listen may only be called by whoever holds the daemon
// lock of the place, since it takes away what an earlier daemon left there. A
// socket that nobody answers on means that there is no daemon: ErrNoDaemon.
//
// Both sides check that the peer belongs to the same user. There is no other
// door: nothing here listens on a network.
//
// # The stream
//
// A Feed holds the picture of the board that watchers see. Each change of a
// card, a run or the status gets a version; a watcher remembers the version it
// was last sent and asks for everything newer. A slow watcher therefore skips
// states in between, holds nobody up and costs no memory. Deleted cards leave
// tombstones for a while; a watcher that is older than the oldest tombstone gets
// a full frame again.
//
// # Errors
//
// The server answers a refusal with an Error, whose Code it takes from the
// sentinels of native/board and native/run. On the client's side an Error is
// the board's sentinel of its Code again, so that callers ask errors.Is and need
// not know whether a verb went through the socket.
package control
