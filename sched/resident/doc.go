// Package resident is the scheduler that lives in a daemon. It fires the schedule and
// keepalive subscriptions of the store, each due slot once, through package gate.
//
// # Who owns what
//
// One goroutine owns the rows and their calendar. It reads no file, takes no lock and
// waits for nothing: who is due gets a goroutine of its own, at most one a row, which
// does the reading and waiting and answers with a message. So a guard that hangs, a
// lock that is held or a store that fails delays its own row and no other. Another
// goroutine writes schedule-intents.json; whatever the rows want durable meanwhile
// goes into its next write together.
//
// # A due slot
//
// The calendar keeps for each row up to which instant its slots are dealt with. What
// lies between that and now is due. All but the newest are folded together; the
// newest is decided, unless it comes later than the row's catch_up allows.
//
//	reserve  a slot of the dispatcher. While it is refused the intention is held: one
//	         for each row, whatever else becomes due meanwhile is folded into it when
//	         it is taken up again
//	plan     the intention: newest slot, folded ones, run id, "missed" when too late,
//	         "held"; durable together with the calendar that is moved behind it
//	fold     one missed record, with count and span, for what is folded
//	decide   package gate, under the schedule's lock, until the run exists
//	record   one line of the tick audit, by the key of row and slot
//	mark     the intention is taken out of the calendar
//
// What a crash leaves behind each step, for the next scheduler:
//
//	reserve  nothing: the slot is due again
//	plan     the intention. No record, no run: decided anew under the same run id as
//	         long as catch_up allows, else missed
//	fold     the same; the record is found by its key and not written twice
//	decide   the run exists: recorded as fired. It does not: as behind plan
//	record   found by its key: the intention is taken out
//
// An intention that is held waits with its slot's own instant: when it is taken up it
// is a catch-up like any other, and missed when it is too late for one. Only one that
// merely waits for a free slot, in the life of one daemon, waits as long as it takes.
//
// # Clocks
//
// The first sight of a row arms it from that moment on and never fires for what was
// before; a row whose clock was edited is armed anew. All thinking is done in wall
// clock instants without their monotonic part, and no timer is longer than 30 s: a
// machine that slept, or whose clock was set forward, is noticed within that. A clock
// that is set back decides nothing again: the row waits until its slots lie behind
// what was dealt with, and its health says so.
package resident
