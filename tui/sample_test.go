package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"iterion/daemon/control"
	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
)

// noon is the time of every drawing in the tests.
var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return noon.Add(-d) }

// columns are the default ones.
func columns() *board.Schema {
	return &board.Schema{States: []board.State{
		{Name: "inbox", Display: "Inbox"}, {Name: "backlog", Display: "Backlog"},
		{Name: "ready", Display: "Ready", Eligible: true}, {Name: "waiting_deps", Display: "Waiting deps"},
		{Name: "in_progress", Display: "In progress", Eligible: true}, {Name: "awaiting_input", Display: "Awaiting input"},
		{Name: "review", Display: "Review"}, {Name: "done", Display: "Done", Terminal: true}, {Name: "blocked", Display: "Blocked", Terminal: true},
	}}
}

func cardID(n int) string {
	return fmt.Sprintf("native:%08x-0000-4000-8000-000000000000", n*0x01010101)
}

func runID(n int) string {
	return fmt.Sprintf("0195%04x-%04x-7000-8000-0000%08x", n, n*7, n*0x01010101)
}

// cardIn is a card with the fields that every card has.
func cardIn(n int, state, title string, more ...func(*control.Card)) control.Card {
	c := control.Card{Issue: board.Issue{
		ID: cardID(n), Title: title, State: state, CreatedAt: ago(time.Duration(n) * time.Hour), UpdatedAt: ago(time.Duration(n) * time.Minute),
		StateAt: ago(time.Duration(n) * time.Minute),
	}}
	for _, f := range more {
		f(&c)
	}
	return c
}

func bot(slug string) func(*control.Card) { return func(c *control.Card) { c.Bot = slug } }
func prio(p int) func(*control.Card)      { return func(c *control.Card) { c.Priority = p } }
func labels(l ...string) func(*control.Card) {
	return func(c *control.Card) { c.Labels = l }
}
func lastRun(n int) func(*control.Card) {
	return func(c *control.Card) {
		c.LastRunID = runID(n)
		c.Runs = append(c.Runs, board.RunRef{RunID: runID(n), At: ago(time.Duration(n) * time.Minute)})
	}
}

// sampleFrame is a board on which everything that can be said of a card is said
// of some card.
func sampleFrame() control.Frame {
	forty := 40.0
	return control.Frame{
		Full: true, Seq: 41, Schema: columns(),
		Cards: []control.Card{
			cardIn(1, "ready", "Cache the manifest index between runs", bot("feature-dev"), prio(2), labels("perf")),
			cardIn(2, "ready", "Write the release notes for 0.4", bot("docs")),
			cardIn(3, "ready", "Retry flaky upload in CI", bot("fix-ci"), labels("ci", "flaky")),
			cardIn(4, "in_progress", "Fix the off-by-one in the pager", bot("fix-bug"), labels("ui"), lastRun(4)),
			cardIn(5, "in_progress", "Port the parser to the new tokenizer, which reads one rune ahead", bot("feature-dev"), prio(1), lastRun(5)),
			cardIn(6, "awaiting_input", "Choose a licence for the example bots", bot("legal"), func(c *control.Card) { c.AwaitingInput = true }),
			cardIn(7, "review", "Update dependencies", bot("renovate"), lastRun(7), func(c *control.Card) { c.Comments = 3 }),
			cardIn(8, "review", "日本語のタイトル 🎉 déjà vu", bot("i18n"), lastRun(8)),
			cardIn(9, "done", "Set up the repository", lastRun(9)),
			cardIn(10, "blocked", "Migrate the wiki", bot("migrate"), lastRun(10), func(c *control.Card) {
				c.GaveUp = &board.GaveUp{RunID: runID(10), State: "blocked", Attempts: 10, Reason: "exit status 1"}
			}),
			cardIn(11, "waiting_deps", "Announce the release", labels("comms"), func(c *control.Card) {
				c.Blockers, c.OpenBlockers = []string{cardID(2), cardID(9)}, []string{cardID(2)}
			}),
			cardIn(12, "ready", "Rotate the staging keys", bot("ops"), func(c *control.Card) {
				c.Claim, c.ClaimLeaseUntil = "alice", noon.Add(14*time.Minute)
			}),
			cardIn(13, "ready", "Trim the container image", bot("ops")),
			cardIn(14, "backlog", "evil \x1b[31mred\x1b[0m \x1b]52;c;aGk=\x07 title\twith\ttabs\u202e"),
		},
		Runs: []run.Record{
			runOf(4, 4, "fix-bug", run.Running, func(r *run.Record) {
				r.Progress = &run.Progress{Text: "running the tests", Percent: &forty, At: ago(5 * time.Second)}
			}),
			runOf(5, 5, "feature-dev", run.Running),
			runOf(7, 7, "renovate", run.Finished),
			runOf(8, 8, "i18n", run.Finished),
			runOf(9, 9, "setup", run.Cancelled),
			runOf(10, 10, "migrate", run.Failed, func(r *run.Record) { r.Error = "exit status 1: the wiki answered 403" }),
		},
		Status: sampleStatus(),
	}
}

