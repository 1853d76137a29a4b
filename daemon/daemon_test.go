package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/native"
	"iterion/native/board"
	"iterion/native/filelock"
	"iterion/native/run"
)

func TestReadyCardIsWorkedAndFiledForReview(t *testing.T) {
	b := newLab(t)
	b.start(b.options())
	id := b.card(`echo "$ITERION_ISSUE_ID $ITERION_ISSUE_STATE $ITERION_CLAIM_EPOCH $ITERION_ISSUE_IDENTIFIER" > seen; pwd`)
	is := b.settled(id, board.StateReview)
	recs := b.runsOf(id)
	if len(recs) != 1 || recs[0].Status != run.Finished || is.LastRunID != recs[0].ID {
		t.Fatalf("card %+v\nruns %+v", is, recs)
	}
	seen, err := os.ReadFile(filepath.Join(recs[0].Workdir, "seen"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(string(seen)); got[0] != id || got[2] != "1" || got[3] != board.ShortID(id) {
		t.Errorf("the bot saw %q", seen)
	}
}

func TestDaemonLeavesBotsRunningAndTheNextSettlesThem(t *testing.T) {
	b := newLab(t)
	_, stop := b.start(b.options())
	gate := filepath.Join(b.dir, "gate")
	id := b.card("echo begun; until test -e " + gate + "; do sleep 0.02; done")
	rec := b.running(id, "begun")
	began := time.Now()
	stop()
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the daemon needed %v to stop", took)
	}
	if live, err := b.runs.Locked(rec.ID); err != nil || !live {
		t.Fatalf("the bot's supervisor is gone with the daemon: %v %v", live, err)
	}
	b.checkNothingHeld()
	b.must(os.WriteFile(gate, nil, 0o600))
	b.start(b.options())
	b.settled(id, board.StateReview)
	if recs := b.runsOf(id); len(recs) != 1 {
		t.Errorf("%d runs, want 1", len(recs))
	}
}

// checkNothingHeld fails when a daemon that ended left a lock or a socket.
func (b *lab) checkNothingHeld() {
	b.Helper()
	for _, path := range []string{b.l.DaemonLock(), filepath.Join(b.l.Workspaces(), rootLockName)} {
		if held, err := filelock.Probe(path); err != nil || held {
			b.Errorf("%s is held: %v %v", path, held, err)
		}
	}
	if _, err := os.Lstat(b.l.Socket()); !os.IsNotExist(err) {
		b.Errorf("socket is left: %v", err)
	}
	if left, _ := os.ReadDir(b.l.Owners()); len(left) != 0 {
		b.Errorf("owner locks are left: %v", left)
	}
}

func TestKilledDaemonsRunsAreAdopted(t *testing.T) {
	b := newLab(t)
	kill := b.startProcess("")
	gate := filepath.Join(b.dir, "gate")
	var ids []string
	for range 4 {
		ids = append(ids, b.card("echo begun; until test -e "+gate+"; do sleep 0.02; done"))
	}
	for _, id := range ids {
		b.running(id, "begun")
	}
	kill()
	b.start(b.options())
	b.must(os.WriteFile(gate, nil, 0o600))
	for _, id := range ids {
		b.settled(id, board.StateReview)
		if recs := b.runsOf(id); len(recs) != 1 {
			t.Errorf("card %s has %d runs, want 1", id, len(recs))
		}
	}
}

// Killed right after each durable step, a daemon leaves a card that the next one
// settles, and its bot runs once.
func TestKilledAtAnyStepNoCardIsStuckAndNoBotRunsTwice(t *testing.T) {
	points := []string{
		dispatch.FaultJournalled, dispatch.FaultClaimed, dispatch.FaultRecorded, dispatch.FaultMoved,
		dispatch.FaultPrepared, dispatch.FaultLaunched, dispatch.FaultStamped, dispatch.FaultSettling,
		dispatch.FaultFiled, dispatch.FaultReleased,
	}
	for _, point := range points {
		t.Run(point, func(t *testing.T) {
			b := newLab(t)
			count := filepath.Join(b.dir, "count")
			id := b.card("echo x >> " + count)
			b.startProcess(point)
			b.start(b.options())
			b.settled(id, board.StateReview)
			ran, err := os.ReadFile(count)
			if err != nil || string(ran) != "x\n" {
				t.Errorf("the bot left %q, %v; want one line", ran, err)
			}
			j := &journal{path: b.l.Claims()}
			b.until("the journal is empty", func() bool {
				entries, err := j.Entries(t.Context())
				return err == nil && len(entries) == 0
			})
		})
	}
}

func TestSecondDaemonOnTheRootIsRefused(t *testing.T) {
	b := newLab(t)
	root, err := lockRoot(b.l.Workspaces()) // all that matters of the first one; a whole daemon makes files meanwhile
	b.must(err)
	defer root.Release()
	before := snapshotOf(t, b.l.Root)
	d, err := New(b.options())
	b.must(err)
	err = d.Run(t.Context())
	var locked *LockedError
	if !errors.As(err, &locked) || locked.PID != os.Getpid() || locked.Host == "" || locked.Since.IsZero() {
		t.Fatalf("got %#v", err)
	}
	if after := snapshotOf(t, b.l.Root); after != before {
		t.Errorf("the refused daemon touched the store:\n%s\n%s", before, after)
	}
}

// snapshotOf lists the files below a folder.
func snapshotOf(t *testing.T, root string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		all.WriteString(path + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestDaemonOfAnotherRootOnlyDispatches(t *testing.T) {
	b := newLab(t)
	first, _ := b.start(b.options())
	o := b.options()
	o.ConfigPath = filepath.Join(b.dir, "second.yaml")
	b.must(os.WriteFile(o.ConfigPath, []byte("workspace: {root: ./second}\nagent: {max_concurrent: 2}\n"), 0o600))
	second, _ := b.start(o)
	one, _ := first.Status(t.Context())
	two, err := second.Status(t.Context())
	if err != nil || !one.Singleton || two.Singleton || two.WorkspaceRoot != filepath.Join(b.dir, "second") {
		t.Errorf("first %+v\nsecond %+v %v", one, two, err)
	}
	var ids []string
	for range 12 {
		ids = append(ids, b.card("sleep 0.05"))
	}
	for _, id := range ids {
		b.settled(id, board.StateReview)
		if recs := b.runsOf(id); len(recs) != 1 {
			t.Errorf("card %s has %d runs, want 1", id, len(recs))
		}
	}
}

func TestUntrustedStoreRunsNothingUntilTrusted(t *testing.T) {
	b := newLab(t)
	b.must(native.Revoke(b.home, b.l))
	id := b.card("true")
	c, stop := b.start(b.options())
	st, err := c.Status(t.Context())
	b.must(err)
	if st.Trusted || st.Dispatch.Desired.Desired != dispatch.DesiredPaused ||
		!strings.Contains(st.Dispatch.Desired.Reason, "iterion trust") {
		t.Errorf("status %+v", st)
	}
	if _, err := c.Unpause(t.Context(), control.Pause{}); !errors.Is(err, board.ErrTransitionRejected) ||
		!strings.Contains(err.Error(), "iterion trust") {
		t.Errorf("unpause: %v", err)
	}
	_, err = c.Refresh(t.Context(), control.By{})
	b.must(err)
	stop() // the daemon had every chance to start it
	if recs := b.runsOf(id); len(recs) != 0 || b.issue(id).Claim != "" {
		t.Fatalf("something ran: %+v", recs)
	}
	c, _ = b.start(b.options())
	b.must(native.Trust(b.home, b.l))
	b.settled(id, board.StateReview)
	b.must(native.Revoke(b.home, b.l))
	b.until("dispatch pauses again", func() bool {
		st, err := c.Status(t.Context())
		return err == nil && !st.Trusted && st.Dispatch.Desired.Desired == dispatch.DesiredPaused
	})
	if _, err := os.Stat(b.l.Runtime()); !os.IsNotExist(err) {
		t.Errorf("the gate wrote the operator's intent: %v", err)
	}
}

func TestOperatorsPauseOutlivesRestartAndTrust(t *testing.T) {
	b := newLab(t)
	c, stop := b.start(b.options())
	_, err := c.Pause(t.Context(), control.Pause{Reason: "lunch", By: "alice"})
	b.must(err)
	stop()
	b.must(native.Revoke(b.home, b.l))
	c, _ = b.start(b.options())
	b.must(native.Trust(b.home, b.l))
	b.until("the operator's pause shows", func() bool {
		st, err := c.Status(t.Context())
		return err == nil && st.Trusted && st.Dispatch.Desired.Reason == "lunch"
	})
	id := b.card("true")
	st, err := c.Unpause(t.Context(), control.Pause{By: "alice"})
	if err != nil || st.Dispatch.Desired.Desired == dispatch.DesiredPaused {
		t.Errorf("unpause: %+v %v", st.Dispatch.Desired, err)
	}
	b.settled(id, board.StateReview)
}

func TestUntilIdleReturnsWhenAllIsSettled(t *testing.T) {
	b := newLab(t)
	ids := []string{b.card("true"), b.card("true"), b.card("true")}
	o := b.options()
	o.UntilIdle = true
	d, err := New(o)
	b.must(err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := d.Run(ctx); err != nil || ctx.Err() != nil {
		t.Fatalf("ended with %v, %v", err, ctx.Err())
	}
	for _, id := range ids {
		if is := b.issue(id); is.State != board.StateReview || is.Claim != "" {
			t.Errorf("card %+v", is)
		}
	}
}

func TestUntilIdleOfAPausedStoreSaysSo(t *testing.T) {
	b := newLab(t)
	o := b.options()
	o.UntilIdle, o.Home = true, t.TempDir() // nothing is trusted there
	end := func() error {
		d, err := New(o)
		b.must(err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err = d.Run(ctx)
		b.must(ctx.Err())
		return err
	}
	if err := end(); err != nil {
		t.Errorf("without a card: %v, want nothing to complain of", err)
	}
	id := b.card("true")
	var paused *PausedError
	if err := end(); !errors.As(err, &paused) || paused.Waiting != 1 || !strings.Contains(err.Error(), "iterion trust") {
		t.Errorf("ended with %v, want it to say that one card waits and what to do", err)
	}
	if is := b.issue(id); is.State != board.StateReady || is.Claim != "" {
		t.Errorf("card %+v", is)
	}
}

func TestStopOverTheSocketKeepsOrCancelsRuns(t *testing.T) {
	for _, cancelRuns := range []bool{false, true} {
		b := newLab(t)
		c, stop := b.start(b.options())
		id := b.card("echo begun; exec sleep 60")
		rec := b.running(id, "begun")
		b.until("the run is known as running", func() bool {
			st, err := c.Status(t.Context())
			return err == nil && len(st.Dispatch.Running) == 1 && st.Dispatch.Running[0].RunID == rec.ID
		})
		report, err := c.Stop(t.Context(), control.Stop{CancelRuns: cancelRuns, By: "alice"})
		if err != nil || len(report.Running) != 1 || report.Running[0].RunID != rec.ID {
			t.Errorf("cancel %v: report %+v, %v", cancelRuns, report, err)
		}
		stop()
		rec, err = b.runs.Get(rec.ID)
		b.must(err)
		if cancelled := rec.Status == run.Cancelled; cancelled != cancelRuns {
			t.Errorf("cancel %v: the run is %s", cancelRuns, rec.Status)
		}
	}
}

func TestWatchShowsACardTravelAndItsRunsProgress(t *testing.T) {
	b := newLab(t)
	c, _ := b.start(b.options())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var id string
	seen := map[string]bool{}
	filed := make(chan struct{})
	var once bool
	err := c.Watch(ctx, func(f control.Frame) error {
		if !once {
			once = true
			if !f.Full || f.Status == nil && len(f.Cards) != 0 {
				t.Errorf("first frame %+v", f)
			}
			go func() {
				defer close(filed)
				id = b.card(`echo '{"type":"progress","text":"half way","percent":50}' >> "$ITERION_EVENTS"; sleep 1`)
			}()
		}
		for _, card := range f.Cards {
			seen[card.State] = true
		}
		for _, r := range f.Runs {
			seen[string(r.Status)] = true
			if r.Progress != nil && !r.Status.Final() {
				seen[r.Progress.Text] = true
			}
		}
		if seen[board.StateReview] && seen[string(run.Finished)] {
			return errors.New("enough")
		}
		return nil
	})
	<-filed
	for _, want := range []string{board.StateInProgress, board.StateReview, "running", "half way", "finished"} {
		if !seen[want] {
			t.Errorf("the stream never showed %q: %v (%v)", want, seen, err)
		}
	}
	chunk, err := c.Log(ctx, b.runsOf(id)[0].ID, 0, 0)
	if err != nil || !chunk.End {
		t.Errorf("log %+v %v", chunk, err)
	}
}

func TestStatusSaysHowFarARunIsWithoutALookAtTheBoard(t *testing.T) {
	b := newLab(t)
	c, _ := b.start(b.options())
	id := b.card(`echo '{"type":"progress","text":"half way"}' >> "$ITERION_EVENTS"; exec sleep 60`)
	b.until("the status shows the progress", func() bool {
		s, err := c.Status(t.Context())
		return err == nil && len(s.Dispatch.Running) == 1 && s.Dispatch.Running[0].IssueID == id &&
			s.Dispatch.Running[0].Progress != nil && s.Dispatch.Running[0].Progress.Text == "half way" &&
			!s.Dispatch.Running[0].StartedAt.IsZero()
	})
}

func TestVerbsOverTheSocketWriteTheBoard(t *testing.T) {
	b := newLab(t)
	c, _ := b.start(b.options())
	ctx := t.Context()
	if _, err := c.Create(ctx, control.CreateIssue{Title: "x", Bot: "shel"}); !errors.Is(err, board.ErrInvalid) ||
		!strings.Contains(err.Error(), "did you mean shell") {
		t.Errorf("unknown bot: %v", err)
	}
	is, err := c.Create(ctx, control.CreateIssue{Title: "x", State: board.StateBacklog, By: "alice"})
	b.must(err)
	if is, err = c.Move(ctx, board.ShortID(is.ID), control.MoveIssue{To: board.StateDone}); err != nil || is.State != board.StateDone {
		t.Errorf("move: %+v %v", is, err)
	}
	if _, err = c.Move(ctx, is.ID, control.MoveIssue{To: board.StateBacklog}); !errors.Is(err, board.ErrTransitionRejected) {
		t.Errorf("leave a terminal column: %v", err)
	}
	if is, err = c.Move(ctx, is.ID, control.MoveIssue{To: board.StateBacklog, Reopen: true}); err != nil {
		t.Errorf("reopen: %v", err)
	}
	if _, err := c.Comment(ctx, is.ID, control.AddComment{Author: "alice", Body: "hello"}); err != nil {
		t.Errorf("comment: %v", err)
	}
	if is = b.issue(is.ID); len(is.Comments) != 1 {
		t.Errorf("comments %+v", is.Comments)
	}
	if _, err := c.Issue(ctx, "ffff0000"); !errors.Is(err, board.ErrNotFound) {
		t.Errorf("unknown card: %v", err)
	}
	rows, err := c.Why(ctx, is.ID)
	if err != nil || len(rows) == 0 {
		t.Errorf("why: %+v %v", rows, err)
	}
	known, err := c.Bots(ctx)
	if err != nil || len(known) < 2 {
		t.Errorf("bots: %+v %v", known, err)
	}
}

func TestClearLastRunIsRefusedWhileTheRunLives(t *testing.T) {
	b := newLab(t)
	c, _ := b.start(b.options())
	id := b.card("echo begun; exec sleep 60")
	rec := b.running(id, "begun")
	b.until("the card names its run", func() bool { return b.issue(id).LastRunID == rec.ID })
	if _, err := c.ClearLastRun(t.Context(), id, control.By{}); !errors.Is(err, board.ErrConflict) {
		t.Errorf("clear: %v", err)
	}
	if _, err := c.CancelRun(t.Context(), rec.ID, control.By{By: "alice"}); err != nil {
		t.Errorf("cancel: %v", err)
	}
	b.until("the card is held", func() bool {
		st, err := c.Status(t.Context())
		return err == nil && len(st.Dispatch.Held) == 1
	})
	if _, err := c.CancelRun(t.Context(), rec.ID, control.By{}); !errors.Is(err, board.ErrConflict) {
		t.Errorf("cancel again: %v", err)
	}
	if _, err := c.Move(t.Context(), id, control.MoveIssue{To: board.StateBacklog}); err != nil {
		t.Fatal(err)
	}
	b.settled(id, board.StateBacklog)
	if is, err := c.ClearLastRun(t.Context(), id, control.By{}); err != nil || is.LastRunID != "" {
		t.Errorf("clear after the end: %+v %v", is, err)
	}
}

func TestWhyAnswersWithAndWithoutADaemon(t *testing.T) {
	b := newLab(t)
	id := b.card("true")
	_, err := b.store.Move(t.Context(), id, board.StateBacklog, board.Cause{})
	b.must(err)
	off, err := Why(t.Context(), b.options(), board.ShortID(id))
	if err != nil || !off.Offline || len(off.Rows) == 0 || off.IssueID != id {
		t.Errorf("offline: %+v %v", off, err)
	}
	b.start(b.options())
	on, err := Why(t.Context(), b.options(), board.ShortID(id))
	if err != nil || on.Offline || len(on.Rows) != len(off.Rows) {
		t.Errorf("online: %+v %v", on, err)
	}
}

func TestUnreadableJournalHoldsDispatch(t *testing.T) {
	b := newLab(t)
	torn := []byte(`[{"issue_id": "native:x", "owner`)
	b.must(os.WriteFile(b.l.Claims(), torn, 0o600))
	id := b.card("true")
	d, err := New(b.options())
	b.must(err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	var c *control.Client
	b.until("the socket answers", func() bool { c, err = control.Dial(b.l); return err == nil })
	defer c.Close()
	b.until("the status names the file", func() bool {
		st, err := c.Status(t.Context())
		return err == nil && len(st.Dispatch.Errors) > 0 && strings.Contains(st.Dispatch.Errors[0].What, b.l.Claims())
	})
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
	if got, _ := os.ReadFile(b.l.Claims()); string(got) != string(torn) || b.issue(id).Claim != "" {
		t.Errorf("the journal is now %q", got)
	}
}
