package doctor

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"iterion/native/board"
	"iterion/native/run"
	"iterion/native/spend"
)

func cardBreakages() map[string]breakage {
	over := func(text string) func(*lab) { return func(b *lab) { b.write(b.card(0), text) } }
	return map[string]breakage{
		"bad JSON":         {over("{\"id\": "), "card-unreadable", Error, false},
		"an empty object":  {over("{}"), "card-unreadable", Error, false},
		"an empty file":    {over(""), "card-unreadable", Error, false},
		"no object":        {over("null"), "card-unreadable", Error, false},
		"a folder instead": {func(b *lab) { b.check(os.Remove(b.card(0))); b.write(b.card(0)+"/x", "y") }, "card-unreadable", Error, false},
		"a dead link": {func(b *lab) {
			b.check(os.Remove(b.card(0)))
			b.check(os.Symlink("nowhere", b.card(0)))
		}, "card-unreadable", Error, false},
		"a copy under another name": {func(b *lab) {
			b.write(b.l.IssueFile("native:copy"), b.read(b.card(0)))
		}, "card-misnamed", Error, false},
		"a wrong name": {func(b *lab) {
			b.check(os.Rename(b.card(0), b.l.IssueFile("native:other")))
		}, "card-misnamed", Error, false},
		"two cards that changed places": {func(b *lab) {
			one, two := b.read(b.card(0)), b.read(b.card(1))
			b.write(b.card(0), two)
			b.write(b.card(1), one)
		}, "card-misnamed", Error, false},
		"three cards in a ring": {func(b *lab) {
			one, two, three := b.read(b.card(0)), b.read(b.card(1)), b.read(b.card(2))
			b.write(b.card(0), two)
			b.write(b.card(1), three)
			b.write(b.card(2), one)
		}, "card-misnamed", Error, false},
		"a row of cards that moved up": {func(b *lab) {
			b.check(os.Rename(b.card(0), b.l.IssueFile("native:free")))
			b.check(os.Rename(b.card(1), b.card(0)))
			b.check(os.Rename(b.card(2), b.card(1)))
		}, "card-misnamed", Error, false},
		"an id that is none": {func(b *lab) {
			b.write(b.l.IssueFile("native:odd"), `{"id":"../../etc","title":"x"}`)
		}, "card-misnamed", Error, false},
		"a card from elsewhere": {func(b *lab) {
			b.write(b.l.IssueFile("native:new"), fmt.Sprintf(`{"id":"native:new","title":"x","state":"inbox","updated_at":%q}`, time.Now().Format(time.RFC3339Nano)))
		}, "card-without-event", Warning, false},
		"an old card from elsewhere": {func(b *lab) {
			b.write(b.l.IssueFile("native:old"), `{"id":"native:old","title":"x","state":"inbox","updated_at":"2020-01-02T03:04:05Z"}`)
		}, "log-younger", Note, false},
		"a card removed":    {func(b *lab) { b.check(os.Remove(b.card(0))) }, "card-missing", Warning, false},
		"a card changed":    {func(b *lab) { b.later(b.card(0), time.Second*-7) }, "card-differs", Note, false},
		"no such column":    {func(b *lab) { b.edit(b.card(0), replace(`"inbox"`, `"limbo"`)) }, "card-state-unknown", Warning, true},
		"a stray file":      {func(b *lab) { b.write(filepath.Join(b.l.Issues(), "notes.txt"), "x") }, "card-folder-stray", Note, true},
		"readable by all":   {func(b *lab) { b.check(os.Chmod(b.card(0), 0o644)) }, "perm-open", Warning, false},
		"a folder for all":  {func(b *lab) { b.check(os.Chmod(b.l.Issues(), 0o755)) }, "perm-open", Warning, false},
		"another one's":     {func(b *lab) { b.host.Owner, b.host.UID = 4711, 4711 }, "owner-mismatch", Warning, true},
		"clock in the past": {func(b *lab) { b.now = time.Now().Add(-time.Minute) }, "clock-behind", Warning, true},
	}
}

