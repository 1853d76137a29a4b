// Package native is the file twin: a board kept as plain files under one
// folder, shared by any number of processes of one host.
//
// The rules of the board are not here. Every verb asks native/board what the
// card becomes and which event tells it; this package finds the store, takes
// the writer lock, and makes card and event durable together.
//
// # Files
//
// Layout names them. The cards (issues/<encoded id>.json, ':' written "__") and
// board.json are whole files that are only ever replaced by rename. The log
// (events.jsonl) only grows, one event a line, seq counting from 0. Everything
// in the store is private: folders 0700, files 0600.
//
// # Readers
//
// Readers take no lock. A card file is always whole; the log is read up to its
// last newline. An event is handed out only when its card is in place: Events
// and Tip stop before the first seq that still has a staged file, and, when no
// writer is at work, finish that write themselves first.
//
// Get, Create, Move and Claim touch the files of their own card, whatever the
// board holds. The exceptions are named: a card that reaches done, or is
// reopened, looks for the cards that it blocks, a schema that drops a column
// looks for cards in it, and so do the verbs over labels.
//
// # The index
//
// Those, and List, look at every card. They read only the files that changed
// since they were last read, by this process or by whoever wrote .index: for
// each card its inode, size, mode and times as they were before it was read, the
// facts that lists select and sort by, and the whole card. The index is in the
// order of an ordinary list, and a list decodes no more than it hands out.
//
// The files alone are believed. Each card is looked at by fstatat, on all cores,
// and read again when anything about it differs. The time of the inode's change
// is among it, which no program can set back: so a card written in place, with
// its size and times as before, is seen. A file that changed within 100 ms
// before it was read proves nothing by its times, is not kept, and is read again
// at the next look. The names in the folder are read again whenever the folder's
// own times differ, with the same care.
//
// Whoever has looked writes the index, when one card in 64 is not in it or when
// it is old and the folder has changed; without any lock, since each index is
// true of the files that it names and the last one wins. It goes to a temporary
// file and is renamed, without a sync. Magic with version, checksums of head,
// table and each card, and the size of the file tell a torn or foreign one, which
// is as good as none; a card that is damaged in it is read from its file. It may
// be removed at any time. A store that cannot be written does without.
//
// # Writers
//
// A writer holds the lock .lock from its first read to its last rename. Before
// anything else it finishes what an earlier holder left. Then, for one card:
//
//	staged     .staging/<seq>-<encoded id> holds the new card, synced
//	committed  the event with that seq is in events.jsonl, synced
//	placed     the staged file was renamed over the card
//	told       the lock is free and the folder synced; the verb returns
//
// The middle line is the commit: the staged file alone is nothing, and a staged
// file whose seq is in the log will be placed, by this process or by the next.
// For a card that goes, the staged file is empty and its event says so; both are
// needed, because a power cut can empty a file. board.json is written the same
// way, under the name ".board".
//
// That is three syncs, two of them under the lock. The third owes nothing to the
// others: until the folder is synced, a power cut may bring the staged file back
// under its own name, and it is placed again. Renames reach the disk in their
// order, on every file system named here, so that it cannot come back behind a
// later change of the same card.
//
// The entry of the staged file in its folder gets no sync of its own: on the file
// systems of Linux that are used for this (ext4, xfs, btrfs, f2fs) and on APFS,
// syncing a fresh file also makes its name durable. Where that did not hold, a
// power cut right behind a commit could lose that one card change and keep its
// event, and nothing else.
//
// # A crash at each step
//
//	before staged      a temporary or partial file in .staging; removed
//	staged             a staged file whose seq is not in the log; removed:
//	                   the verb never happened, and its seq is used again
//	in the append      a torn last line; it is closed off with a newline. If it
//	                   was whole but for the newline it is a commit, else the
//	                   staged file is removed
//	committed          placed by the next holder of the lock, after it synced
//	                   the log again
//	placed             nothing to do; after a power cut, as for committed
//
// The caller of a verb that crashed was told nothing. A verb that fails with a
// plain error was taken back whole; when a sync or a rename fails behind the
// write of the event, nobody can say what a power cut would leave, and the
// error is board.ErrAmbiguous.
//
// # Verbs over several cards
//
// A card that reaches done may unblock others; several are moved, or a label or a
// column gets another name on all of them. All cards are staged, each synced. Then
// the whole verb, with every record and every event under its seq, is written to
// .verb.json: that is its commit. Then the events are appended and synced once, the
// cards placed, and the file is removed. The next holder of the lock goes through a
// verb file that was left: changes whose seq is in the log are done, or are placed
// like any staged one; the others are staged again and follow. A verb file that
// cannot be understood is set aside under another name and reported.
//
// # The next seq
//
// It is one more than the highest in the log. Our own lines are in order, so
// that is the last line, found from the end whatever the length of the log. But
// a log that came from elsewhere need not be in order. So a log is read whole
// once; .events.mark remembers how far it was read, the highest seq there, and
// whether it was in order; behind the mark only writers under the lock have
// appended. The mark is a note: without it, or when it does not fit the log, the
// log is read again.
//
// # Archives
//
// ArchiveEvents moves the oldest lines of the log to files of their own,
// events-<first seq>-<last seq>.jsonl.gz, which are never written again. What
// goes is a beginning of the log, byte for byte; its end stays, at least one
// event, so that the numbering goes on for readers who know of no archive.
//
//	written   the archives lie under temporary names, synced, and so does a
//	          copy of the lines that stay; no lock is held until here
//	named     under the writer lock, when the log is still the file that was
//	          read: the archives have their names, the folder synced
//	cut       what was appended meanwhile is added to the copy, which is synced
//	          and renamed over the log, the folder synced
//
// The last rename is the commit. Before it the log is whole, and archives of
// lines that it still has are of no account: readers pass over them, and the
// next ArchiveEvents makes temporary files of them and writes its own. A crash
// before "named" leaves temporary files.
//
// Events reads on from the archives into the log, so that a reader may come back
// after any time. It looks for archives only where the log begins behind the
// place that it was asked for; and it reads again when the log was replaced
// while it read. A log that is gone is numbered on from its archives.
//
// # A lease
//
// Renewing a claim is a sign of life, not a change: the card file is replaced
// under the lock, without event and without updated_at.
//
// # Stopping
//
// A process that was stopped by ctrl-z under the writer lock would stop all the
// others. So where there is a terminal, the stop is put off until the lock is
// free.
package native
