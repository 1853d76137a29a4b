package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"iterion/native"
	"iterion/native/board"
	"iterion/native/storetest"
)

const (
	tortureKills = 500 // what a torture without -torture ends at
	tortureSlots = 6   // processes at a time
	tortureRound = 125 // kills between two looks at the store
)

// Many processes write one board, through the store and through the command
// line, and are killed at random instants. Whatever the instants were: after one
// more command the files tell one whole story, and it holds every write that was
// acknowledged, and none that was refused.
func TestI1_I2_I4_I5_BoardTortureByKill(t *testing.T) {
	bt := &boardTorture{w: newWorld(t), rand: torment(t), said: map[string]*witness{}}
	bt.store = filepath.Join(bt.w.dir, native.DirName)
	began := time.Now()
	for more := true; more && !t.Failed(); {
		bt.round()
		bt.check()
		more = bt.killed < tortureKills
		if *tortureFor > 0 {
			more = time.Since(began) < *tortureFor
		}
	}
	t.Logf("%d processes, %d of them killed; %d writes acknowledged, %d refused; %s",
		len(bt.said), bt.killed, bt.count("did"), bt.count("no"), bt.summary)
}

type boardTorture struct {
	w     *world
	store string

	mu     sync.Mutex
	rand   *rand.Rand
	said   map[string]*witness // by the name of the process
	killed int

	summary string
}

// witness is what one process said of its verbs, in their order.
type witness struct {
	verbs []verbSaid
}

type verbSaid struct {
	word, id string
	priority int
}

// dice makes a source of choices for one process, and its name.
func (bt *boardTorture) dice(kind string) (string, *rand.Rand) {
	bt.mu.Lock()
	defer bt.mu.Unlock()
	name := fmt.Sprint(kind, len(bt.said))
	bt.said[name] = &witness{}
	return name, rand.New(rand.NewPCG(bt.rand.Uint64(), 3))
}

func (bt *boardTorture) keep(name string, verbs []verbSaid, killed bool) {
	bt.mu.Lock()
	defer bt.mu.Unlock()
	bt.said[name].verbs = verbs
	if killed {
		bt.killed++
	}
}

func (bt *boardTorture) kills() int {
	bt.mu.Lock()
	defer bt.mu.Unlock()
	return bt.killed
}

// round lets processes write and die until enough of them are dead.
func (bt *boardTorture) round() {
	until := bt.kills() + tortureRound
	var all sync.WaitGroup
	for range tortureSlots {
		all.Go(func() {
			for n := 0; bt.kills() < until && !bt.w.t.Failed(); n++ {
				switch {
				case n%12 == 7:
					bt.archive()
				case n%3 == 2:
					bt.command()
				default:
					bt.writer()
				}
			}
		})
	}
	all.Wait()
}

// writer kills a writer a moment after its first word, or while it begins.
func (bt *boardTorture) writer() {
	name, r := bt.dice("w")
	cmd := bt.w.command()
	path, err := exec.LookPath("boardwriter")
	if err != nil {
		bt.w.t.Error(err)
		return
	}
	cmd.Path, cmd.Args = path, []string{"boardwriter", bt.store, name, fmt.Sprint(r.Uint64())}
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if err := errors.Join(errIn, errOut, cmd.Start()); err != nil {
		bt.w.t.Error(err)
		return
	}
	defer in.Close()
	lines := bufio.NewReader(out)
	var first string
	if r.IntN(8) > 0 {
		first, _ = lines.ReadString('\n')
	}
	most := 40 * time.Millisecond
	if r.IntN(6) == 0 {
		most = 600 * time.Millisecond
	}
	time.Sleep(rand.N(most)) // the instant of death is the point
	_ = cmd.Process.Kill()
	rest, _ := io.ReadAll(lines)
	_ = cmd.Wait()
	bt.keep(name, bt.parse(first+string(rest)), killed(cmd))
}

func killed(cmd *exec.Cmd) bool {
	ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && ws.Signaled() && ws.Signal() == syscall.SIGKILL
}

