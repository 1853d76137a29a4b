package dispatch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"iterion/native/board"
	"iterion/native/board/boardtest"
	"iterion/native/run"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bed is the world that outlives dispatchers: a board, runs, and what daemons
// keep on disk.
type bed struct {
	t       testing.TB
	board   *boardtest.Memory
	runs    *fakeRuns
	bots    *fakeBots
	spaces  *fakeSpaces
	journal *memJournal
	ledger  *memLedger
	intent  *memIntent
	spend   *memSpend
	tracker Tracker
	cfg     Config
	made    int
}

// inBed runs a test with a fresh world in a bubble of its own.
func inBed(t *testing.T, test func(t *testing.T, b *bed)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newBed(t)) })
}

func newBed(t testing.TB) *bed {
	return &bed{
		t: t, board: boardtest.NewMemory(), runs: newFakeRuns(), bots: &fakeBots{},
		spaces: &fakeSpaces{}, journal: newMemJournal(), ledger: &memLedger{}, intent: &memIntent{}, spend: &memSpend{},
		cfg: Config{Bot: "hello"},
	}
}

// life is one dispatcher from its start to its end.
type life struct {
	*Dispatcher
	b     *bed
	owner string
	dead  atomic.Bool
	stop  context.CancelFunc
	ended chan struct{}
}

// start runs a dispatcher until the test ends, or until its stop or kill.
func (b *bed) start(faults ...string) *life {
	b.t.Helper()
	b.made++
	ctx, cancel := context.WithCancel(context.Background())
	l := &life{b: b, owner: fmt.Sprintf("owner-%d", b.made), stop: cancel, ended: make(chan struct{})}
	o := b.options(l.gate)
	o.Owner = l.owner
	o.Fault = func(point string) {
		if slices.Contains(faults, point) && l.dead.CompareAndSwap(false, true) {
			l.stop()
			runtime.Goexit() // the process died here
		}
	}
	l.Dispatcher = New(o)
	go func() {
		defer close(l.ended)
		_ = l.Run(ctx)
		b.journal.bury(l.owner)
	}()
	b.t.Cleanup(l.quit)
	return l
}

func (b *bed) options(gate func() error) Options {
	return Options{
		Board: mortalBoard{b.board, gate}, Runs: mortalRuns{b.runs, gate}, Bots: b.bots,
		Workspaces: b.spaces, Journal: mortalJournal{b.journal, gate}, Ledger: mortalLedger{b.ledger, gate},
		Intent: b.intent, Spend: b.spend, Tracker: b.tracker, Config: b.cfg,
	}
}

var errDead = errors.New("this process is dead")

func (l *life) gate() error {
	if l.dead.Load() {
		return errDead
	}
	return nil
}

// quit ends the dispatcher in good order and waits for it.
func (l *life) quit() {
	l.stop()
	<-l.ended
}

// kill ends it as kill -9 would: from now on nothing of it reaches the world.
func (l *life) kill() {
	l.dead.Store(true)
	l.quit()
}

// card files a card in ready and returns its id.
func (b *bed) card(edit ...func(*board.Issue)) string {
	b.t.Helper()
	draft := board.Issue{Title: fmt.Sprintf("card %d", b.made), State: board.StateReady}
	for _, e := range edit {
		e(&draft)
	}
	is, err := b.board.Create(b.t.Context(), draft, board.Cause{})
	b.ok(err)
	return is.ID
}

func (b *bed) get(id string) board.Issue {
	b.t.Helper()
	is, err := b.board.Get(b.t.Context(), id)
	b.ok(err)
	return is
}

func (b *bed) move(id, to string, by board.Cause) {
	b.t.Helper()
	_, err := b.board.Move(b.t.Context(), id, to, by)
	b.ok(err)
}

func (b *bed) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// look lets the dispatcher see a change and lets everything come to rest.
func (l *life) look() {
	l.b.t.Helper()
	l.Refresh()
	synctest.Wait()
}