func runOf(n, card int, bot string, st run.Status, more ...func(*run.Record)) run.Record {
	r := run.Record{
		ID: runID(n), Bot: bot, BotVersion: "0.1.0", Status: st, Attempt: 1,
		Source: run.Source{Kind: run.SourceIssue, IssueID: cardID(card)}, CreatedAt: ago(time.Duration(n) * time.Minute), StartedAt: ago(time.Duration(n) * time.Minute),
	}
	if st.Final() {
		r.FinishedAt = r.StartedAt.Add(72 * time.Second)
	}
	for _, f := range more {
		f(&r)
	}
	return r
}

func sampleStatus() *control.Status {
	return &control.Status{
		Version: "0.1.0", PID: 42, Host: "ox", StartedAt: ago(time.Hour), Trusted: true, Watcher: control.Watcher{Mode: "watching"},
		StoreDir: "/home/ana/work/.iterion", WorkspaceRoot: "/home/ana/work/.iterion/workspaces", Singleton: true, Watchdog: true,
		Dispatch: dispatch.Snapshot{
			At: noon, Ready: true, SlotsUsed: 2, SlotsMax: 4, Desired: dispatch.Desired{Desired: "running"},
			Running: []dispatch.Running{
				{IssueID: cardID(4), RunID: runID(4), Bot: "fix-bug", Attempt: 1, Phase: dispatch.PhaseRunning, Since: ago(42 * time.Second), StartedAt: ago(42 * time.Second)},
				{IssueID: cardID(5), RunID: runID(5), Bot: "feature-dev", Attempt: 3, Phase: dispatch.PhasePreparing, Since: ago(3 * time.Second)},
			},
			Queue:   []dispatch.Queued{{IssueID: cardID(13), State: "ready", Guard: "bot", Reason: "no bot is called ops"}},
			Parked:  []dispatch.Hold{{IssueID: cardID(6), RunID: runID(6), Question: "Which licence?", Since: ago(time.Hour)}},
			Spend:   dispatch.Spending{Day: "2026-06-01", TotalUSD: 3.2, CapUSD: 10},
			Settled: map[string]int64{dispatch.Completed: 7, dispatch.GaveUp: 1},
			Retries: []dispatch.Retry{{IssueID: cardID(3), Attempts: 2, DueAt: noon.Add(75 * time.Second), Reason: "exit status 75"}},
		},
	}
}

// fake is a Source that answers from memory and writes down what it is asked.
type fake struct {
	mu     sync.Mutex
	asked  []string
	err    error // of every verb
	frames chan control.Frame
	log    map[string]string
	ended  bool  // logs are complete
	sent   int64 // bytes of logs
	body   string
	title  string // of every card that is read whole, where it is set
}

func newFake() *fake {
	return &fake{frames: make(chan control.Frame, 16), log: map[string]string{}, body: sampleBody}
}

const sampleBody = `# What is wrong

The pager stops **one line early** when the text ends without a line break;
see ` + "`Pager.Resize`" + ` and [the report](https://example.org/42).

- scroll to the end
- the last line is missing
  - also with *one* line

` + "```go" + `
top = max(0, len-height) // <- here
` + "```" + `

> It worked in 0.3.
`

func (f *fake) note(format string, args ...any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, fmt.Sprintf(format, args...))
	return f.err
}

func (f *fake) calls() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.asked, "\n")
}

func (f *fake) Status(context.Context) (control.Status, error) { return *sampleStatus(), nil }

func (f *fake) Watch(ctx context.Context, frame func(control.Frame) error) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case fr, ok := <-f.frames:
			if !ok {
				return nil
			}
			if err := frame(fr); err != nil {
				return err
			}
		}
	}
}

func (f *fake) Issue(_ context.Context, id string) (board.Issue, error) {
	for _, c := range sampleFrame().Cards {
		if c.ID == id {
			c.Body = f.body
			if f.title != "" {
				c.Title = f.title
			}
			c.Issue.Comments = []board.Comment{{ID: "1", Author: "alice", Body: "Seen on a 40x10 window too.", CreatedAt: ago(2 * time.Hour)}}
			return c.Issue, nil
		}
	}
	return board.Issue{}, board.ErrNotFound
}