// parse reads what a writer said. A line that its death cut off says nothing.
func (bt *boardTorture) parse(out string) []verbSaid {
	var verbs []verbSaid
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if !strings.HasSuffix(line, "\n") || len(f) < 3 {
			break
		}
		v := verbSaid{word: f[0], id: f[2]}
		if v.word == "bad" {
			bt.w.t.Errorf("a writer said: %s", line)
		}
		if v.word == "did" && len(f) > 3 {
			v.priority, _ = strconv.Atoi(f[3])
		}
		verbs = append(verbs, v)
	}
	return verbs
}

// command calls the program for one verb, and every second time kills it, if it
// is still there at an instant of the time that such a call takes.
func (bt *boardTorture) command() {
	name, r := bt.dice("c")
	args, sure, priority := bt.commandLine(r)
	cmd := bt.w.command(args...)
	cmd.Env = append(cmd.Env, "USER="+name+".0")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		bt.w.t.Error(err)
		return
	}
	if r.IntN(2) == 0 {
		time.Sleep(rand.N(100 * time.Millisecond))
		_ = cmd.Process.Kill()
	}
	_ = cmd.Wait()
	if killed(cmd) {
		bt.keep(name, nil, true)
		return
	}
	v := verbSaid{word: "may", id: args[len(args)-1], priority: priority}
	switch code := cmd.ProcessState.ExitCode(); {
	case code == 0 && sure:
		v.word = "did"
	case code == 1 || code > 4:
		bt.w.t.Errorf("iterion %v: exit %d: %s", args, code, &errs)
	case code != 0 && !severalCards(args):
		v.word = "no"
	}
	bt.keep(name, []verbSaid{v}, false)
}

