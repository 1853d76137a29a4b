package boardtest

import (
	"encoding/json"
	"errors"
	"time"

	"iterion/native/board"
)

func importCases() []testCase {
	return []testCase{
		{"ImportFilesANewCardWhole", importNew},
		{"ImportOfTheSameChangesNothing", importSame},
		{"ImportOfAChangeIsOneEvent", importChange},
		{"ImportThatMovesTellsFromAndTo", importMoves},
		{"ImportLeavesAClaimAlone", importClaimed},
		{"ImportNeverShortensCommentsAndRuns", importAppends},
		{"ImportKeepsTheColumnRules", importColumns},
		{"ImportRefusesBadRecords", importRefuses},
		{"ImportedBlockersMayComeLaterButFormNoCycle", importBlockers},
		{"ImportToDoneUnblocks", importUnblocks},
		{"BlockerThatIsImportedAsDoneUnblocks", importDoneBlocker},
		{"ForeignImportOnlyAdds", importForeign},
		{"ForeignImportFollowsItsOwnState", importForeignState},
	}
}

const importedID = "native:0fe1c2d3-0000-4000-8000-00000000000a"

// wholeCard is a card with nearly every part set, as an export would tell it.
func wholeCard() board.Issue {
	at := time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC)
	return board.Issue{
		ID: importedID, Title: "From elsewhere", Body: "b", State: board.StateReview, Labels: []string{"x", "y"}, Priority: 3, Assignee: "bob",
		Bot: "shell", BotArgs: map[string]string{"k": "v"}, ClaimEpoch: 4,
		LastRunID: "r2", LastWorkdir: "/w", Runs: []board.RunRef{{RunID: "r1", At: at}, {RunID: "r2", At: at.Add(time.Hour)}},
		GaveUp:    &board.GaveUp{RunID: "r2", State: board.StateReview, Attempts: 2, Reason: "no", At: at},
		CreatedAt: at, UpdatedAt: at.Add(time.Hour), StateAt: at.Add(time.Minute), StateReason: board.ReasonUnblocked,
		External: &board.External{Provider: "github", Repo: "o/r", Number: 7, URL: "https://example.com/7", State: "OPEN", Extra: board.Extra{"node": json.RawMessage(`"n"`)}},
		Comments: []board.Comment{{ID: "c1", Author: "a", Body: "hi", CreatedAt: at}},
		Extra:    board.Extra{"colour": json.RawMessage(`{"a":1}`)},
	}
}

func (b *bed) imports(want board.Outcome, rec board.Record) func() error {
	return func() error {
		b.Helper()
		_, did, err := b.store.Import(b.ctx, rec, alice)
		if err == nil && did != want {
			b.Fatalf("import: %s, want %s", did, want)
		}
		return err
	}
}

func (b *bed) brings(want board.Outcome, i board.Issue) func() error {
	return b.imports(want, board.Record{Issue: i})
}

func importNew(b *bed) {
	in := wholeCard()
	in.Claim, in.ClaimedAt, in.ClaimLeaseUntil = "m", time.Now(), time.Now()
	e := b.one(board.EventIssueCreated, b.brings(board.ImportCreated, in))
	b.equal(e.Payload.Reason, board.ReasonImport)
	want := wholeCard()
	want.UpdatedAt = e.Timestamp
	b.equal(b.get(importedID), want)
}

func importSame(b *bed) {
	b.ok(b.brings(board.ImportCreated, wholeCard())())
	b.none(b.brings(board.ImportUnchanged, wholeCard()))
	exported := b.get(importedID)
	b.none(b.brings(board.ImportUnchanged, exported))
	b.equal(b.get(importedID), exported)
	plain := b.create(board.Issue{Title: "mine"})
	b.none(b.brings(board.ImportUnchanged, plain))
}

func importChange(b *bed) {
	b.ok(b.brings(board.ImportCreated, wholeCard())())
	was, in := b.get(importedID), wholeCard()
	in.Title, in.Labels, in.BotArgs, in.Extra = "New", []string{"y", "z"}, nil, board.Extra{"size": json.RawMessage("1")}
	in.CreatedAt, in.StateAt, in.StateReason, in.ClaimEpoch = time.Now(), time.Now(), "", 99
	e := b.one(board.EventIssueUpdated, b.brings(board.ImportUpdated, in))
	b.equal(e.Payload.Reason, board.ReasonImport)
	b.equal(e.Payload.Changed, []string{"bot_args", "labels", "size", "title"})
	b.equal([][]string{e.Payload.LabelsAdded, e.Payload.LabelsRemoved}, [][]string{{"z"}, {"x"}})
	want := was
	want.Title, want.Labels, want.BotArgs, want.UpdatedAt = in.Title, in.Labels, nil, e.Timestamp
	want.Extra = board.Extra{"colour": json.RawMessage(`{"a":1}`), "size": json.RawMessage("1")}
	b.equal(b.get(importedID), want)
}

