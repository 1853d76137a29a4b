// Package hostcron lets the host's own cron fire schedules: the manifest that
// people write, the state of each schedule, the one managed block in the user's
// crontab, and the tick that a line of that block asks for.
//
// # The files
//
//	schedules.yaml           the manifest: --manifest > $ITERION_SCHEDULES_FILE >
//	                         ~/.iterion/schedules.yaml; the user owns it
//	.schedules.yaml.lock     held by who edits the manifest
//	state/<name>.json        what was decided of one schedule, and what is pending
//	state/<name>.lock        held by who decides a slot of it, until the run exists
//	state/.install.json      PATH, binary and hour of the last install
//	logs/tick-audit.jsonl    the records (package audit)
//	logs/schedule-<name>.log what the ticks of one schedule print
//	crontab.bak/             the user's crontab before each change of ours
//
// All lie beside the manifest in use. A manifest that is a symbolic link is edited
// where it points to; its state stays beside the link.
//
// # The manifest
//
// It is the user's text. An edit replaces the lines that it is about and leaves
// every other byte, is read back before it is written, and is refused when anything
// else would come out changed. Unknown keys are kept. A row that cannot be used is
// named with its line and stands in nobody's way; only a file that is no YAML at
// all stops everything.
//
// # One tick
//
// `iterion schedule run --tick NAME` asks for the newest slot of the last ten
// minutes that nobody decided. The caller brings everything that has to do with
// runs (Job); the package decides in these steps, under both locks: the
// schedule's own beside the state, then the store's, which a resident scheduler on
// the same store takes as well.
//
//	settle    what a decider that died left pending gets its record
//	look      which slot is due. None: nothing is written, unless slots were missed
//	pend      slot, run id and what was missed are durable. The slot is spent.
//	missed    the record of the slots before it that nobody decided
//	gate      overlap, guard, launch (package gate)
//	record    one line in the audit
//	clear     nothing is pending any more
//
// What a crash right after each step leaves for the next tick, or for the next run
// by hand:
//
//	settle    the same pending entry; its record is not written twice
//	pend      an entry whose run does not exist: launch_failed. The slot stays
//	          spent: whether its launch was about to happen is not known. What is
//	          left of its guard is ended.
//	missed    the same; the missed record is not written twice
//	gate      an entry whose run exists: fired. If the gate said no, its reason is
//	          lost and the record says launch_failed.
//	record    an entry whose record is there: it is dropped
//	clear     nothing
//
// Where it cannot be told whether the run exists, the entry stays pending and the
// next tick asks again; new slots are decided meanwhile.
//
// # Slots
//
// A slot at or before the last one decided is never decided again, so a clock that
// is set back fires nothing twice. Should a clock that was far ahead have left a
// slot more than a day in the future behind, the audit is asked instead of the state, so
// that the schedule is not dead until then.
//
// First sight arms: slots count from a minute before the first tick on, or from the
// moment at which the schedule was added, enabled, installed anew or given another
// expression. A disabled schedule has no slots. All slots that passed before the
// one that is decided leave one missed record, with their count and span.
//
// A run by hand crosses the same gate, has no slot, and waits for a tick that is
// under way.
//
// # The crontab
//
// Rewrite is pure: it replaces the one managed block and keeps every other byte. A
// block that is not whole, or is there twice, is refused: nobody can know which
// lines are the user's. Install reads, writes only if what was read is still
// there, and reads back. No environment lines are ever written; PATH as it was at
// install is noted and the tick sets it itself. The lines are in cron's time, which
// is the host's. Where the schedule's zone is another, they fire at every minute that
// could match and the tick finds out whether one did.
package hostcron