// archive lets the log's events go into an archive, and every second time kills
// that.
func (bt *boardTorture) archive() {
	name, r := bt.dice("a")
	cmd := bt.w.command("doctor", "--archive-events", "--before", "0s", "-q")
	if err := cmd.Start(); err != nil {
		bt.w.t.Error(err)
		return
	}
	if r.IntN(2) == 0 {
		time.Sleep(rand.N(150 * time.Millisecond))
		_ = cmd.Process.Kill()
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code > 4 {
		bt.w.t.Errorf("archiving ended with %d", code)
	}
	bt.keep(name, nil, killed(cmd))
}

// severalCards reports that the call may have moved one card and not the other.
func severalCards(args []string) bool {
	n := len(args)
	return strings.Contains(args[n-2], "native:") && strings.Contains(args[n-1], "native:")
}

// commandLine is a random call; sure says that it writes something when it does
// not fail.
func (bt *boardTorture) commandLine(r *rand.Rand) (args []string, sure bool, priority int) {
	pick := func(of []string) string { return of[r.IntN(len(of))] }
	cards, _ := filepath.Glob(filepath.Join(bt.store, "dispatcher", "issues", "*.json"))
	if len(cards) < 4 {
		return []string{"issue", "create", "--title", "by hand"}, true, 0
	}
	id := func() string {
		return strings.ReplaceAll(strings.TrimSuffix(filepath.Base(pick(cards)), ".json"), "__", ":")
	}
	priority = 1 + r.IntN(1<<40)
	lines := []struct {
		sure bool
		args []string
	}{
		{true, []string{"create", "--title", "by hand", "--state", "waiting_deps", "--blocker", id(), "--blocker", id()}},
		{false, []string{"move", "--to", pick(board.DefaultSchema().StateNames()), id(), id()}},
		{false, []string{"close", id()}},
		{false, []string{"close", id(), id()}},
		{true, []string{"reopen", id()}},
		{true, []string{"delete", "--yes", id()}},
		{false, []string{"update", "--add-label", pick(vocabulary), "--remove-label", pick(vocabulary), id()}},
		{true, []string{"update", "--priority", fmt.Sprint(priority), id()}},
		{true, []string{"comment", "--body", "by hand", id()}},
		{true, []string{"claim", id()}},
		{false, []string{"release", "--force", id()}},
		{true, []string{"label", "merge", pick(vocabulary), pick(vocabulary)}},
	}
	n := r.IntN(len(lines))
	if lines[n].args[0] != "update" || !lines[n].sure {
		priority = 0
	}
	args = append([]string{"issue"}, lines[n].args...)
	if r.IntN(4) > 0 {
		args = append([]string{"--no-fsync"}, args...)
	}
	return args, lines[n].sure, priority
}

// check writes once more, as the next command, and judges the store.
func (bt *boardTorture) check() {
	t := bt.w.t
	t.Helper()
	bt.w.ok("issue", "create", "--title", "the next command")
	r := storetest.Whole(t, filepath.Join(bt.store, "dispatcher"), storetest.Options{})
	if len(r.Aside) > 0 || r.Torn > bt.killed {
		t.Errorf("the store moved aside %v and closed off %d torn lines", r.Aside, r.Torn)
	}
	bt.checkSaid(r)
	bt.checkSigned(r)
	bt.checkPriorities(r)
	archives, err := native.Layout{Root: bt.store}.Archives()
	if err != nil || len(archives) == 0 {
		t.Errorf("%d archives, %v", len(archives), err)
	}
	bt.summary = fmt.Sprintf("%d events, %d archives, %d cards, %d torn lines", len(r.Events), len(archives), len(r.Cards), r.Torn)
}

// checkSaid: what was acknowledged is in the log, what was refused is not.
func (bt *boardTorture) checkSaid(r storetest.Report) {
	signed := map[string][]storetest.Event{}
	for _, e := range r.Events {
		signed[e.Payload.ByActor] = append(signed[e.Payload.ByActor], e)
	}
	for name, w := range bt.said {
		for n, v := range w.verbs {
			token := fmt.Sprintf("%s.%d", name, n)
			events := signed[token]
			switch {
			case v.word == "did" && len(events) == 0:
				bt.w.t.Errorf("%s was acknowledged for %s and left nothing", token, v.id)
			case v.word == "no" && len(events) > 0:
				bt.w.t.Errorf("%s was refused for %s and left event %d", token, v.id, *events[0].Seq)
			}
		}
	}
}

// checkSigned: the events of one verb stand together, and a process that died
// left at most one verb that it had not told of.
func (bt *boardTorture) checkSigned(r storetest.Report) {
	seen := map[string]bool{}
	last := ""
	for _, e := range r.Events {
		token := e.Payload.ByActor
		if token == last || token == "tester" {
			last = token
			continue
		}
		if seen[token] {
			bt.w.t.Errorf("event %d: the events of %s stand apart", *e.Seq, token)
		}
		seen[token], last = true, token
		name, num, _ := strings.Cut(token, ".")
		n, err := strconv.Atoi(num)
		if w := bt.said[name]; err != nil || w == nil || n > len(w.verbs) {
			bt.w.t.Errorf("event %d is signed %q, which nobody has come to", *e.Seq, token)
		}
	}
}

// checkPriorities: the last of the writes to one value is what the card says. A
// write made from an old copy of the card would have undone it.
func (bt *boardTorture) checkPriorities(r storetest.Report) {
	last := map[string]string{}
	for _, e := range r.Events {
		if e.Type == string(board.EventIssueUpdated) && slices.Contains(e.Payload.Changed, "priority") {
			last[e.IssueID] = e.Payload.ByActor
		}
	}
	for id, card := range r.Cards {
		name, num, ok := strings.Cut(last[id], ".")
		n, err := strconv.Atoi(num)
		if !ok || err != nil || n >= len(bt.said[name].verbs) {
			continue // nobody said what it would be
		}
		if want := bt.said[name].verbs[n].priority; card.Priority != want {
			bt.w.t.Errorf("%s has priority %d; %s was acknowledged with %d", id, card.Priority, last[id], want)
		}
	}
}

func (bt *boardTorture) count(word string) int {
	n := 0
	for _, w := range bt.said {
		for _, v := range w.verbs {
			if v.word == word {
				n++
			}
		}
	}
	return n
}
