// Package watchdog finds cards whose holders have died and says what becomes of
// them.
//
// # What it looks at
//
// A claim whose lease has ended is only a hint: its holder may be dead, asleep or
// slow, and the run that it was for may live on. So every expired claim is judged by
// the run that is recorded for its card (an [Oracle] finds it) and by where the card
// stands, in the one table of table.go. The table is pure and answers keep, promote,
// release, or a filing: complete, fail, back to the pool, give up.
//
// # A recovery
//
// A sweep comes once a minute. Nothing is written for a card that is kept. For any
// other these steps are taken, and a crash right after each leaves:
//
//	promote    the run, which lost its supervisor, has its true end, and what was
//	           left of its processes is dead. The next sweep finds it so.
//	transfer   the claim is ours: a recovery marker, a new epoch, a short lease. The
//	           late holder's writes are refused from here on.
//	(decide)   once more, on the card as the transfer returned it and the run as it
//	           is now
//	stamp      the card names the run
//	move       with the column that it was seen in as its precondition, so that
//	           whoever moved it meanwhile is not overruled
//	flags      give-up stamp, awaiting input
//	release    nothing is left
//
// From the transfer to the release a crash leaves an expired recovery claim, and so
// does a second decision that says keep, or a write of the filing that did not land.
// The next sweep after its lease, of whichever watchdog, releases such a claim where
// the card stands and files nothing: what happened in between is not known any more.
// Then the card is free, and the dispatch guards, which look at the same run, decide
// about it like about any other.
//
// That repair is always done. The rest is off unless the operator switches it on.
// A store that has no leases has nothing to sweep; that is said once.
//
// # Who else is about
//
// Any number of watchdogs may sweep one store: the transfer lets one of them through.
// A claim that the dispatcher of the same process holds is left to it, for it is
// alive and looks after its cards. A run's end is judged once: a run that had ended
// before the claim was taken is an earlier hold's business, and settled.
package watchdog
