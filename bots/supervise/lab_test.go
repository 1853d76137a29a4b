package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"iterion/bots"
	"iterion/native/proctree"
	"iterion/native/run"
)

// The test binary is its own supervisor, a launcher inside a bot, and one that is
// killed.
func TestMain(m *testing.M) {
	engines[fakeProtocol] = newFake
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case Command:
			os.Exit(Main(os.Args[2:]))
		case "launch-nested":
			os.Exit(launchNested(os.Args[2:]))
		case "resume-and-die":
			os.Exit(resumeAndDie(os.Args[2:]))
		}
	}
	goleak.VerifyTestMain(m)
}

// lab is a store with bots to try.
type lab struct {
	*testing.T
	root string
	runs *run.Dir
	l    *Launcher
	made int
	up   []*Process
}

func newLab(t *testing.T) *lab {
	t.Helper()
	root := t.TempDir()
	runs := run.Open(filepath.Join(root, "runs"), run.Options{NoFsync: true})
	lab := &lab{T: t, root: root, runs: runs,
		l: &Launcher{Runs: runs, StoreDir: root, NoFsync: true, Grace: 300 * time.Millisecond}}
	t.Cleanup(lab.stopAll)
	return lab
}

// stopAll leaves no process behind, whatever the test did.
func (b *lab) stopAll() {
	ids, _ := b.runs.IDs()
	for _, id := range ids {
		_ = RequestStop(b.runs, id, run.Intent{Verb: run.VerbStop, By: "test"})
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		_, _ = Await(ctx, b.runs, id)
		cancel()
		if left := b.processes(id); len(left) > 0 {
			b.Errorf("run %s left processes %v", id, left)
		}
	}
	for _, p := range b.up { // a little after the final record
		<-p.Done()
	}
}

// processes returns those that carry the run's id in their environment.
func (b *lab) processes(id string) []proctree.Process {
	left, err := proctree.Orphans(proctree.ByEnviron("ITERION_RUN_ID", id), apart)
	if err != nil {
		b.Error(err)
	}
	return left
}

// bot makes a bundle of a shell script. more are further lines of its run block.
func (b *lab) bot(script string, more ...string) bots.Bot {
	b.Helper()
	b.made++
	name := fmt.Sprintf("bot%d", b.made)
	lines := append([]string{"script: |"}, indent(script)...)
	lines = append(lines, more...)
	return b.bundle(name, strings.Join(lines, "\n"))
}

func indent(script string) []string {
	var out []string
	for line := range strings.Lines(script) {
		out = append(out, "  "+strings.TrimRight(line, "\n"))
	}
	return out
}

// bundle makes one with the given run block.
func (b *lab) bundle(name, block string) bots.Bot {
	b.Helper()
	dir := filepath.Join(b.root, "bots", name)
	text := "schema_version: 1\nname: " + name + "\nversion: 1.2.3\n"
	if block != "" {
		text += "run:\n" + strings.Join(indent(block), "\n") + "\n"
	}
	b.must(os.MkdirAll(dir, 0o700))
	b.must(os.WriteFile(filepath.Join(dir, "manifest.yaml"), []byte(text), 0o600))
	bot, err := bots.Load(dir)
	b.must(err)
	return bot
}

func (b *lab) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// start launches a run and returns its id.
func (b *lab) start(bot bots.Bot, tune ...func(*Spec)) string {
	b.Helper()
	id, _ := b.launch(bot, tune...)
	return id
}

func (b *lab) launch(bot bots.Bot, tune ...func(*Spec)) (string, *Process) {
	b.Helper()
	s := Spec{RunID: run.NewID(), Bot: bot, Source: run.Source{Kind: run.SourceManual}, Attempt: 1}
	for _, f := range tune {
		f(&s)
	}
	p, err := b.l.Start(context.Background(), s)
	b.must(err)
	b.up = append(b.up, p)
	return s.RunID, p
}

// resume goes on with a run.
func (b *lab) resume(id string, tune ...func(*Continue)) *Process {
	b.Helper()
	c := Continue{RunID: id, By: "ana"}
	for _, f := range tune {
		f(&c)
	}
	p, err := b.l.Resume(context.Background(), c)
	b.must(err)
	b.up = append(b.up, p)
	return p
}

// refuses wants a resume to be refused with an error that is.
func (b *lab) refuses(id string, want error) {
	b.Helper()
	if _, err := b.l.Resume(context.Background(), Continue{RunID: id}); !errors.Is(err, want) {
		b.Errorf("resume: %v, want %v", err, want)
	}
}

func (b *lab) await(id string) run.Record {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	rec, err := Await(ctx, b.runs, id)
	b.must(err)
	return rec
}

// end launches a run and waits for its end.
func (b *lab) end(bot bots.Bot, tune ...func(*Spec)) run.Record {
	b.Helper()
	return b.await(b.start(bot, tune...))
}

func (b *lab) log(id string) string {
	b.Helper()
	data, err := os.ReadFile(b.runs.LogPath(id))
	b.must(err)
	return string(data)
}

func (b *lab) path(name string) string { return filepath.Join(b.root, name) }

// eventually polls until ok holds.
func (b *lab) eventually(what string, ok func() bool) {
	b.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			b.Fatalf("%s: not within 30 s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (b *lab) exists(name string) func() bool {
	return func() bool { _, err := os.Stat(b.path(name)); return err == nil }
}

func (b *lab) want(rec run.Record, status run.Status, code string) {
	b.Helper()
	if rec.Status != status || rec.FailureCode != code {
		b.Errorf("run is %s with code %q (%s), want %s with code %q", rec.Status, rec.FailureCode, rec.Error, status, code)
	}
}