func importMoves(b *bed) {
	b.ok(b.brings(board.ImportCreated, wholeCard())())
	in := wholeCard()
	in.State = board.StateReady
	e := b.one(board.EventIssueStateChanged, b.brings(board.ImportUpdated, in))
	p := e.Payload
	b.equal([]string{p.From, p.To, p.Reason}, []string{board.StateReview, board.StateReady, board.ReasonImport})
	b.equal(p.Changed, []string{"gave_up", "state"})
	now := b.get(importedID)
	b.equal([]any{now.State, now.StateReason, now.StateAt, now.GaveUp}, []any{board.StateReady, board.ReasonImport, e.Timestamp, (*board.GaveUp)(nil)})
}

func importClaimed(b *bed) {
	b.ok(b.brings(board.ImportCreated, wholeCard())())
	was := b.claim(importedID, "m")
	b.equal(was.ClaimEpoch, int64(5))
	b.none(b.brings(board.ImportUnchanged, wholeCard()))
	for name, change := range map[string]func(*board.Issue){
		"state":    func(i *board.Issue) { i.State = board.StateReady },
		"last run": func(i *board.Issue) { i.LastRunID = "r1" },
		"runs":     func(i *board.Issue) { i.Runs = append(i.Runs, board.RunRef{RunID: "r3"}) },
		"awaiting": func(i *board.Issue) { i.AwaitingInput = true },
	} {
		b.Logf("changed: %s", name)
		in := wholeCard()
		change(&in)
		var claimed *board.ClaimedError
		b.refuses(board.ErrConflict, func() error {
			err := b.brings("", in)()
			if !errors.As(err, &claimed) || claimed.Issue.Claim != "m" {
				b.Errorf("error %v", err)
			}
			return err
		})
	}
	in := wholeCard()
	in.Title = "New"
	b.one(board.EventIssueUpdated, b.brings(board.ImportUpdated, in))
	now := b.get(importedID)
	b.equal(now.Title, "New")
	b.equal([]any{now.Fence(), now.ClaimedAt, now.ClaimLeaseUntil}, []any{was.Fence(), was.ClaimedAt, was.ClaimLeaseUntil})
}

func importAppends(b *bed) {
	b.ok(b.brings(board.ImportCreated, wholeCard())())
	own, err := b.store.Comment(b.ctx, importedID, "alice", "mine", alice)
	b.ok(err)
	b.none(b.brings(board.ImportUnchanged, wholeCard()))
	in := wholeCard()
	in.Comments = []board.Comment{{ID: "c2", Author: "z", Body: "more"}}
	in.Runs = []board.RunRef{{RunID: "r0", At: in.Runs[0].At.Add(-time.Hour)}}
	b.one(board.EventIssueUpdated, b.brings(board.ImportUpdated, in))
	now := b.get(importedID)
	b.equal([]string{now.Comments[0].ID, now.Comments[1].ID, now.Comments[2].ID}, []string{"c1", own.ID, "c2"})
	b.equal([]string{now.Runs[0].RunID, now.Runs[1].RunID, now.Runs[2].RunID}, []string{"r0", "r1", "r2"})
}

func importColumns(b *bed) {
	in := wholeCard()
	in.State, in.GaveUp = board.StateDone, nil
	b.ok(b.brings(board.ImportCreated, in)())
	in.State = board.StateReady
	b.refuses(board.ErrTerminal, b.brings("", in))
	in.State = board.StateBlocked
	b.one(board.EventIssueStateChanged, b.brings(board.ImportUpdated, in))
}

func importRefuses(b *bed) {
	b.withFields()
	for name, change := range map[string]func(*board.Issue){
		"no id":          func(i *board.Issue) { i.ID = "" },
		"an id's form":   func(i *board.Issue) { i.ID = "../x" },
		"a blank title":  func(i *board.Issue) { i.Title = " " },
		"a column":       func(i *board.Issue) { i.State = "nowhere" },
		"a blank label":  func(i *board.Issue) { i.Labels = []string{""} },
		"a bot":          func(i *board.Issue) { i.Bot = "No Bot" },
		"a field":        func(i *board.Issue) { i.Fields["colour"] = "red" },
		"a field's type": func(i *board.Issue) { i.Fields["size"] = "large" },
		"a lost field":   func(i *board.Issue) { i.Fields = nil },
		"a comment":      func(i *board.Issue) { i.Comments = []board.Comment{{Body: "x"}} },
		"a run":          func(i *board.Issue) { i.Runs = []board.RunRef{{}} },
		"a blocker":      func(i *board.Issue) { i.Blockers = []string{"a b"} },
		"itself":         func(i *board.Issue) { i.Blockers = []string{importedID} },
	} {
		b.Logf("bad: %s", name)
		in := wholeCard()
		in.Fields = map[string]any{"due": "2026-01-01"}
		change(&in)
		b.refuses(board.ErrInvalid, b.brings("", in))
	}
}

