package hostcron

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"iterion/sched/gate"
)

// written is one row of a manifest that a test made up.
type written struct {
	name     string
	text     string   // with what stands above it
	comments []string // in the row
}

// scribe makes up manifests as people write them.
type scribe struct {
	t *rapid.T
	n int
}

func (s *scribe) pick(label string, of ...string) string {
	return rapid.SampledFrom(of).Draw(s.t, label)
}

// comment is unlike all others.
func (s *scribe) comment(w *written) string {
	s.n++
	c := fmt.Sprintf("# c%d.", s.n)
	w.comments = append(w.comments, c)
	return c
}

// tail is what may follow a value in its line.
func (s *scribe) tail(w *written) string {
	if rapid.Bool().Draw(s.t, "tail") {
		return s.pick("gap", " ", "   ") + s.comment(w)
	}
	return s.pick("blanks", "", "  ")
}

func (s *scribe) row(i, dash int) written {
	w := written{name: fmt.Sprintf("row%d", i)}
	if s.pick("style", "block", "block", "block", "flow") == "flow" {
		w.text = strings.Repeat(" ", dash) + fmt.Sprintf("- {name: %s, cron: '%d 1 * * *', bot: b}\n", w.name, i)
		return w
	}
	fields := []string{"name: " + w.name, fmt.Sprintf("cron: %s", s.pick("cron", "'0 1 * * *'", `"*/5 2 * * *"`, "0 3 * * 1")), "bot: b"}
	fields = append(fields, rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"description: it's a \"text\"", "description: >-\n@  folded\n@  # no comment\n@\n@  text", "x-mine: [1,\n@  2]", "x-mine:\n@- 1\n@- 2",
		"guard: |\n@  # sh\n@  test -e go", "timeout: 90s", "disabled: false", "disabled: true", "tz: 'Europe/Paris'", "overlap: allow", "workdir: /a b",
		"vars:\n@  one: 1%\n@%\n@  two: \"2\"%\n@  ü: 3", "vars: {one: 1, two: 2}", "vars:\n@  one: |\n@    a\n@    b",
	}), 0, 5, func(f string) string { k, _, _ := strings.Cut(f, ":"); return k }).Draw(s.t, "extras")...)
	fields = rapid.Permutation(fields).Draw(s.t, "order")
	inner := strings.Repeat(" ", dash+2)
	var out strings.Builder
	for j, f := range fields {
		lead := inner
		if j == 0 {
			lead = strings.Repeat(" ", dash) + "- "
		} else if rapid.Bool().Draw(s.t, "above") {
			out.WriteString(inner + s.comment(&w) + "\n")
		}
		for strings.Contains(f, "%") {
			f = strings.Replace(f, "%", s.tail(&w), 1)
		}
		f = strings.ReplaceAll(f, "@", inner)
		if !strings.ContainsAny(f, "\n") {
			f += s.tail(&w)
		}
		out.WriteString(lead + f + "\n")
	}
	w.text = out.String()
	return w
}

func (s *scribe) manifest() (head string, rows []written, foot string) {
	dash := rapid.SampledFrom([]int{0, 2, 4}).Draw(s.t, "dash")
	head = s.pick("head", "", "# mine\n\n", "version: 1\n", "---\nversion: 1 # of it\n") + "schedules:" + s.pick("after", "\n", " # all\n", "\n\n")
	for i := range rapid.IntRange(1, 4).Draw(s.t, "rows") {
		w := s.row(i, dash)
		if i > 0 {
			above := written{}
			w.text = s.pick("between", "", "\n", "\n"+strings.Repeat(" ", dash)+s.comment(&above)+"\n", "# far left\n") + w.text
		}
		rows = append(rows, w)
	}
	return head, rows, s.pick("foot", "", "\n# the end\n", "x-other: 1\n", "\n\nx: {a: [b]}\n")
}

func (s *scribe) text() string {
	return s.pick("text", "x", "true", "12", "a: b", "# no", " lead", "trail ", "\"q'", "two\nlines", "two\nlines\n", "\ttab", "-", "~", "é % \\ $x", "- a\n  b", "*", "null", "0x1f", "a #b")
}

// edit changes one thing of a schedule.
func (s *scribe) edit(row *Schedule) {
	switch s.pick("what", "cron", "bot", "description", "guard", "timeout", "tz", "var", "less", "none", "policy") {
	case "cron":
		row.Cron = s.pick("to cron", "5 5 * * *", "*/7 * * * *", "@daily")
	case "bot":
		row.Bot = s.pick("to bot", "b2", "true", "12")
	case "description":
		row.Description = s.text()
	case "guard":
		row.Policy.Guard = s.text()
	case "timeout":
		row.Timeout = 90 * time.Minute
	case "tz":
		row.TZ = s.pick("to tz", "", "Asia/Tokyo")
	case "var":
		if row.Vars == nil {
			row.Vars = map[string]string{}
		}
		row.Vars[s.pick("var name", "one", "new", "true", "a b", "ü")] = s.text()
	case "less":
		delete(row.Vars, "one")
	case "none":
		row.Vars = nil
	case "policy":
		row.Policy.Overlap = gate.Allow
		row.Policy.MaxConcurrent = 3
	}
}

