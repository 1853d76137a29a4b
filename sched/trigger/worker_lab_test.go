package trigger_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"iterion/native/board"
	"iterion/native/board/boardtest"
	"iterion/sched/trigger"
)

// lab is a worker with a world in memory around it. Everything that a worker does to
// the world goes through step, which may let it die there.
type lab struct {
	t     *testing.T
	box   *trigger.Memory
	board *boardtest.Memory

	mu       sync.Mutex
	subs     map[string]trigger.Subscription
	subsErr  error
	made     map[string]int // runs by id: how often they were made
	launched map[string]trigger.Launch
	slots    map[string]bool // runs that have one
	free     int             // slots
	held     string          // why nothing may start
	atOnce   int             // launches at this moment
	most     int
	verdicts []string
	nudged   []string
	onLaunch func(ctx context.Context, l trigger.Launch) error
	onStep   func(what string) error // before a step; its error is the step's
	steps    int
	dieAt    int // number of the step at which the worker dies; 0: never
	dieAfter bool
	dead     bool
}

var errDead = errors.New("the process is dead")

func newLab(t *testing.T) *lab {
	l := &lab{
		t: t, box: trigger.NewMemory(), board: boardtest.NewMemory(), free: 1000,
		subs: map[string]trigger.Subscription{}, made: map[string]int{}, launched: map[string]trigger.Launch{}, slots: map[string]bool{},
	}
	l.box.Before = func(verb, _ string) error { return l.before("outbox " + verb) }
	l.box.After = func(verb, _ string) error { return l.after("outbox " + verb) }
	l.board.Before = func(verb, _ string) error { return l.before("board " + verb) }
	l.board.After = func(verb, _ string) error { return l.after("board " + verb) }
	// Card n is made by the event n of the board's log.
	_, err := l.board.Create(t.Context(), board.Issue{Title: "card 0"}, board.Cause{})
	l.must(err)
	return l
}

// before is called at each step, before it has happened.
func (l *lab) before(what string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead {
		return errDead
	}
	l.steps++
	if l.steps == l.dieAt && !l.dieAfter {
		l.dead = true
		return errDead
	}
	if l.onStep != nil {
		return l.onStep(what)
	}
	return nil
}

// after is called once a step that changed something has happened.
func (l *lab) after(string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.steps == l.dieAt && l.dieAfter {
		l.dead = true
		return errDead
	}
	return nil
}

func (l *lab) subscribe(s trigger.Subscription) trigger.Subscription {
	s.Enabled, s.Invocation = true, trigger.OnBoard
	if s.Mode == "" {
		s.Mode = trigger.Direct
	}
	l.subs[s.ID] = s
	return s
}

// happen puts into the outbox what an event owes the subscriptions that match it.
func (l *lab) happen(e trigger.Event) []trigger.Effect {
	l.t.Helper()
	var rows []trigger.Effect
	for _, id := range sortedKeys(l.subs) {
		if s := l.subs[id]; s.Active() && s.Matches(e) {
			rows = append(rows, trigger.Effect{
				ID: trigger.EffectID(e.ID, id), Kind: trigger.EffectLaunch, EventID: e.ID, SubscriptionID: id, TenantID: s.TenantID,
				RunID: "run-" + e.ID + "-" + id, Event: e, State: trigger.Pending, CreatedAt: time.Now(), UpdatedAt: time.Now(),
			})
		}
	}
	l.must(l.box.Add(l.t.Context(), "test", 1, rows))
	return rows
}

// card files a card and returns it with an event of it.
func (l *lab) card(n int, labels ...string) (board.Issue, trigger.Event) {
	l.t.Helper()
	is, err := l.board.Create(l.t.Context(), board.Issue{Title: fmt.Sprint("card ", n), Body: "text", Labels: labels}, board.Cause{})
	l.must(err)
	return is, trigger.Event{
		ID: fmt.Sprint("board:", n), Source: trigger.SourceBoard, Kind: trigger.CardLabeled, Labels: labels, OccurredAt: time.Now(),
		Subject: trigger.Subject{Type: "card", ID: is.ID, Title: is.Title, Body: is.Body, State: is.State},
	}
}

