package control

import (
	"context"

	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
)

// API is what a daemon does for its clients. The daemon implements it, the
// Server carries it over the socket and the Client has the same methods on the
// other side. A ref is a full id, a bare uuid or a unique prefix.
type API interface {
	Clocking
	Triggering
	Editing

	Status(ctx context.Context) (Status, error)
	// Watch calls send with a full frame and then with every change until ctx
	// ends, send fails or the daemon stops. It never returns nil.
	Watch(ctx context.Context, send func(Frame) error) error

	Issue(ctx context.Context, ref string) (board.Issue, error)
	Why(ctx context.Context, ref string) ([]dispatch.Verdict, error)
	Create(ctx context.Context, in CreateIssue) (board.Issue, error)
	Move(ctx context.Context, ref string, in MoveIssue) (board.Issue, error)
	Comment(ctx context.Context, ref string, in AddComment) (board.Comment, error)
	ClearLastRun(ctx context.Context, ref string, by By) (board.Issue, error)

	Bots(ctx context.Context) ([]BotInfo, error)

	Run(ctx context.Context, ref string) (run.Record, error)
	// Log returns at most limit bytes (0: LogMax) of a run's log from offset on.
	// A negative offset counts from the end.
	Log(ctx context.Context, ref string, offset, limit int64) (LogChunk, error)
	CancelRun(ctx context.Context, ref string, by By) (run.Record, error)
	// PauseRun asks a live run's supervisor to stop its bot and keep the run, in a
	// person's name. The bot must support it.
	PauseRun(ctx context.Context, ref string, by By) (run.Record, error)
	// ResumeRun lets a paused or failed_resumable run go on as soon as a slot is
	// free; one that asked a person must have its answers. It returns once the
	// daemon has taken it over, with the record as it is then: the run may still
	// have to wait. Its card is claimed for it; somebody else's claim on the card
	// is a conflict.
	ResumeRun(ctx context.Context, ref string, by By) (run.Record, error)

	Pause(ctx context.Context, p Pause) (Status, error)
	Unpause(ctx context.Context, p Pause) (Status, error)
	// Refresh looks at the whole board now instead of at the next poll.
	Refresh(ctx context.Context, by By) (Status, error)
	// Reload reads the config file again. One that is wrong is refused with
	// CodeInvalid, and the daemon goes on with what it has.
	Reload(ctx context.Context, by By) (Status, error)
	// Prune removes working folders that nobody needs any more.
	Prune(ctx context.Context, p Prune) (PruneReport, error)
	// Stop ends the daemon soon after the answer.
	Stop(ctx context.Context, s Stop) (StopReport, error)
}

// LogMax bounds the data of one LogChunk.
const LogMax = 1 << 20

// BodyMax bounds the body of a request.
const BodyMax = 4 << 20