// An edit of one row leaves every byte before and behind it, and every comment in it
// that is not part of what was replaced.
func TestPropertyEditsLeaveAllElseByteForByte(t *testing.T) {
	dir := t.TempDir()
	byHand, done := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := &scribe{t: t}
		head, rows, foot := s.manifest()
		i := rapid.IntRange(0, len(rows)-1).Draw(t, "row")
		before, after := head, foot
		for j, w := range rows {
			switch {
			case j < i:
				before += w.text
			case j > i:
				after = after[:len(after)-len(foot)] + w.text + foot
			}
		}
		p := Paths{Manifest: filepath.Join(dir, manifestName)}
		old := before + rows[i].text + after
		if err := os.WriteFile(p.Manifest, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
		var was, want Schedule
		_, err := editorOf(p).Update(t.Context(), rows[i].name, func(row *Schedule) error {
			if row.Vars == nil {
				row.Vars = map[string]string{}
			}
			was = *row
			was.Vars = maps.Clone(row.Vars)
			s.edit(row)
			want = *row
			want.Vars = maps.Clone(row.Vars)
			return nil
		})
		data, readErr := os.ReadFile(p.Manifest)
		if readErr != nil {
			t.Fatal(readErr)
		}
		now := string(data)
		if err != nil {
			if now != old {
				t.Fatalf("refused (%v) and written:\n%s", err, now)
			}
			byHand++
			return
		}
		done++
		if !strings.HasPrefix(now, before) || !strings.HasSuffix(now, after) {
			t.Fatalf("the surroundings changed:\n%s\n--- became\n%s", old, now)
		}
		m, err := Load(p.Manifest, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		got := m.Rows[i]
		for _, k := range keys() {
			if !sameNode(k.get(got.Schedule), k.get(want)) {
				t.Fatalf("%s is not what was asked for:\n%s", k.name, now)
			}
		}
		gone := 0
		for _, c := range rows[i].comments {
			if !strings.Contains(now, c) {
				gone++
			}
		}
		// What is taken out takes the comment in its line with it.
		allowed := 0
		switch {
		case len(want.Vars) == 0 && len(was.Vars) > 0:
			allowed = 3
		case len(want.Vars) < len(was.Vars), want.TZ == "" && was.TZ != "":
			allowed = 1
		}
		if gone > allowed {
			t.Fatalf("%d comments are gone:\n%s\n--- became\n%s", gone, old, now)
		}
	})
	t.Logf("%d edits were made, %d refused", done, byHand)
	if byHand > done/5 {
		t.Errorf("%d of %d edits were refused", byHand, byHand+done)
	}
}

func TestPropertyRemovedRowsTakeNothingWithThem(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s := &scribe{t: t}
		head, rows, foot := s.manifest()
		i := rapid.IntRange(0, len(rows)-1).Draw(t, "row")
		p := Paths{Manifest: filepath.Join(dir, manifestName)}
		old := head
		for _, w := range rows {
			old += w.text
		}
		if err := os.WriteFile(p.Manifest, []byte(old+foot), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := editorOf(p).Remove(t.Context(), rows[i].name); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(p.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		rest := string(data)
		for j, w := range rows {
			text := strings.TrimLeft(w.text, "\n")
			if here := strings.Contains(rest, text); here != (j != i) {
				t.Fatalf("row %d of %d: there %v\n%s\n--- became\n%s", j, i, here, old+foot, rest)
			}
		}
		if !strings.HasSuffix(rest, strings.TrimLeft(foot, "\n")) || !strings.HasPrefix(rest, strings.TrimRight(head, "\n")) {
			t.Fatalf("the surroundings changed:\n%s\n--- became\n%s", old+foot, rest)
		}
	})
}

func TestPropertyAddedRowsReadBack(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s := &scribe{t: t}
		head, rows, foot := s.manifest()
		old := head
		for _, w := range rows {
			old += w.text
		}
		old += foot
		p := Paths{Manifest: filepath.Join(dir, manifestName)}
		if err := os.WriteFile(p.Manifest, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
		want := Schedule{Name: "new", Cron: "0 1 * * *", Bot: "b"}
		for range 3 {
			s.edit(&want)
		}
		if err := editorOf(p).Add(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(p.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		now := string(data)
		at := 0
		for at < len(old) && at < len(now) && old[at] == now[at] {
			at++
		}
		if !strings.HasSuffix(now, old[at:]) || len(now) <= len(old) {
			t.Fatalf("it is more than an insertion:\n%s\n--- became\n%s", old, now)
		}
	})
}