func logBreakages() map[string]breakage {
	drop := func(from, to int) func(*lab) {
		return func(b *lab) { b.lines(func(l []string) []string { return slices.Delete(l, from, to) }) }
	}
	put := func(at int, line string) func(*lab) {
		return func(b *lab) { b.lines(func(l []string) []string { return slices.Insert(l, at, line+"\n") }) }
	}
	return map[string]breakage{
		"half a line at the end": {func(b *lab) { b.edit(b.l.Events(), add(`{"seq":5,"timest`)) }, "log-torn-tail", Warning, false},
		"an event without its newline": {func(b *lab) {
			b.edit(b.l.Events(), func(s string) string { return strings.TrimSuffix(s, "\n") })
		}, "log-torn-tail", Warning, false},
		"a line of garbage":      {put(2, "\x00\x00garbage"), "log-line-unreadable", Warning, false},
		"a line without seq":     {put(1, `{"type":"issue_created"}`), "log-line-unreadable", Warning, false},
		"a line of 17 MB":        {put(1, strings.Repeat("x", 17<<20)), "log-line-unreadable", Warning, false},
		"an event of other make": {put(5, `{"seq":5,"timestamp":7,"type":"x"}`), "log-event-foreign", Warning, true},
		"a gap":                  {drop(3, 4), "log-gap", Warning, true},
		"a line twice":           {func(b *lab) { b.lines(func(l []string) []string { return slices.Insert(l, 3, l[1]) }) }, "log-line-doubled", Warning, false},
		"a number twice":         {put(5, `{"seq":4,"timestamp":"2020-01-01T00:00:00Z","type":"board_updated","payload":{}}`), "log-seq-repeated", Error, true},
		"another order": {func(b *lab) {
			b.lines(func(l []string) []string { l[0], l[1] = l[1], l[0]; return l })
			b.check(os.Remove(b.in(markName)))
		}, "log-unordered", Note, true},
		"a log that is gone":      {func(b *lab) { b.noLog() }, "log-younger", Note, false},
		"a folder for a log":      {func(b *lab) { b.noLog(); b.write(b.l.Events()+"/x", "y") }, "log-unreadable", Error, false},
		"a note that fits no log": {func(b *lab) { b.write(b.in(markName), `{"end":7,"last":3,"high":3,"ordered":true}`) }, "mark-misfit", Note, false},
		"an index that is none":   {func(b *lab) { b.write(b.l.Index(), "what") }, "index-misfit", Note, false},
		"an index gone bad": {func(b *lab) {
			b.index()
			b.edit(b.l.Index(), func(s string) string { return s[:200] + "#" + s[201:] })
		}, "index-misfit", Note, false},
		"an archive of garbage": {func(b *lab) {
			b.archive()
			b.write(b.in("events-0-3.jsonl.gz"), "no gzip")
		}, "archive-unreadable", Warning, true},
		"an archive cut short": {func(b *lab) {
			b.archive()
			b.edit(b.in("events-0-3.jsonl.gz"), func(s string) string { return s[:len(s)-9] })
		}, "archive-unreadable", Warning, true},
		"an archiving that was cut off": {func(b *lab) {
			log := b.read(b.l.Events())
			b.archive()
			b.write(b.l.Events(), log)
		}, "archive-left", Note, false},
		"a note that is none": {func(b *lab) { b.write(b.in(markName), `what`) }, "mark-misfit", Note, false},
	}
}