func (l *life) later(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// settledIn fails unless the card is unclaimed in a column and nothing of it is
// left with a dispatcher.
func (b *bed) settledIn(id, state string) {
	b.t.Helper()
	is := b.get(id)
	if is.State != state || is.Claim != "" {
		b.t.Fatalf("card is in %s, claimed by %q; want it unclaimed in %s", is.State, is.Claim, state)
	}
	if e, ok := b.journal.entry(id); ok {
		b.t.Fatalf("the journal still holds %+v", e)
	}
}

func (b *bed) launches(id string, want int) {
	b.t.Helper()
	if got := b.runs.launched(id); len(got) != want {
		b.t.Fatalf("card was launched %d times (%v), want %d", len(got), got, want)
	}
}

// queued returns the guard that keeps a card waiting, or "".
func (l *life) queued(id string) string {
	for _, q := range l.Snapshot().Queue {
		if q.IssueID == id {
			return q.Guard
		}
	}
	return ""
}

func (l *life) refusedBy(id, guard string) {
	l.b.t.Helper()
	if got := l.queued(id); got != guard {
		l.b.t.Fatalf("card waits because of %q, want %q; queue %+v", got, guard, l.Snapshot().Queue)
	}
	verdicts, err := l.Why(l.b.t.Context(), id)
	l.b.ok(err)
	for _, v := range verdicts {
		if v.Answer == AnswerSkip || v.Answer == AnswerStop {
			if v.Guard != guard {
				l.b.t.Fatalf("why names %q first, want %q", v.Guard, guard)
			}
			return
		}
	}
	l.b.t.Fatalf("why lets the card pass, want %q", guard)
}

// script says what becomes of a launch: after a while the record is edited.
type script struct {
	after time.Duration // < 0: never by itself
	end   func(*run.Record)
}

func finishes(after time.Duration) script {
	return script{after, func(r *run.Record) { r.Status = run.Finished }}
}

func fails(after time.Duration, code string) script {
	return script{after, func(r *run.Record) { r.Status, r.FailureCode, r.Error = run.Failed, code, "it broke" }}
}

func becomes(s run.Status) script {
	return script{time.Second, func(r *run.Record) { r.Status = s }}
}

var never = script{after: -1}

// byHand is the id of a run that a person started.
const byHand = "by-hand"

// fakeRuns are runs with scripted bots. They outlive dispatchers.
type fakeRuns struct {
	mu       sync.Mutex
	runs     map[string]*fakeRun
	order    []string
	plan     func(l Launch) script
	refuse   func(l Launch) error
	inspect  func(id string) error
	onStop   func(id string) error
	doubled  []string // cards that had a second live run: I3 broken
	launches []Launch
	goOn     func(r Resume) script
	resumes  []Resume

	refuseResume func(r Resume) error
}

type fakeRun struct {
	view    RunView
	changed chan struct{}
	goings  int // how often it went on
}

func newFakeRuns() *fakeRuns {
	return &fakeRuns{
		runs: map[string]*fakeRun{},
		plan: func(Launch) script { return finishes(time.Second) },
		goOn: func(Resume) script { return finishes(time.Second) },
	}
}

func (f *fakeRuns) Launch(_ context.Context, l Launch) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refuse != nil {
		if err := f.refuse(l); err != nil {
			return err
		}
	}
	if f.runs[l.RunID] != nil {
		return fmt.Errorf("run %s: %w", l.RunID, run.ErrExists)
	}
	for _, r := range f.runs {
		if r.view.Record.Source.IssueID == l.Issue.ID && !r.view.Record.Status.Final() {
			f.doubled = append(f.doubled, l.Issue.ID)
		}
	}
	kind := run.SourceIssue
	if l.RunID == byHand {
		kind = run.SourceManual
	}
	f.launches = append(f.launches, l)
	f.order = append(f.order, l.RunID)
	f.runs[l.RunID] = &fakeRun{changed: make(chan struct{}), view: RunView{Supervised: true, Record: run.Record{
		ID: l.RunID, Bot: l.Bot.Slug, Status: run.Running, Attempt: l.Attempt, Workdir: l.Workdir, Inputs: l.Inputs,
		Source:    run.Source{Kind: kind, IssueID: l.Issue.ID},
		CreatedAt: time.Now(), StartedAt: time.Now(),
	}}}
	f.play(l.RunID, f.plan(l))
	return nil
}

