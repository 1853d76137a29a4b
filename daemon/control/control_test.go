package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"iterion/native/board"
	"iterion/native/run"
	"iterion/sched/gate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func placeIn(t *testing.T) Place {
	t.Helper()
	dir, err := os.MkdirTemp("", "ctl") // t.TempDir may be longer than a socket path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return Place{Socket: filepath.Join(dir, "s.sock"), Pointer: filepath.Join(dir, "s.path")}
}

// serve runs a server for api at p; stop ends it and waits for its end.
func serve(t *testing.T, p Place, api API) (stop func()) {
	t.Helper()
	ln, err := Listen(p)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, ln, api, slog.New(slog.DiscardHandler)) }()
	var stopped bool
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve ended with %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}

func dial(t *testing.T, p Place) *Client {
	t.Helper()
	c, err := DialPlace(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestEveryVerbCrossesTheSocket(t *testing.T) {
	api := &fake{feed: NewFeed()}
	p := placeIn(t)
	serve(t, p, api)
	c, ctx := dial(t, p), t.Context()
	const id = "native:0a/b c"
	title := "another title"
	calls := []struct {
		name string
		call func() (any, error)
		want any   // answer
		args []any // what the daemon was asked
	}{
		{"status", func() (any, error) { s, err := c.Status(ctx); return s.PID, err }, 7, nil},
		{"issue", func() (any, error) { i, err := c.Issue(ctx, id); return i.ID + i.Body, err }, id + "whole", []any{id}},
		{"why", func() (any, error) { v, err := c.Why(ctx, id); return v[0].Guard, err }, "paused", []any{id}},
		{"create", func() (any, error) { i, err := c.Create(ctx, CreateIssue{Title: "t"}); return i.Title, err }, "t", []any{CreateIssue{Title: "t"}}},
		{"move", func() (any, error) { i, err := c.Move(ctx, id, MoveIssue{To: "done"}); return i.State, err }, "done", []any{id, MoveIssue{To: "done"}}},
		{"update", func() (any, error) { i, err := c.Update(ctx, id, UpdateIssue{Title: &title}); return i.Title, err }, title, []any{id, UpdateIssue{Title: &title}}},
		{"question", func() (any, error) { q, err := c.Question(ctx, id); return q.ID, err }, "q1", []any{id}},
		{"subscriptions", func() (any, error) { v, err := c.Subscriptions(ctx); return v.All[0].ID + v.Problems[0], err }, "s1p", nil},
		{"set subscription", func() (any, error) {
			v, err := c.SetSubscription(ctx, "manifest:a:board:1", SetSchedule{Enabled: true})
			return v.ID, err
		}, "manifest:a:board:1", []any{"manifest:a:board:1", SetSchedule{Enabled: true}}},
		{"effects", func() (any, error) { v, err := c.Effects(ctx); return v[0].ID, err }, "e|s", nil},
		{"retry effect", func() (any, error) { v, err := c.RetryEffect(ctx, "board:1|s/2", By{By: "ana"}); return v.ID, err }, "board:1|s/2", []any{"board:1|s/2", By{By: "ana"}}},
		{"drop effect", func() (any, error) { v, err := c.DropEffect(ctx, "board:1|s", By{By: "ana"}); return v.ID, err }, "board:1|s", []any{"board:1|s", By{By: "ana"}}},
		{"emit", func() (any, error) { e, err := c.Emit(ctx, EmitEvent{Kind: "deploy", Key: "7"}); return e.Kind, err }, "deploy", []any{EmitEvent{Kind: "deploy", Key: "7"}}},
		{"answer", func() (any, error) {
			r, err := c.AnswerRun(ctx, id, Answer{Values: map[string]any{"a": "b"}})
			return r.ID, err
		}, id, []any{id, Answer{Values: map[string]any{"a": "b"}}}},
		{"schedules", func() (any, error) { r, err := c.Schedules(ctx); return r[0].Due.RunID, err }, "r1", nil},
		{"run schedule", func() (any, error) { r, err := c.RunSchedule(ctx, id, By{By: "a"}); return r.ScheduleID, err }, id, []any{id, By{By: "a"}}},
		{"set schedule", func() (any, error) {
			r, err := c.SetSchedule(ctx, id, SetSchedule{Enabled: true})
			return r.Enabled, err
		}, true, []any{id, SetSchedule{Enabled: true}}},
		{"ticks", func() (any, error) {
			var ids string
			err := c.Ticks(ctx, TickQuery{ID: id, Tail: -1}, func(r gate.Record) error { ids += r.ScheduleID; return nil })
			return ids, err
		}, "ab", []any{TickQuery{ID: id, Tail: -1}}},
		{"comment", func() (any, error) { m, err := c.Comment(ctx, id, AddComment{Body: "b"}); return m.Body, err }, "b", []any{id, AddComment{Body: "b"}}},
		{"clear last run", func() (any, error) { i, err := c.ClearLastRun(ctx, id, By{By: "a"}); return i.ID, err }, id, []any{id, By{By: "a"}}},
		{"bots", func() (any, error) { b, err := c.Bots(ctx); return b[0].Slug, err }, "hello", nil},
		{"run", func() (any, error) { r, err := c.Run(ctx, "r1"); return r.ID, err }, "r1", []any{"r1"}},
		{"log", func() (any, error) { l, err := c.Log(ctx, "r1", -9, 5); return string(l.Data), err }, "\x1b[31mraw\xff", []any{"r1", int64(-9), int64(5)}},
		{"cancel", func() (any, error) { r, err := c.CancelRun(ctx, "r1", By{By: "a"}); return r.ID, err }, "r1", []any{"r1", By{By: "a"}}},
		{"pause run", func() (any, error) { r, err := c.PauseRun(ctx, "r1", By{By: "a"}); return r.Status, err }, run.Running, []any{"r1", By{By: "a"}}},
		{"resume run", func() (any, error) { r, err := c.ResumeRun(ctx, "r1", By{By: "a"}); return r.Status, err }, run.PausedHuman, []any{"r1", By{By: "a"}}},
		{"reload", func() (any, error) { _, err := c.Reload(ctx, By{By: "y"}); return nil, err }, nil, []any{By{By: "y"}}},
		{"pause", func() (any, error) { _, err := c.Pause(ctx, Pause{Reason: "x"}); return nil, err }, nil, []any{Pause{Reason: "x"}}},
		{"unpause", func() (any, error) { _, err := c.Unpause(ctx, Pause{By: "y"}); return nil, err }, nil, []any{Pause{By: "y"}}},
		{"refresh", func() (any, error) { _, err := c.Refresh(ctx, By{By: "y"}); return nil, err }, nil, []any{By{By: "y"}}},
		{"prune", func() (any, error) { r, err := c.Prune(ctx, Prune{DryRun: true}); return r.Folders[0].Key, err }, "k", []any{Prune{DryRun: true}}},
		{"stop", func() (any, error) { r, err := c.Stop(ctx, Stop{CancelRuns: true}); return r.Running[0].RunID, err }, "r", []any{Stop{CancelRuns: true}}},
	}
	for _, tc := range calls {
		api.asked = nil
		got, err := tc.call()
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%s answered:\n%s", tc.name, d)
		}
		if d := cmp.Diff(tc.args, api.asked); d != "" {
			t.Errorf("%s asked:\n%s", tc.name, d)
		}
	}
}

func TestTicksAreFollowedUntilTheClientHasEnough(t *testing.T) {
	p := placeIn(t)
	serve(t, p, &fake{feed: NewFeed()})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := 0
	err := dial(t, p).Ticks(ctx, TickQuery{Follow: true}, func(gate.Record) error {
		if seen++; seen == 2 {
			cancel()
		}
		return nil
	})
	if seen != 2 || !errors.Is(err, context.Canceled) {
		t.Fatalf("%d records, then %v", seen, err)
	}
}

func TestErrorsKeepTheirClassOverTheSocket(t *testing.T) {
	cases := []struct {
		err  error
		want []error
	}{
		{fmt.Errorf("issue x: %w", board.ErrNotFound), []error{board.ErrNotFound}},
		{fmt.Errorf("move: %w", board.ErrTerminal), []error{board.ErrTransitionRejected}},
		{&board.ClaimedError{}, []error{board.ErrConflict}},
		{&board.AmbiguousError{Ref: "abcd"}, []error{board.ErrInvalid}},
		{errors.New("disk on fire"), nil},
	}
	for _, tc := range cases {
		p := placeIn(t)
		stop := serve(t, p, &fake{feed: NewFeed(), err: tc.err})
		_, err := dial(t, p).Issue(t.Context(), "x")
		var refused *Error
		if !errors.As(err, &refused) || err.Error() != tc.err.Error() {
			t.Errorf("%v came over as %v", tc.err, err)
		}
		for _, sentinel := range []error{board.ErrNotFound, board.ErrInvalid, board.ErrConflict} {
			wanted := len(tc.want) > 0 && (tc.want[0] == sentinel ||
				tc.want[0] == board.ErrTransitionRejected && sentinel == board.ErrConflict)
			if errors.Is(err, sentinel) != wanted {
				t.Errorf("%v: errors.Is %v = %v", tc.err, sentinel, !wanted)
			}
		}
		stop()
	}
}

// suspended is a daemon that takes requests and answers none.
type suspended struct{ *fake }

func (suspended) Status(ctx context.Context) (Status, error) {
	<-ctx.Done()
	return Status{}, ctx.Err()
}

func TestDaemonThatDoesNotAnswerIsNotWaitedForForEver(t *testing.T) {
	p := placeIn(t)
	defer serve(t, p, suspended{&fake{feed: NewFeed()}})()
	c := dial(t, p)
	c.patience = 50 * time.Millisecond
	if _, err := c.Status(t.Context()); err == nil || !strings.Contains(err.Error(), "SIGCONT") {
		t.Errorf("got %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Status(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up is told %v", err)
	}
}

func TestNobodyThereIsNoDaemon(t *testing.T) {
	t.Run("no socket", func(t *testing.T) {
		if _, err := DialPlace(placeIn(t)); !errors.Is(err, ErrNoDaemon) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("stale socket", func(t *testing.T) {
		p := placeIn(t)
		leaveStale(t, p.Socket)
		if _, err := DialPlace(p); !errors.Is(err, ErrNoDaemon) {
			t.Errorf("got %v", err)
		}
		serve(t, p, &fake{feed: NewFeed()})
		if _, err := dial(t, p).Status(t.Context()); err != nil {
			t.Errorf("after a new daemon: %v", err)
		}
	})
	t.Run("daemon went away", func(t *testing.T) {
		p := placeIn(t)
		stop := serve(t, p, &fake{feed: NewFeed()})
		c := dial(t, p)
		if _, err := c.Status(t.Context()); err != nil {
			t.Fatal(err)
		}
		stop()
		if _, err := c.Status(t.Context()); !errors.Is(err, ErrNoDaemon) {
			t.Errorf("got %v", err)
		}
		if _, err := os.Lstat(p.Socket); !os.IsNotExist(err) {
			t.Errorf("socket is still there: %v", err)
		}
	})
}

// leaveStale leaves a socket file that nobody listens on, as a killed daemon does.
func leaveStale(t *testing.T, path string) {
	t.Helper()
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	ln.SetUnlinkOnClose(false)
	ln.Close()
}

func TestOverLongPathGoesThroughPointer(t *testing.T) {
	runtimeDir := filepath.Dir(placeIn(t).Socket)
	t.Setenv("XDG_RUNTIME_DIR", runtimeDir)
	deep := filepath.Join(t.TempDir(), strings.Repeat("d", 120))
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	p := PlaceIn(deep)
	if _, err := DialPlace(p); !errors.Is(err, ErrNoDaemon) {
		t.Fatalf("before: %v", err)
	}
	stop := serve(t, p, &fake{feed: NewFeed()})
	if _, err := dial(t, p).Status(t.Context()); err != nil {
		t.Fatal(err)
	}
	private := filepath.Join(runtimeDir, fmt.Sprintf("iterion-%d", os.Getuid()))
	if info, err := os.Stat(private); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder of the socket: %v %v", info, err)
	}
	stop()
	if left, _ := os.ReadDir(private); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := os.Stat(p.Pointer); !os.IsNotExist(err) {
		t.Errorf("pointer is still there: %v", err)
	}
	if err := os.Chmod(private, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(p); err == nil {
		t.Error("listened in a folder that others can enter")
	}
}

func TestSocketIsPrivate(t *testing.T) {
	p := placeIn(t)
	serve(t, p, &fake{feed: NewFeed()})
	info, err := os.Stat(p.Socket)
	if err != nil {
		t.Fatal(err)
	}
	if perm := info.Mode().Perm(); perm != 0o600 {
		t.Errorf("socket has mode %o", perm)
	}
}

func TestPeerOfAnotherUserIsRefused(t *testing.T) {
	p := placeIn(t)
	serve(t, p, &fake{feed: NewFeed()})
	conn, err := net.Dial("unix", p.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := checkPeer(conn.(*net.UnixConn), os.Getuid()); err != nil {
		t.Errorf("own user: %v", err)
	}
	if err := checkPeer(conn.(*net.UnixConn), os.Getuid()+1); err == nil {
		t.Error("another user passed")
	}
}

func TestRequestsAreBoundedAndStrict(t *testing.T) {
	api := &fake{feed: NewFeed()}
	p := placeIn(t)
	serve(t, p, api)
	c := dial(t, p)
	_, err := c.Create(t.Context(), CreateIssue{Title: "t", Body: strings.Repeat("x", BodyMax)})
	if !errors.Is(err, board.ErrInvalid) {
		t.Errorf("oversize body: %v", err)
	}
	if _, err := post[Status](t.Context(), c, "/v1/pause", map[string]any{"resaon": "x"}); !errors.Is(err, board.ErrInvalid) {
		t.Errorf("unknown key: %v", err)
	}
	if _, err := get[Status](t.Context(), c, "/v1/nothing"); !errors.Is(err, board.ErrNotFound) {
		t.Errorf("unknown path: %v", err)
	}
	if _, err := get[LogChunk](t.Context(), c, "/v1/runs/r/log?offset=x"); !errors.Is(err, board.ErrInvalid) {
		t.Errorf("bad offset: %v", err)
	}
	if len(api.asked) != 0 {
		t.Errorf("the daemon was asked %v", api.asked)
	}
}

func TestWatchStreamsChangesAndEndsWithTheDaemon(t *testing.T) {
	api := &fake{feed: NewFeed()}
	p := placeIn(t)
	stop := serve(t, p, api)
	api.feed.Publish(Change{Seq: 1, Cards: []Card{card("a", "ready")}})
	frames, ended := make(chan Frame), make(chan error, 1)
	c := dial(t, p)
	go func() {
		ended <- c.Watch(t.Context(), func(f Frame) error { frames <- f; return nil })
	}()
	if f := <-frames; !f.Full || len(f.Cards) != 1 {
		t.Errorf("first frame %+v", f)
	}
	api.feed.Publish(Change{Seq: 2, Cards: []Card{card("a", "review")}})
	if f := <-frames; f.Full || f.Seq != 2 || f.Cards[0].State != "review" {
		t.Errorf("second frame %+v", f)
	}
	stop()
	if err := <-ended; !errors.Is(err, ErrStopped) {
		t.Errorf("watch ended with %v", err)
	}
}

// A reader that never reads holds up neither the publisher nor the other
// clients nor the end of the server.
func TestSlowReaderBlocksNobody(t *testing.T) {
	api := &fake{feed: NewFeed()}
	p := placeIn(t)
	stop := serve(t, p, api)
	conn, err := net.Dial("unix", p.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	req, _ := http.NewRequest(http.MethodGet, "http://iterion/v1/watch", nil)
	if err := req.Write(conn); err != nil {
		t.Fatal(err)
	}
	big := Card{Issue: board.Issue{ID: "a", Title: strings.Repeat("x", 1<<20)}}
	for i := range 200 {
		api.feed.Publish(Change{Seq: int64(i), Cards: []Card{big}})
	}
	if _, err := dial(t, p).Status(t.Context()); err != nil {
		t.Errorf("status beside a slow reader: %v", err)
	}
	began := time.Now()
	stop()
	if took := time.Since(began); took > drainWait+5*time.Second {
		t.Errorf("server needed %v to stop", took)
	}
}

func TestCardKeepsItsOwnFieldsOverTheWire(t *testing.T) {
	is := board.Issue{ID: "native:1", Title: "t", State: "ready", Body: "long", Labels: []string{"l"},
		Comments: []board.Comment{{ID: "c"}}, Blockers: []string{"b"}}
	sent := CardOf(is, []string{"b"})
	data, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "long") {
		t.Errorf("the body travels: %s", data)
	}
	var got Card
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(sent, got); d != "" {
		t.Error(d)
	}
	if got.Comments != 1 || !got.HasBody || len(got.OpenBlockers) != 1 {
		t.Errorf("%s", data)
	}
}
