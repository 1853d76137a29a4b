package control

import (
	"context"
	"sync"

	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
	"iterion/sched/gate"
	"iterion/sched/resident"
	"iterion/sched/trigger"
)

// fake is a daemon without a dispatcher: it answers what its fields say and
// remembers what it was asked.
type fake struct {
	feed *Feed
	err  error

	mu    sync.Mutex
	asked []any
}

var _ API = (*fake)(nil)

func (f *fake) note(args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, args...)
}

func (f *fake) Status(context.Context) (Status, error) { return Status{PID: 7, Version: "test"}, f.err }
func (f *fake) Watch(ctx context.Context, send func(Frame) error) error {
	return f.feed.Watch(ctx, send)
}
func (f *fake) Issue(_ context.Context, ref string) (board.Issue, error) {
	f.note(ref)
	return board.Issue{ID: ref, Body: "whole"}, f.err
}
func (f *fake) Why(_ context.Context, ref string) ([]dispatch.Verdict, error) {
	f.note(ref)
	return []dispatch.Verdict{{Row: 1, Guard: "paused", Answer: dispatch.AnswerPass}}, f.err
}
func (f *fake) Create(_ context.Context, in CreateIssue) (board.Issue, error) {
	f.note(in)
	return board.Issue{ID: "native:1", Title: in.Title}, f.err
}
func (f *fake) Move(_ context.Context, ref string, in MoveIssue) (board.Issue, error) {
	f.note(ref, in)
	return board.Issue{ID: ref, State: in.To}, f.err
}
func (f *fake) Comment(_ context.Context, ref string, in AddComment) (board.Comment, error) {
	f.note(ref, in)
	return board.Comment{Body: in.Body}, f.err
}
func (f *fake) ClearLastRun(_ context.Context, ref string, by By) (board.Issue, error) {
	f.note(ref, by)
	return board.Issue{ID: ref}, f.err
}
func (f *fake) Bots(context.Context) ([]BotInfo, error) { return []BotInfo{{Slug: "hello"}}, f.err }
func (f *fake) Run(_ context.Context, ref string) (run.Record, error) {
	f.note(ref)
	return run.Record{ID: ref, Status: run.Running}, f.err
}
func (f *fake) Log(_ context.Context, ref string, offset, limit int64) (LogChunk, error) {
	f.note(ref, offset, limit)
	return LogChunk{Offset: offset, Data: []byte("\x1b[31mraw\xff")}, f.err
}
func (f *fake) CancelRun(_ context.Context, ref string, by By) (run.Record, error) {
	f.note(ref, by)
	return run.Record{ID: ref}, f.err
}
func (f *fake) PauseRun(_ context.Context, ref string, by By) (run.Record, error) {
	f.note(ref, by)
	return run.Record{ID: ref, Status: run.Running}, f.err
}
func (f *fake) ResumeRun(_ context.Context, ref string, by By) (run.Record, error) {
	f.note(ref, by)
	return run.Record{ID: ref, Status: run.PausedHuman}, f.err
}
func (f *fake) Reload(_ context.Context, by By) (Status, error) { f.note(by); return Status{}, f.err }
func (f *fake) Prune(_ context.Context, p Prune) (PruneReport, error) {
	f.note(p)
	return PruneReport{Folders: []PrunedFolder{{Key: "k"}}}, f.err
}
func (f *fake) Pause(_ context.Context, p Pause) (Status, error)   { f.note(p); return Status{}, f.err }
func (f *fake) Unpause(_ context.Context, p Pause) (Status, error) { f.note(p); return Status{}, f.err }
func (f *fake) Refresh(_ context.Context, by By) (Status, error)   { f.note(by); return Status{}, f.err }
func (f *fake) Stop(_ context.Context, s Stop) (StopReport, error) {
	f.note(s)
	return StopReport{Running: []dispatch.Running{{RunID: "r"}}}, f.err
}

func (f *fake) Update(_ context.Context, ref string, in UpdateIssue) (board.Issue, error) {
	f.note(ref, in)
	return board.Issue{ID: ref, Title: *in.Title}, f.err
}
func (f *fake) Question(_ context.Context, ref string) (run.Interaction, error) {
	f.note(ref)
	return run.Interaction{ID: "q1", RunID: ref}, f.err
}
func (f *fake) AnswerRun(_ context.Context, ref string, in Answer) (run.Record, error) {
	f.note(ref, in)
	return run.Record{ID: ref}, f.err
}

func (f *fake) Schedules(context.Context) ([]resident.Row, error) {
	return []resident.Row{{ID: "nightly", Due: &resident.Intent{RunID: "r1"}}}, f.err
}
func (f *fake) RunSchedule(_ context.Context, ref string, by By) (gate.Record, error) {
	f.note(ref, by)
	return gate.Record{ScheduleID: ref, Decision: gate.Fired}, f.err
}
func (f *fake) SetSchedule(_ context.Context, ref string, in SetSchedule) (resident.Row, error) {
	f.note(ref, in)
	return resident.Row{ID: ref, Enabled: in.Enabled}, f.err
}
func (f *fake) Ticks(ctx context.Context, q TickQuery, send func(gate.Record) error) error {
	f.note(q)
	for _, id := range []string{"a", "b"} {
		if err := send(gate.Record{ScheduleID: id}); err != nil {
			return err
		}
	}
	if q.Follow {
		<-ctx.Done()
	}
	return f.err
}

func (f *fake) Subscriptions(context.Context) (Subscriptions, error) {
	return Subscriptions{All: []trigger.Subscription{{ID: "s1"}}, Problems: []string{"p"}}, f.err
}
func (f *fake) SetSubscription(_ context.Context, id string, in SetSchedule) (trigger.Subscription, error) {
	f.note(id, in)
	return trigger.Subscription{ID: id}, f.err
}
func (f *fake) Effects(context.Context) ([]trigger.Effect, error) {
	return []trigger.Effect{{ID: "e|s"}}, f.err
}
func (f *fake) RetryEffect(_ context.Context, id string, by By) (trigger.Effect, error) {
	f.note(id, by)
	return trigger.Effect{ID: id}, f.err
}
func (f *fake) DropEffect(_ context.Context, id string, by By) (trigger.Effect, error) {
	f.note(id, by)
	return trigger.Effect{ID: id}, f.err
}
func (f *fake) Emit(_ context.Context, in EmitEvent) (trigger.Event, error) {
	f.note(in)
	return trigger.Event{ID: "custom:1", Kind: in.Kind}, f.err
}
