// Package filelock takes advisory locks on files, over processes.
//
// A lock is a flock(2): it belongs to the open file description, ends with the
// last descriptor of it (so a kill -9 frees it), and excludes two openings in
// one process as well as in two. Descriptors are close-on-exec: a child never
// inherits a lock by accident. The file stays when the lock is released; it is
// never unlinked, because a name that comes and goes can be locked twice.
//
// An exclusive taker writes who it is into the file (pid, host, since), so that
// whoever has to wait can name it. What the file says after a release is
// history; only the lock itself says whether it is held.
//
// # Probing
//
// Probe asks whether somebody holds a lock exclusively by taking it shared for
// a moment. Probers therefore never see each other. An exclusive taker that
// finds the lock busy tries it shared first: if that works, nobody owns it and
// only probers are in the way, and it tries again until they are gone. So a
// prober costs a taker a millisecond and never the lock.
//
// # Waiting
//
// A taker queues in the kernel, on a second descriptor of the same open file, and
// is woken the moment the lock is free. When its time is over it closes the first
// descriptor and leaves the queue to itself: should the lock come after all, the
// second descriptor is closed at once, and with it the lock is free again.
//
// # Handing a lock over
//
// A launcher that gives its lock to a child passes Lock.File as an extra file;
// the child adopts descriptor n with FromFD and both now share one lock. The
// launcher then calls Detach, which closes its copy without unlocking. Release
// would unlock for both.
package filelock
