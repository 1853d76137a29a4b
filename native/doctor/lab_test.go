package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"iterion/native"
	"iterion/native/board"
	"iterion/native/filelock"
	"iterion/native/run"
)

// lab is a small store to break, with cards in several columns, a run and the
// traces of ordinary use.
type lab struct {
	t     testing.TB
	l     native.Layout
	s     *native.Store
	cards []board.Issue
	run   string
	now   time.Time // zero: the present
	host  Host
}

func newLab(t testing.TB) *lab {
	t.Helper()
	b := &lab{t: t, l: native.Layout{Root: filepath.Join(t.TempDir(), native.DirName)}}
	b.host = Host{UID: os.Geteuid(), Owner: os.Geteuid()}
	b.host.Name, _ = os.Hostname()
	_, err := native.Init(b.l.Root, board.DefaultSchema(), false)
	b.check(err)
	b.s, err = native.Open(b.l, native.Options{NoFsync: true})
	b.check(err)
	for n, state := range []string{"inbox", "backlog", "review", "backlog"} {
		i, err := b.s.Create(t.Context(), board.Issue{Title: fmt.Sprint("card ", n), State: state}, board.Cause{Actor: "alice"})
		b.check(err)
		b.cards = append(b.cards, i)
	}
	b.claim(3, "alice", time.Hour)
	b.addRun()
	return b
}

func (b *lab) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *lab) claim(n int, marker string, lease time.Duration) {
	b.t.Helper()
	_, err := b.s.Claim(b.t.Context(), b.cards[n].ID, marker, lease, board.Cause{})
	b.check(err)
}

func (b *lab) addRun() {
	b.t.Helper()
	b.run = run.NewID()
	rec := run.Record{ID: b.run, Bot: "shell", Status: run.Finished, CreatedAt: time.Now().UTC()}
	lock, err := run.Open(b.l.Runs(), run.Options{NoFsync: true}).Create(b.t.Context(), rec, map[string][]byte{run.VarsFile: []byte("{}")})
	b.check(err)
	b.check(lock.Release())
}

func (b *lab) card(n int) string { return b.l.IssueFile(b.cards[n].ID) }

func (b *lab) in(name string) string { return filepath.Join(b.l.Dispatcher(), name) }

func (b *lab) write(path, text string) {
	b.t.Helper()
	b.check(os.MkdirAll(filepath.Dir(path), 0o700))
	b.check(os.WriteFile(path, []byte(text), 0o600))
}

// append adds to a file in one write, as a process does that dies behind it.
func (b *lab) append(path, text string) {
	b.t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	b.check(err)
	_, err = f.WriteString(text)
	b.check(errors.Join(err, f.Close()))
}

func (b *lab) read(path string) string {
	b.t.Helper()
	data, err := os.ReadFile(path)
	b.check(err)
	return string(data)
}

// edit changes a file behind the store's back.
func (b *lab) edit(path string, change func(string) string) {
	b.t.Helper()
	b.write(path, change(b.read(path)))
}

// lines edits the log by its lines.
func (b *lab) lines(change func([]string) []string) {
	b.edit(b.l.Events(), func(s string) string { return strings.Join(change(strings.SplitAfter(s, "\n")), "") })
}

// aged makes a file one that no writer is at any more.
func (b *lab) aged(path string) {
	b.t.Helper()
	past := time.Now().Add(-time.Hour)
	b.check(os.Chtimes(path, past, past))
}

// journal writes a claim journal.
func (b *lab) journal(entries ...entry) {
	b.t.Helper()
	data, err := json.Marshal(entries)
	b.check(err)
	b.write(b.l.Claims(), string(data))
}

// index lets the store make its index, which waits for cards that have not
// changed for a moment.
func (b *lab) index() {
	b.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !present(b.l.Index()); time.Sleep(5 * time.Millisecond) {
		_, err := b.s.List(b.t.Context(), board.Query{})
		b.check(err)
		if time.Now().After(deadline) {
			b.t.Fatal("the store makes no index")
		}
	}
}

// hold takes a lock until the test ends.
func (b *lab) hold(path string) {
	b.t.Helper()
	b.check(os.MkdirAll(filepath.Dir(path), 0o700))
	lock, err := filelock.TryAcquire(path)
	b.check(err)
	b.t.Cleanup(func() { lock.Release() })
}

func (b *lab) options() Options {
	return Options{Layout: b.l, Now: b.now, Host: &b.host, NoFsync: true}
}

func (b *lab) examine() Report {
	b.t.Helper()
	rep, err := Examine(b.t.Context(), b.options())
	b.check(err)
	return rep
}

func (b *lab) fix(rep Report) Mending {
	b.t.Helper()
	m, err := Fix(b.t.Context(), b.options(), rep)
	b.check(err)
	return m
}

// ids are the checks that found something.
func ids(rep Report) []string {
	var all []string
	for _, f := range rep.Findings {
		if !slices.Contains(all, f.ID) {
			all = append(all, f.ID)
		}
	}
	return all
}

// contents returns every text that the store's files hold.
func (b *lab) contents() map[string]string {
	b.t.Helper()
	all := map[string]string{}
	b.check(filepath.WalkDir(b.l.Root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.HasSuffix(d.Name(), "lock") && d.Name() != markName && path != b.l.Index() {
			all[b.read(path)] = path
		}
		return err
	}))
	return all
}