// edit changes a record that is not final.
func (f *fakeRuns) edit(id string, change func(*run.Record)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.runs[id]
	if r == nil || r.view.Record.Status.Final() {
		return
	}
	change(&r.view.Record)
	if r.view.Record.Status.Final() {
		r.view.Supervised, r.view.Record.FinishedAt = false, time.Now()
		r.view.Record.OutcomeSeq++
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

func (f *fakeRuns) look(id string) (RunView, <-chan struct{}, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.inspect != nil {
		if err := f.inspect(id); err != nil {
			return RunView{}, nil, err
		}
	}
	r := f.runs[id]
	if r == nil {
		return RunView{}, nil, fmt.Errorf("run %s: %w", id, ErrRunGone)
	}
	return r.view, r.changed, nil
}

func (f *fakeRuns) Await(ctx context.Context, id string) (RunView, error) {
	for {
		v, changed, err := f.look(id)
		if err != nil || v.Record.Status.Final() || v.Record.Status.Paused() {
			return v, err
		}
		if !v.Supervised {
			f.edit(id, func(r *run.Record) { r.Status, r.FailureCode = run.FailedResumable, run.CodeProcessOrphaned })
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return RunView{}, ctx.Err()
		}
	}
}

func (f *fakeRuns) Inspect(_ context.Context, id string) (RunView, error) {
	v, _, err := f.look(id)
	return v, err
}

func (f *fakeRuns) LiveWithoutCard(context.Context) ([]RunView, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var live []RunView
	for _, id := range f.order {
		if v := f.runs[id].view; v.Record.Source.Kind == run.SourceSchedule && !v.Record.Status.Final() {
			live = append(live, v)
		}
	}
	return live, nil
}

func (f *fakeRuns) LiveByIssue(_ context.Context, issueID string) ([]RunView, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var live []RunView
	for _, id := range f.order {
		if v := f.runs[id].view; v.Record.Source.IssueID == issueID && !v.Record.Status.Final() {
			live = append(live, v)
		}
	}
	return live, nil
}

// Resume goes on with a run; what becomes of it is planned like a launch.
func (f *fakeRuns) Resume(_ context.Context, r Resume) error {
	if f.refuseResume != nil { // it may take its time
		if err := f.refuseResume(r); err != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	of := f.runs[r.RunID]
	if of == nil {
		return fmt.Errorf("run %s: %w", r.RunID, ErrRunGone)
	}
	if err := resumable(of.view); err != nil {
		return err
	}
	rec := &of.view.Record
	for id, other := range f.runs {
		if id != r.RunID && rec.Source.IssueID != "" && other.view.Record.Source.IssueID == rec.Source.IssueID && !other.view.Record.Status.Final() {
			f.doubled = append(f.doubled, rec.Source.IssueID)
		}
	}
	rec.Status, rec.FailureCode, rec.PauseReason, rec.Awaiting, rec.Error, rec.FinishedAt = run.Running, "", "", nil, "", time.Time{}
	if r.Attempt > 0 {
		rec.Attempt = r.Attempt
	}
	of.view.Supervised, of.view.Answered, of.view.By, of.view.Note = true, false, "", ""
	of.goings++
	f.resumes = append(f.resumes, r)
	f.play(r.RunID, f.goOn(r))
	return nil
}

// play carries a script out, unless the run has moved on by then.
func (f *fakeRuns) play(id string, s script) {
	if s.after >= 0 {
		began := f.runs[id].goings
		time.AfterFunc(s.after, func() {
			if f.goingsOf(id) == began && !f.view(id).Record.Status.Paused() {
				f.edit(id, s.end)
			}
		})
	}
}

// goingsOf tells the goings-on of one run apart.
func (f *fakeRuns) goingsOf(id string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.runs[id].goings
}

// answer gives a run that asked its answers.
func (f *fakeRuns) answer(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.runs[id].view.Answered = true
}

// resumed returns the resumes so far.
func (f *fakeRuns) resumed() []Resume {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.resumes)
}

func (f *fakeRuns) Stop(_ context.Context, id, verb, by, note string) error {
	if f.onStop != nil {
		if err := f.onStop(id); err != nil {
			return err
		}
	}
	f.mu.Lock()
	if r := f.runs[id]; r != nil {
		r.view.By, r.view.Note = by, note
	}
	f.mu.Unlock()
	time.AfterFunc(100*time.Millisecond, func() {
		f.edit(id, func(r *run.Record) {
			if verb == run.VerbPause {
				r.Status, r.PauseReason = run.PausedOperator, note
				return
			}
			r.Status = run.Cancelled
			if verb == run.VerbStop {
				r.Status, r.FailureCode, r.Error = run.Failed, run.CodeInterrupted, note
			}
		})
	})
	return nil
}

// set changes what the next launches and looks do.
func (f *fakeRuns) set(change func(*fakeRuns)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

// all returns the launches so far.
func (f *fakeRuns) all() []Launch {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.launches)
}

func (f *fakeRuns) view(id string) RunView {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.runs[id].view
}

// launched returns the run ids of a card, in order.
func (f *fakeRuns) launched(issueID string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ids []string
	for _, l := range f.launches {
		if l.Issue.ID == issueID {
			ids = append(ids, l.RunID)
		}
	}
	return ids
}

// orphan takes a live run's supervisor away.
func (f *fakeRuns) orphan(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.runs[id].view.Supervised = false
}

type fakeBots struct {
	dispatchVars map[string]string
	resume       bool
	retry        QuotaRetry
}

func (f *fakeBots) Resolve(_ context.Context, slug string) (Bot, error) {
	if slug == "nobody" {
		return Bot{}, errors.New("no bot of that name")
	}
	return Bot{Slug: slug, DispatchVars: f.dispatchVars, Resume: f.resume, Retry: f.retry}, nil
}

type fakeSpaces struct {
	mu       sync.Mutex
	fail     error
	of       func(issueID string) error
	returned []string
	anew     bool // the folder is not the one of the last run
}

func (f *fakeSpaces) Prepare(_ context.Context, is board.Issue, _ string, again bool) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if again && f.anew {
		return "", fmt.Errorf("the folder was made anew: %w", ErrNotResumable)
	}
	if f.of != nil {
		if err := f.of(is.ID); err != nil {
			return "", err
		}
	}
	return "/work/" + is.ID, f.fail
}

func (f *fakeSpaces) Returned(_ context.Context, _ board.Issue, runID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.returned = append(f.returned, runID)
}

func (f *fakeSpaces) Release(context.Context, board.Issue, string, bool, bool) error { return nil }

func (f *fakeSpaces) breakWith(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail = err
}

// memJournal keeps one entry by card, owner and marker.
type memJournal struct {
	mu      sync.Mutex
	entries []JournalEntry
	dead    map[string]bool
}

func newMemJournal() *memJournal { return &memJournal{dead: map[string]bool{}} }

func (j *memJournal) bury(owner string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.dead[owner] = true
}

// entry returns the newest entry of a card, whoever's.
func (j *memJournal) entry(id string) (JournalEntry, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range slices.Backward(j.entries) {
		if e.IssueID == id {
			return e, true
		}
	}
	return JournalEntry{}, false
}

func (j *memJournal) Put(_ context.Context, e JournalEntry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.drop(e.IssueID, e.Owner, e.Marker)
	j.entries = append(j.entries, e)
	return nil
}

func (j *memJournal) drop(id, owner, marker string) {
	j.entries = slices.DeleteFunc(j.entries, func(e JournalEntry) bool {
		return e.IssueID == id && e.Owner == owner && e.Marker == marker
	})
}

func (j *memJournal) Remove(_ context.Context, id, owner, marker string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.drop(id, owner, marker)
	return nil
}

func (j *memJournal) Entries(context.Context) ([]JournalEntry, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.entries), nil
}

