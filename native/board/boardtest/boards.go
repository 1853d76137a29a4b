package boardtest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"iterion/native/board"
)

func boardCases() []testCase {
	return []testCase{
		{"NewBoardHasTheDefaultColumns", defaultBoard},
		{"SetSchemaReplacesTheBoard", setSchema},
		{"SetSchemaThatChangesNothingLeavesNoEvent", setSchemaNothing},
		{"SetSchemaRefusesWhatCannotBeWorkedWith", setSchemaRefuses},
		{"ColumnThatHoldsCardsCannotGo", columnStays},
		{"FieldsTakeTheirDefaults", fieldDefaults},
		{"ListSelectsAndSorts", lists},
		{"ListRefusesUnknownSortKeys", listRefuses},
		{"ResolveFindsIDsUUIDsAndPrefixes", resolves},
		{"ResolveListsAmbiguousMatches", resolvesNot},
		{"EventsArePagedBySeq", events},
	}
}

// withFields gives the board custom fields, one of them required.
func (b *bed) withFields() {
	b.Helper()
	s, err := b.store.Schema(b.ctx)
	b.ok(err)
	s.Fields = []board.Field{
		{Name: "due", Type: board.FieldDate, Required: true},
		{Name: "size", Type: board.FieldNumber},
		{Name: "sure", Type: board.FieldBool},
		{Name: "risk", Type: board.FieldEnum, EnumValues: []string{"low", "high"}},
	}
	b.ok(b.store.SetSchema(b.ctx, s, alice))
}

func (b *bed) schema() board.Schema {
	b.Helper()
	s, err := b.store.Schema(b.ctx)
	b.ok(err)
	return s
}

func defaultBoard(b *bed) { b.equal(b.schema().States, board.DefaultSchema().States) }

func setSchema(b *bed) {
	s := b.schema()
	s.States = append(s.States, board.State{Name: "someday", Display: "Some day"})
	s.Views = []board.View{{Name: "mine", Assignee: "alice"}}
	e := b.one(board.EventBoardUpdated, func() error { return b.store.SetSchema(b.ctx, s, alice) })
	b.equal(e.IssueID, "")
	got := b.schema()
	if got.UpdatedAt.IsZero() {
		b.Error("the board has no updated_at")
	}
	b.equal(got.States, s.States)
	b.equal(got.Views, s.Views)
	b.equal(b.create(board.Issue{State: "someday"}).State, "someday")
}

func setSchemaNothing(b *bed) {
	before := b.schema()
	other := before
	other.UpdatedAt = time.Now()
	for _, s := range []board.Schema{before, other} {
		b.none(func() error { return b.store.SetSchema(b.ctx, s, alice) })
		b.equal(b.schema(), before)
	}
}

func setSchemaRefuses(b *bed) {
	before := b.schema()
	for _, s := range []board.Schema{
		{},
		{States: []board.State{{Name: "a"}, {Name: "a"}}},
		{States: []board.State{{Name: "a"}}, Fields: []board.Field{{Name: "f", Type: "colour"}}},
	} {
		b.refuses(board.ErrInvalid, func() error { return b.store.SetSchema(b.ctx, s, alice) })
	}
	b.equal(b.schema(), before)
}

func columnStays(b *bed) {
	i := b.create(board.Issue{State: board.StateReview})
	s := b.schema()
	s.States = slices.DeleteFunc(s.States, func(st board.State) bool { return st.Name == board.StateReview })
	b.refuses(board.ErrInvalid, func() error { return b.store.SetSchema(b.ctx, s, alice) })
	b.move(i.ID, board.StateReady)
	b.ok(b.store.SetSchema(b.ctx, s, alice))
	b.refuses(board.ErrInvalid, func() error { return errOf(b.store.Move(b.ctx, i.ID, board.StateReview, alice)) })
}

func fieldDefaults(b *bed) {
	s := b.schema()
	s.Fields = []board.Field{{Name: "team", Type: board.FieldText, Required: true, Default: "core"}}
	b.ok(b.store.SetSchema(b.ctx, s, alice))
	b.equal(b.get(b.create(board.Issue{}).ID).Fields, map[string]any{"team": "core"})
}

