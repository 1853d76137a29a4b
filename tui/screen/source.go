package screen

import (
	"context"

	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
	"iterion/sched/gate"
	"iterion/sched/resident"
	"iterion/sched/trigger"
)

// Source is the daemon as the screens see it; *control.Client is one. Methods
// may block until their context ends and are only called from commands.
type Source interface {
	Status(ctx context.Context) (control.Status, error)
	// Watch hands over frames until ctx ends, the daemon goes away or the
	// function fails.
	Watch(ctx context.Context, frame func(control.Frame) error) error

	Issue(ctx context.Context, id string) (board.Issue, error)
	Why(ctx context.Context, id string) ([]dispatch.Verdict, error)
	Create(ctx context.Context, c control.CreateIssue) (board.Issue, error)
	Move(ctx context.Context, id string, m control.MoveIssue) (board.Issue, error)
	Comment(ctx context.Context, id string, c control.AddComment) (board.Comment, error)
	ClearLastRun(ctx context.Context, id string, by control.By) (board.Issue, error)
	Update(ctx context.Context, id string, u control.UpdateIssue) (board.Issue, error)

	Bots(ctx context.Context) ([]control.BotInfo, error)
	Run(ctx context.Context, id string) (run.Record, error)
	// Log returns at most limit bytes of a run's log from offset on.
	Log(ctx context.Context, id string, offset, limit int64) (control.LogChunk, error)
	CancelRun(ctx context.Context, id string, by control.By) (run.Record, error)
	PauseRun(ctx context.Context, id string, by control.By) (run.Record, error)
	ResumeRun(ctx context.Context, id string, by control.By) (run.Record, error)
	// Question returns what a paused run asks; AnswerRun answers it and lets it go on.
	Question(ctx context.Context, id string) (run.Interaction, error)
	AnswerRun(ctx context.Context, id string, a control.Answer) (run.Record, error)

	Schedules(ctx context.Context) ([]resident.Row, error)
	RunSchedule(ctx context.Context, id string, by control.By) (gate.Record, error)
	SetSchedule(ctx context.Context, id string, in control.SetSchedule) (resident.Row, error)
	// Ticks hands over records of the tick audit, oldest first.
	Ticks(ctx context.Context, q control.TickQuery, send func(gate.Record) error) error

	Subscriptions(ctx context.Context) (control.Subscriptions, error)
	SetSubscription(ctx context.Context, id string, in control.SetSchedule) (trigger.Subscription, error)
	Effects(ctx context.Context) ([]trigger.Effect, error)
	RetryEffect(ctx context.Context, id string, by control.By) (trigger.Effect, error)
	DropEffect(ctx context.Context, id string, by control.By) (trigger.Effect, error)

	Pause(ctx context.Context, p control.Pause) (control.Status, error)
	Unpause(ctx context.Context, p control.Pause) (control.Status, error)
	Refresh(ctx context.Context, by control.By) (control.Status, error)
	Reload(ctx context.Context, by control.By) (control.Status, error)
	Stop(ctx context.Context, s control.Stop) (control.StopReport, error)
}