func fileBreakages() map[string]breakage {
	return map[string]breakage{
		"a file for staging":  {func(b *lab) { b.check(os.RemoveAll(b.l.Staging())); b.write(b.l.Staging(), "x") }, "wrong-kind", Error, false},
		"a file for runs":     {func(b *lab) { b.check(os.RemoveAll(b.l.Runs())); b.write(b.l.Runs(), "x") }, "wrong-kind", Error, false},
		"a dead link for it":  {func(b *lab) { b.check(os.RemoveAll(b.l.Runs())); b.check(os.Symlink("nowhere", b.l.Runs())) }, "wrong-kind", Error, false},
		"a file for cards":    {func(b *lab) { b.check(os.RemoveAll(b.l.Issues())); b.write(b.l.Issues(), "x") }, "wrong-kind", Error, false},
		"a folder for a lock": {func(b *lab) { b.check(os.Remove(b.l.WriterLock())); b.write(b.l.WriterLock()+"/x", "y") }, "wrong-kind", Error, false},
		"a folder for a verb": {func(b *lab) { b.write(b.in(verbName)+"/x", "y") }, "wrong-kind", Error, false},
		"no board":            {func(b *lab) { b.check(os.Remove(b.l.Board())) }, "board-unreadable", Error, true},
		"a board of garbage":  {func(b *lab) { b.write(b.l.Board(), "{") }, "board-unreadable", Error, true},
		"a board of nothing":  {func(b *lab) { b.write(b.l.Board(), `{"states":[]}`) }, "board-unreadable", Error, true},
		"no journal":          {func(b *lab) { b.write(b.l.Claims(), "[{") }, "journal-unreadable", Error, false},
		"a nameless entry":    {func(b *lab) { b.write(b.l.Claims(), `[{"owner":"x"}]`) }, "journal-unreadable", Error, false},
		"no ledger":           {func(b *lab) { b.write(b.l.Retries(), "{}") }, "ledger-unreadable", Error, false},
		"no intent":           {func(b *lab) { b.write(b.l.Runtime(), "pau") }, "intent-unreadable", Error, true},
		"no run record":       {func(b *lab) { b.write(filepath.Join(b.l.Runs(), b.run, run.RecordFile), "{}") }, "run-unreadable", Warning, true},
		"a torn day":          {func(b *lab) { b.write(b.l.Spend()+"/"+spend.DayOf(time.Now())+".json", `{"day":`) }, "spend-unreadable", Error, true},
		"a cheap day":         {func(b *lab) { b.write(b.l.Spend()+"/2020-02-03.json", "{}") }, "spend-unreadable", Warning, true},
		"no cap":              {func(b *lab) { b.write(b.in("dispatcher.json"), "{") }, "cap-unreadable", Error, true},
	}
}

func claimBreakages() map[string]breakage {
	return map[string]breakage{
		"a person's claim over time": {func(b *lab) { b.claim(0, "bob", time.Nanosecond) }, "claim-expired", Note, true},
		"a dead daemon's claim":      {func(b *lab) { b.claim(0, "dispatcher:gone", time.Hour) }, "claim-owner-dead", Warning, true},
		"a dead daemon's claim beside a live one": {func(b *lab) {
			b.claim(0, "dispatcher:gone", time.Hour)
			b.journal(entry{IssueID: b.cards[0].ID, Marker: "dispatcher:gone", Owner: "gone", RunID: b.run})
			b.hold(b.l.DaemonLock())
		}, "claim-owner-dead", Warning, true},
		"a claim for the next daemon": {func(b *lab) {
			b.claim(0, "dispatcher:gone", time.Hour)
			b.journal(entry{IssueID: b.cards[0].ID, Marker: "dispatcher:gone", Owner: "gone", RunID: b.run})
		}, "claim-unsettled", Note, true},
		"a claim whose run goes on": {func(b *lab) {
			b.claim(0, "dispatcher:gone", time.Hour)
			b.journal(entry{IssueID: b.cards[0].ID, Marker: "dispatcher:gone", Owner: "gone", RunID: b.run})
			b.hold(filepath.Join(b.l.Runs(), b.run, run.LockFile))
		}, "claim-carried", Note, true},
		"an entry without claim": {func(b *lab) {
			b.journal(entry{IssueID: b.cards[0].ID, Marker: "dispatcher:gone", Owner: "gone", RunID: b.run})
		}, "journal-stale", Warning, false},
		"an entry of no card": {func(b *lab) {
			b.journal(entry{IssueID: "native:none", Marker: "dispatcher:gone", Owner: "gone"})
		}, "journal-stale", Warning, false},
	}
}