func (f *fake) Why(context.Context, string) ([]dispatch.Verdict, error) {
	return []dispatch.Verdict{
		{Row: 1, Guard: "paused", Answer: dispatch.AnswerPass, Reason: "dispatch is on"},
		{Row: 3, Guard: "slots", Answer: dispatch.AnswerPass, Reason: "2 of 4 in use"},
		{Row: 8, Guard: "bot", Answer: dispatch.AnswerSkip, Reason: "no bot is called ops", Remedy: "iterion bot list shows the ones there are"},
		{Row: 12, Guard: "claim", Answer: dispatch.AnswerActs, Reason: "would be taken"},
	}, nil
}

func (f *fake) Create(_ context.Context, c control.CreateIssue) (board.Issue, error) {
	args := ""
	if len(c.BotArgs) > 0 {
		args = fmt.Sprintf(" args=%v", c.BotArgs)
	}
	err := f.note("create %q %q bot=%q state=%q by=%s%s", c.Title, c.Body, c.Bot, c.State, c.By, args)
	return board.Issue{ID: cardID(99), Title: c.Title, State: c.State}, err
}

func (f *fake) Move(_ context.Context, id string, m control.MoveIssue) (board.Issue, error) {
	return board.Issue{}, f.note("move %s to %s reopen=%v", id, m.To, m.Reopen)
}

func (f *fake) Comment(_ context.Context, id string, c control.AddComment) (board.Comment, error) {
	return board.Comment{}, f.note("comment %s %q by %s", id, c.Body, c.Author)
}

func (f *fake) ClearLastRun(_ context.Context, id string, _ control.By) (board.Issue, error) {
	return board.Issue{}, f.note("clear %s", id)
}

func (f *fake) Bots(context.Context) ([]control.BotInfo, error) {
	return []control.BotInfo{{Slug: "hello", Description: "Says hello", Enabled: true}, {Slug: "shell", Description: "Runs a command", Enabled: true}, {Slug: "off"}}, nil
}

func (f *fake) Run(_ context.Context, id string) (run.Record, error) {
	return run.Record{ID: id}, f.note("run %s", id)
}

func (f *fake) Log(_ context.Context, id string, offset, limit int64) (control.LogChunk, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := f.log[id]
	size := int64(len(text))
	offset = min(offset, size)
	next := min(offset+limit, size)
	f.sent += next - offset
	return control.LogChunk{Offset: offset, Next: next, Size: size, Data: []byte(text[offset:next]), End: f.ended && next == size}, nil
}

func (f *fake) setLog(id, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log[id] = text
}

func (f *fake) CancelRun(_ context.Context, id string, _ control.By) (run.Record, error) {
	return run.Record{}, f.note("cancel %s", id)
}

func (f *fake) Pause(_ context.Context, p control.Pause) (control.Status, error) {
	return control.Status{}, f.note("pause %q by %s", p.Reason, p.By)
}

func (f *fake) Unpause(context.Context, control.Pause) (control.Status, error) {
	return control.Status{}, f.note("unpause")
}

func (f *fake) Refresh(context.Context, control.By) (control.Status, error) {
	return control.Status{}, f.note("refresh")
}

func (f *fake) Stop(_ context.Context, s control.Stop) (control.StopReport, error) {
	return control.StopReport{}, f.note("stop cancel=%v", s.CancelRuns)
}

func (f *fake) Update(_ context.Context, id string, u control.UpdateIssue) (board.Issue, error) {
	said, err := json.Marshal(u)
	if err != nil {
		return board.Issue{}, err
	}
	return board.Issue{ID: id}, f.note("update %s %s", id, said)
}

func (f *fake) PauseRun(_ context.Context, id string, _ control.By) (run.Record, error) {
	return run.Record{ID: id}, f.note("pause run %s", id)
}

func (f *fake) ResumeRun(_ context.Context, id string, _ control.By) (run.Record, error) {
	return run.Record{ID: id}, f.note("resume run %s", id)
}

func (f *fake) Question(_ context.Context, id string) (run.Interaction, error) {
	return run.Interaction{ID: "q1", RunID: id, Questions: run.Form{
		Question: "Ship it?", Fields: []run.Field{
			{Name: "ship", Type: run.FieldBool},
			{Name: "where", Type: run.FieldChoice, Choices: []string{"dev", "prod"}, Default: "dev"},
			{Name: "note", Type: run.FieldText, Label: "Anything else"},
		},
	}}, nil
}

func (f *fake) AnswerRun(_ context.Context, id string, a control.Answer) (run.Record, error) {
	said, err := json.Marshal(a.Values)
	if err != nil {
		return run.Record{}, err
	}
	return run.Record{ID: id}, f.note("answer %s %s by %s", id, said, a.By)
}

func (f *fake) Reload(context.Context, control.By) (control.Status, error) {
	return control.Status{}, f.note("reload")
}