func lists(b *bed) {
	one := b.create(board.Issue{Title: "One apple", State: board.StateReady, Labels: []string{"x", "y"}, Assignee: "bob"})
	two := b.create(board.Issue{Title: "two", Body: "a second APPLE", State: board.StateReady, Labels: []string{"x"}, Priority: 5, Bot: "shell"})
	three := b.create(board.Issue{Title: "Three", State: board.StateInbox})
	b.claim(two.ID, "m")
	all := []string{two.ID, one.ID, three.ID}
	for _, c := range []struct {
		name string
		q    board.Query
		want []string
	}{
		{"everything, by priority, then age", board.Query{}, all},
		{"a limit", board.Query{Limit: 2}, all[:2]},
		{"by state", board.Query{States: []string{board.StateInbox, board.StateDone}}, []string{three.ID}},
		{"by all labels", board.Query{Labels: []string{"x", "y"}}, []string{one.ID}},
		{"by assignee", board.Query{Assignee: "bob"}, []string{one.ID}},
		{"by bot", board.Query{Bot: "shell"}, []string{two.ID}},
		{"claimed", board.Query{Claimed: ptr(true)}, []string{two.ID}},
		{"unclaimed", board.Query{Claimed: ptr(false)}, []string{one.ID, three.ID}},
		{"by words", board.Query{Search: "Apple second"}, []string{two.ID}},
		{"by title", board.Query{Sort: "title"}, []string{one.ID, three.ID, two.ID}},
		{"by title, reversed", board.Query{Sort: "-title"}, []string{two.ID, three.ID, one.ID}},
		{"by creation, newest first", board.Query{Sort: "-created"}, []string{three.ID, two.ID, one.ID}},
		{"by column", board.Query{Sort: "state"}, []string{three.ID, two.ID, one.ID}},
		{"nothing", board.Query{Search: "pear"}, nil},
	} {
		b.Logf("query: %s", c.name)
		l, err := b.store.List(b.ctx, c.q)
		b.ok(err)
		b.equal(ids(l.Issues), c.want)
	}
}

func listRefuses(b *bed) {
	b.is(errOf(b.store.List(b.ctx, board.Query{Sort: "prority"})), board.ErrInvalid)
}

func resolves(b *bed) {
	const id = "native:0fe1c2d3-0000-4000-8000-000000000001"
	b.create(board.Issue{ID: id})
	b.create(board.Issue{ID: "native:0fe1ffff-0000-4000-8000-000000000002"})
	for _, ref := range []string{id, "0fe1c2d3-0000-4000-8000-000000000001", "0fe1c", "native:0fe1c", " 0FE1C2 "} {
		got, err := b.store.Resolve(b.ctx, ref)
		b.ok(err)
		b.equal(got, id)
	}
	b.is(errOf(b.store.Resolve(b.ctx, "dead")), board.ErrNotFound)
	b.is(errOf(b.store.Resolve(b.ctx, "0fe")), board.ErrInvalid)
	b.is(errOf(b.store.Resolve(b.ctx, "")), board.ErrInvalid)
}

func resolvesNot(b *bed) {
	for n := range 12 {
		b.create(board.Issue{ID: fmt.Sprintf("native:abcd00%02d-0000-4000-8000-000000000000", n), Title: fmt.Sprint("card ", n)})
	}
	_, err := b.store.Resolve(b.ctx, "abcd")
	var ambiguous *board.AmbiguousError
	if !errors.As(err, &ambiguous) {
		b.Fatal(err)
	}
	b.is(err, board.ErrInvalid)
	b.equal([]int{len(ambiguous.Matches), ambiguous.More}, []int{10, 2})
	b.equal(ambiguous.Matches[3].Title, "card 3")
}

func events(b *bed) {
	tip, err := b.store.Tip(b.ctx)
	b.ok(err)
	b.equal(tip, int64(-1))
	for range 5 {
		b.create(board.Issue{})
	}
	var got []int64
	for after := int64(-1); ; {
		page, err := b.store.Events(b.ctx, after, 2)
		b.ok(err)
		if len(page) == 0 {
			break
		}
		for _, e := range page {
			got, after = append(got, e.Seq), e.Seq
		}
	}
	b.equal(got, []int64{0, 1, 2, 3, 4})
	tip, err = b.store.Tip(b.ctx)
	b.ok(err)
	b.equal(tip, int64(4))
	beyond, err := b.store.Events(b.ctx, 99, 0)
	b.ok(err)
	b.equal(len(beyond), 0)
}