func (j *memJournal) Adopt(_ context.Context, owner string) ([]JournalEntry, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var adopted []JournalEntry
	busy := map[string]bool{}
	for _, e := range j.entries {
		busy[e.IssueID] = busy[e.IssueID] || e.Owner == owner
	}
	for i, e := range j.entries {
		if j.dead[e.Owner] && !busy[e.IssueID] {
			j.entries[i].Owner = owner
		}
		if j.entries[i].Owner == owner {
			adopted = append(adopted, j.entries[i])
		}
	}
	return adopted, nil
}

type memLedger struct {
	mu      sync.Mutex
	entries map[string]RetryEntry
}

func (l *memLedger) Load(context.Context) (map[string]RetryEntry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]RetryEntry{}
	maps.Copy(out, l.entries)
	return out, nil
}

func (l *memLedger) Save(_ context.Context, entries map[string]RetryEntry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.entries == nil {
		l.entries = map[string]RetryEntry{}
	}
	for id, e := range entries {
		if l.entries[id] = e; e == (RetryEntry{}) {
			delete(l.entries, id)
		}
	}
	return nil
}

func (l *memLedger) of(id string) RetryEntry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.entries[id]
}

// memSpend is a day's ledger that a test writes.
type memSpend struct {
	mu  sync.Mutex
	now Spending
	err error
}

func (m *memSpend) Status(context.Context) (Spending, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now, m.err
}

func (m *memSpend) set(s Spending, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now, m.err = s, err
}

type memIntent struct {
	mu   sync.Mutex
	want Desired
	fail error
}

func (i *memIntent) Load(context.Context) (Desired, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.want, nil
}

func (i *memIntent) Save(_ context.Context, d Desired) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.fail == nil {
		i.want = d
	}
	return i.fail
}
