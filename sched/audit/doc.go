// Package audit keeps the tick audit: one line for each slot that a clock decided,
// so that whoever asks why a schedule did not fire finds the answer written down.
//
// # The log
//
//	tick-audit.jsonl          what is appended to
//	tick-audit-000007.jsonl   rotated, the higher the number the newer
//	tick-audit.jsonl.lock     held while a line is appended
//
// An appender holds the lock, and with it the log is rotated before it would grow
// beyond Options.MaxBytes: a torn last line is closed off, the log is renamed to
// the next number, and the oldest of more than Options.Keep rotated logs are
// removed. That is the only way in which a record is ever lost. A rotated log is
// never written to or renamed again. A crash between rename and append leaves no
// tick-audit.jsonl, which the next appender makes.
//
// # Readers
//
// They take no lock and write nothing. A reader opens the log before it lists the
// rotated ones: if the log was rotated in between it is found among them under its
// number, by its inode, and everything newer is left for the next look. So no line
// is missed or seen twice. A reader that follows keeps the log open, drains it
// after it was rotated, and goes on with the next number.
//
// Records lie in the order in which they were written, which is nearly that of
// their instants: the record of a decider that died is written by whoever comes
// next.
//
// What is no record is passed over and counted as torn. A record of a higher
// schema may mean something that this version does not know: it is not handed out,
// but counted, so that a command can say so. Unknown fields are ignored.
//
// # Once
//
// AppendOnce looks for a record of the same key (gate.Record.Key) from the end. It
// looks no further than the tick that the record tells of: a thousand lines in a
// row from clearly before it end the search.
package audit