func (l *lab) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// begin starts a worker; stop ends it in good order. One is enough for a bubble.
func (l *lab) begin(set ...func(*trigger.Worker)) (w *trigger.Worker, stop func()) {
	w = &trigger.Worker{
		Outbox: l.box, Board: l.board, Launcher: launcher{l}, Subscription: l.subscription,
		Nudge: func(id string) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.nudged = append(l.nudged, id)
		},
		Verdict: func(_ context.Context, id, text string) error {
			l.mu.Lock()
			defer l.mu.Unlock()
			s := l.subs[id]
			s.LastError = text
			l.subs[id] = s
			l.verdicts = append(l.verdicts, text)
			return nil
		},
	}
	for _, f := range set {
		f(w)
	}
	ctx, cancel := context.WithCancel(l.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	return w, func() {
		l.t.Helper()
		cancel()
		l.must(<-ended)
	}
}

// work runs a worker for a span of the bubble's time.
func (l *lab) work(d time.Duration) {
	l.t.Helper()
	_, stop := l.begin()
	time.Sleep(d)
	synctest.Wait()
	stop()
}

func (l *lab) subscription(_ context.Context, id string) (trigger.Subscription, error) {
	if err := l.before("subscription"); err != nil {
		return trigger.Subscription{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.subs[id]
	switch {
	case l.subsErr != nil:
		return s, l.subsErr
	case !ok:
		return s, trigger.ErrNoSubscription
	}
	return s, nil
}

func (l *lab) row(id string) trigger.Effect {
	l.t.Helper()
	e, err := l.box.Get(l.t.Context(), id)
	l.must(err)
	return e
}

// is checks where a row stands.
func (l *lab) is(id string, state trigger.EffectState, attempts int, word string) {
	l.t.Helper()
	e := l.row(id)
	if e.State != state || e.Attempts != attempts || e.Outcome+e.LastError != word {
		l.t.Errorf("effect %s is %s after %d attempts: %q, want %s after %d: %q", id, e.State, e.Attempts, e.Outcome+e.LastError, state, attempts, word)
	}
}

// launcher is the lab's trigger.Launcher.
type launcher struct{ l *lab }

func (p launcher) Exists(_ context.Context, runID string) (bool, error) {
	if err := p.l.before("exists"); err != nil {
		return false, err
	}
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	return p.l.made[runID] > 0, nil
}

func (p launcher) Admit(_ context.Context, launch trigger.Launch) error {
	if err := p.l.before("admit"); err != nil {
		return err
	}
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	switch {
	case p.l.held != "":
		return &trigger.HeldError{Reason: p.l.held}
	case len(p.l.slots) >= p.l.free:
		return &trigger.HeldError{Reason: "no slot"}
	}
	p.l.slots[launch.RunID] = true
	return nil
}

func (p launcher) Launch(ctx context.Context, launch trigger.Launch) error {
	if err := p.l.before("launch"); err != nil {
		return err
	}
	p.l.mu.Lock()
	p.l.atOnce++
	p.l.most = max(p.l.most, p.l.atOnce)
	hook := p.l.onLaunch
	p.l.mu.Unlock()
	defer func() {
		p.l.mu.Lock()
		defer p.l.mu.Unlock()
		p.l.atOnce--
	}()
	if hook != nil {
		if err := hook(ctx, launch); err != nil {
			return err
		}
	}
	p.l.mu.Lock()
	if p.l.launched[launch.RunID].RunID == "" { // making a run that exists is no second run
		p.l.made[launch.RunID]++
	}
	p.l.launched[launch.RunID] = launch
	p.l.mu.Unlock()
	return p.l.after("launch")
}

func (p launcher) Launched(runID string, err error) {
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	if err != nil {
		delete(p.l.slots, runID)
	}
}

// slowBoard lets some time pass before each write, so that whoever reads before it does
// so before any is made.
type slowBoard struct{ *boardtest.Memory }

func (b slowBoard) Update(ctx context.Context, id string, p board.Patch, by board.Cause) (board.Issue, error) {
	time.Sleep(time.Millisecond)
	return b.Memory.Update(ctx, id, p, by)
}

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	for i := range out {
		for j := i; j > 0 && out[j] < out[j-1]; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}