func leftBreakages() map[string]breakage {
	left := func(path func(*lab) string, text string) func(*lab) {
		return func(b *lab) { b.write(path(b), text); b.aged(path(b)) }
	}
	return map[string]breakage{
		"a temporary file": {left(func(b *lab) string { return b.in(".tmp-123") }, "half"), "temp-left", Note, false},
		"one among the cards": {left(func(b *lab) string { return filepath.Join(b.l.Issues(), ".tmp-1") }, "half"),
			"temp-left", Note, false},
		"one of a run": {left(func(b *lab) string { return filepath.Join(b.l.Runs(), b.run, ".tmp-1") }, "half"),
			"temp-left", Note, false},
		"a launch that died": {func(b *lab) {
			b.write(filepath.Join(b.l.Runs(), ".staging", "r-1", run.VarsFile), "{}")
			b.aged(filepath.Join(b.l.Runs(), ".staging", "r-1"))
		}, "run-staging-left", Note, false},
		"staged and never committed": {func(b *lab) { b.write(b.in(".staging/17-native__x"), "{}") }, "write-unfinished", Warning, false},
		"half of a staged file":      {func(b *lab) { b.write(b.in(".staging/.tmp-9"), "{") }, "write-unfinished", Warning, false},
		"committed and not placed": {func(b *lab) {
			i := board.Issue{ID: "native:late", Title: "x", State: "inbox", UpdatedAt: time.Now().UTC()}
			i.CreatedAt, i.StateAt = i.UpdatedAt, i.UpdatedAt
			data, err := board.EncodeIssue(i)
			b.check(err)
			line, err := board.EncodeEvent(board.Event{Seq: 5, Timestamp: i.UpdatedAt, Type: board.EventIssueCreated, IssueID: i.ID})
			b.check(err)
			b.write(b.in(".staging/5-native__late"), string(data))
			b.edit(b.l.Events(), add(string(line)+"\n"))
		}, "write-unfinished", Warning, false},
		"a verb of garbage":             {func(b *lab) { b.write(b.in(verbName), "?") }, "write-unfinished", Warning, false},
		"a verb that nobody understood": {func(b *lab) { b.write(b.in(verbName+".unreadable-1"), "?") }, "verb-set-aside", Warning, false},
		"a socket of nobody":            {func(b *lab) { b.write(b.l.Socket(), "") }, "socket-stale", Note, false},
		"a pointer to one":              {func(b *lab) { b.write(b.l.ControlPath(), "/tmp/x") }, "socket-stale", Note, false},
		"a socket that is open to all":  {func(b *lab) { b.listen(); b.hold(b.l.DaemonLock()) }, "perm-open", Warning, false},
		"a lock of a killed daemon": {func(b *lab) {
			b.write(filepath.Join(b.l.Owners(), "gone.lock"), "")
			b.aged(filepath.Join(b.l.Owners(), "gone.lock"))
		}, "owner-left", Note, false},
	}
}

func replace(old, by string) func(string) string {
	return func(s string) string { return strings.Replace(s, old, by, 1) }
}

func add(more string) func(string) string { return func(s string) string { return s + more } }

// listen puts an open socket where the daemon's would be. Its path is too long to
// be listened on in place.
func (b *lab) listen() {
	dir, err := os.MkdirTemp("", "s")
	b.check(err)
	b.t.Cleanup(func() { os.RemoveAll(dir) })
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unix"})
	b.check(err)
	b.t.Cleanup(func() { ln.Close() })
	b.check(os.Chmod(filepath.Join(dir, "s"), 0o666))
	b.check(os.Rename(filepath.Join(dir, "s"), b.l.Socket()))
}

// archive lets all but the last event leave the log.
func (b *lab) archive() {
	done, err := b.s.ArchiveEvents(b.t.Context(), time.Now().Add(time.Hour))
	b.check(err)
	if done.Events != 4 {
		b.t.Fatalf("archived %+v", done)
	}
}

// noLog takes the log away, and the note about it.
func (b *lab) noLog() {
	b.check(os.Remove(b.l.Events()))
	b.check(os.Remove(b.in(markName)))
}

// later moves a card's last change.
func (b *lab) later(path string, by time.Duration) {
	i, err := board.DecodeIssue([]byte(b.read(path)))
	b.check(err)
	i.UpdatedAt = i.UpdatedAt.Add(by)
	data, err := board.EncodeIssue(i)
	b.check(err)
	b.write(path, string(data))
}