func importBlockers(b *bed) {
	first, second := wholeCard(), wholeCard()
	second.ID = "native:0fe1c2d3-0000-4000-8000-00000000000b"
	first.Blockers, second.Blockers = []string{second.ID}, []string{first.ID}
	b.ok(b.brings(board.ImportCreated, first)())
	b.equal(b.get(first.ID).Blockers, []string{second.ID})
	b.refuses(board.ErrCycle, b.brings("", second))
	second.Blockers = nil
	b.ok(b.brings(board.ImportCreated, second)())
}

func importUnblocks(b *bed) {
	in := wholeCard()
	b.ok(b.brings(board.ImportCreated, in)())
	i := b.waiting(nil, in)
	in.State = board.StateDone
	events := b.told(b.brings(board.ImportUpdated, in))
	b.equal(types(events), []board.EventType{board.EventIssueStateChanged, board.EventIssueUnblocked})
	b.equal(b.get(i.ID).State, board.StateBacklog)
}

func importDoneBlocker(b *bed) {
	blocker, plain, waiting := wholeCard(), wholeCard(), wholeCard()
	plain.ID = "native:0fe1c2d3-0000-4000-8000-00000000000b"
	waiting.ID = "native:0fe1c2d3-0000-4000-8000-00000000000c"
	blocker.State, plain.State = board.StateDone, board.StateDone
	waiting.State, waiting.Blockers = board.StateWaitingDeps, []string{blocker.ID}
	b.one(board.EventIssueCreated, b.brings(board.ImportCreated, plain)) // nobody waits for it
	b.ok(b.brings(board.ImportCreated, waiting)())
	b.equal(b.get(waiting.ID).State, board.StateWaitingDeps)
	events := b.told(b.brings(board.ImportCreated, blocker))
	b.equal(types(events), []board.EventType{board.EventIssueCreated, board.EventIssueUnblocked})
	b.equal(b.get(waiting.ID).State, board.StateBacklog)
	b.equal(b.get(waiting.ID).StateReason, board.ReasonUnblocked)
}

// foreignCard is what a tool says that knows titles, labels and open or closed.
func foreignCard(title, state string, ours string, labels ...string) board.Record {
	return board.Record{Foreign: true, Issue: board.Issue{
		ID: importedID, Title: title, State: ours, Labels: labels, External: &board.External{Provider: "github", State: state},
	}}
}

func importForeign(b *bed) {
	in := wholeCard()
	in.External.ConnectionID = "conn"
	b.ok(b.brings(board.ImportCreated, in)())
	was := b.get(importedID)
	e := b.one(board.EventIssueUpdated, b.imports(board.ImportUpdated, foreignCard("New", "OPEN", board.StateInbox, "q", "x")))
	want := was
	want.Title, want.Labels, want.UpdatedAt = "New", []string{"x", "y", "q"}, e.Timestamp
	want.External = &board.External{Provider: "github", ConnectionID: "conn", State: "OPEN", Extra: was.External.Extra}
	b.equal(b.get(importedID), want)
	b.none(b.imports(board.ImportUnchanged, foreignCard("New", "OPEN", board.StateInbox, "x")))
}

func importForeignState(b *bed) {
	b.ok(b.imports(board.ImportCreated, foreignCard("t", "OPEN", board.StateInbox))())
	b.move(importedID, board.StateReview)
	b.none(b.imports(board.ImportUnchanged, foreignCard("t", "OPEN", board.StateInbox)))
	b.one(board.EventIssueStateChanged, b.imports(board.ImportUpdated, foreignCard("t", "CLOSED", board.StateDone)))
	b.refuses(board.ErrTerminal, b.imports("", foreignCard("t", "OPEN", board.StateInbox)))
	b.ok(errOf(b.store.Reopen(b.ctx, importedID, board.StateReady, alice)))
	b.none(b.imports(board.ImportUnchanged, foreignCard("t", "CLOSED", board.StateDone)))
	b.one(board.EventIssueUpdated, b.imports(board.ImportUpdated, foreignCard("t", "OPEN", board.StateInbox)))
	b.equal(b.get(importedID).State, board.StateReady)
}
