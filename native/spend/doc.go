// Package spend keeps what the runs of a store cost, day by day, and says when
// the day's spending has reached its cap.
//
// # The files
//
//	spend/<YYYY-MM-DD>.json   one UTC day: what each run added to it, the total,
//	                          and the override if somebody lifted the cap
//	spend/.lock               held by whoever changes a day
//
// The cap is limits.max_cost_per_day_usd in dispatcher/dispatcher.json, where
// the daemon leaves the config that it runs with. No file, or none of that key,
// is no cap.
//
// # Who writes
//
// A run's supervisor, at each report of cost; whoever settles a run that lost
// its supervisor; and a person who lifts the cap. Each change is read, modified
// and written under the lock, as a whole file, durably. Reading takes no lock:
// a day file is replaced by rename, so a reader sees an old day or a new one.
//
// The lock may be taken while a run's lock or the store's writer lock is held.
// Under it nothing is called and only a log's lock may be taken: spend before
// log.
//
// # What counts once
//
// A report carries the run's cumulative cost. What it adds to a day is that cost
// minus what the other days hold of the run, and a day's share never shrinks. So
// the same report may be repeated, by a resume, by a settlement or after a
// crash, and adds nothing; a report after midnight adds to the new day only what
// came since; a cumulative cost that falls adds nothing until it is past its old
// height.
//
// A run costs nothing on a day before it was made: should the clock be set back
// past that, its costs land on the day that it was made. This is why no file
// older than the run needs to be read.
//
// Money is counted in billionths of a dollar, so that sums are exact. A total is
// added up anew at each change.
//
// # What a crash leaves
//
//   - Before the rename: the day as it was, and perhaps a temporary file that the
//     next holder of the lock removes. The run's record should carry its cost
//     before the ledger is told; then the next report, or whoever settles the
//     run, brings the same cumulative cost again and nothing is lost.
//   - After the rename: the day is written. A repeat adds nothing.
//
// # When it cannot be read
//
// A day file that cannot be read is never a day without costs. Reading it and
// writing to it fail with *UnreadableError, and Gate lets nothing start while a
// cap is set. A config that cannot be read might hold a cap, and is judged alike.
package spend
