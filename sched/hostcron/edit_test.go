package hostcron

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"iterion/native/filelock"
	"iterion/sched/gate"
)

func editorOf(p Paths) Editor { return Editor{Paths: p, Host: time.UTC, NoFsync: true} }

func textOf(t *testing.T, p Paths) string {
	t.Helper()
	data, err := os.ReadFile(p.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func nightly() Schedule {
	return Schedule{Name: "new", Cron: "*/5 * * * *", Bot: "audit", Vars: map[string]string{"b": "true", "a": "x: y"}}
}

const commented = `# my schedules
version: 1   # of the format

schedules:
  # about the list
  - name: first   # the name
    cron: '0 2 * * *'   # at two
    bot:    audit
    # about the vars
    vars:
      depth: 3   # levels
      # about the note
      note: >
        folded
        # not a comment

      last: "x"

  # about the second
  - bot: audit
    name: second
    cron: "0 3 * * *"
    x-mine: [1, 2]
    guard: |
      # a comment of the shell
      test -e go

  # trailing words
# the end
`

// edited makes the wanted text from the old one by replacing parts of it.
func edited(t *testing.T, text string, oldNew ...string) string {
	t.Helper()
	for i := 0; i < len(oldNew); i += 2 {
		if strings.Count(text, oldNew[i]) != 1 {
			t.Fatalf("%q is not there once", oldNew[i])
		}
		text = strings.Replace(text, oldNew[i], oldNew[i+1], 1)
	}
	return text
}

func TestEditsTouchOnlyTheirLines(t *testing.T) {
	update := func(name string, fn func(*Schedule)) func(Editor) error {
		return func(e Editor) error {
			_, err := e.Update(t.Context(), name, func(s *Schedule) error { fn(s); return nil })
			return err
		}
	}
	switchTo := func(name string, off bool) func(Editor) error {
		return func(e Editor) error { _, err := e.SetDisabled(t.Context(), name, off); return err }
	}
	remove := func(name string) func(Editor) error {
		return func(e Editor) error { _, err := e.Remove(t.Context(), name); return err }
	}
	for name, c := range map[string]struct {
		do     func(Editor) error
		change []string
	}{
		"cron":          {update("first", func(s *Schedule) { s.Cron = "5 4 * * *" }), []string{"'0 2 * * *'", `"5 4 * * *"`}},
		"bot":           {update("first", func(s *Schedule) { s.Bot = "other" }), []string{"bot:    audit\n    #", "bot: other\n    #"}},
		"new key":       {update("first", func(s *Schedule) { s.Timeout = 90 * time.Minute }), []string{`last: "x"` + "\n", `last: "x"` + "\n    timeout: 1h30m\n"}},
		"variable":      {update("first", func(s *Schedule) { s.Vars["depth"] = "4" }), []string{"depth: 3   #", `depth: "4"   #`}},
		"new variable":  {update("first", func(s *Schedule) { s.Vars["zz"] = "true" }), []string{`last: "x"` + "\n", `last: "x"` + "\n      zz: \"true\"\n"}},
		"less variable": {update("first", func(s *Schedule) { delete(s.Vars, "note") }), []string{"      note: >\n        folded\n        # not a comment\n", ""}},
		"no variables": {update("first", func(s *Schedule) { s.Vars = nil }), []string{
			"    vars:\n      depth: 3   # levels\n      # about the note\n      note: >\n        folded\n        # not a comment\n\n      last: \"x\"\n", ""}},
		"block text": {update("second", func(s *Schedule) { s.Policy.Guard = "true" }), []string{
			"guard: |\n      # a comment of the shell\n      test -e go\n", "guard: \"true\"\n"}},
		"many lines": {update("first", func(s *Schedule) { s.Policy.Guard = "a\nb\n" }), []string{
			`last: "x"` + "\n", `last: "x"` + "\n    guard: |\n      a\n      b\n"}},
		"disable":       {switchTo("second", true), []string{"test -e go\n", "test -e go\n    disabled: true\n"}},
		"remove first":  {remove("first"), []string{commented[strings.Index(commented, "  - name: first"):strings.Index(commented, "\n  # about the second")], ""}},
		"remove second": {remove("second"), []string{commented[strings.Index(commented, "  # about the second"):strings.Index(commented, "  # trailing")], ""}},
		"add": {func(e Editor) error { return e.Add(t.Context(), nightly()) }, []string{"test -e go\n",
			"test -e go\n  - name: new\n    cron: \"*/5 * * * *\"\n    bot: audit\n    vars:\n      a: 'x: y'\n      b: \"true\"\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, eol := range []string{"\n", "\r\n"} {
				ends := func(s string) string { return strings.ReplaceAll(s, "\n", eol) }
				p := manifestOf(t, ends(commented))
				if err := c.do(editorOf(p)); err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(ends(edited(t, commented, c.change...)), textOf(t, p)); d != "" {
					t.Errorf("ends %q: %s", eol, d)
				}
			}
		})
	}
}

func TestEditsKnowOtherLayouts(t *testing.T) {
	off := func(name string) func(Editor) error {
		return func(e Editor) error { _, err := e.SetDisabled(t.Context(), name, true); return err }
	}
	on := func(name string) func(Editor) error {
		return func(e Editor) error { _, err := e.SetDisabled(t.Context(), name, false); return err }
	}
	add := func(e Editor) error {
		return e.Add(t.Context(), Schedule{Name: "n", Cron: "0 1 * * *", Bot: "b"})
	}
	noTZ := func(e Editor) error {
		_, err := e.Update(t.Context(), "a", func(s *Schedule) error { s.TZ = ""; return nil })
		return err
	}
	oneMore := func(e Editor) error {
		_, err := e.Update(t.Context(), "a", func(s *Schedule) error { s.Vars["y"] = "2"; return nil })
		return err
	}
	const row = "name: n\n    cron: \"0 1 * * *\"\n    bot: b\n"
	for name, c := range map[string]struct {
		do        func(Editor) error
		old, want string
	}{
		"empty":             {add, "", "version: 1\nschedules:\n  - " + row},
		"comment":           {add, "# mine", "# mine\nversion: 1\nschedules:\n  - " + row},
		"version alone":     {add, "version: 1\n", "version: 1\nschedules:\n  - " + row},
		"empty list":        {add, "schedules: []  # none yet\nx: 1\n", "schedules:   # none yet\n  - " + row + "x: 1\n"},
		"null":              {add, "schedules:\nx: 1\n", "schedules:\n  - " + row + "x: 1\n"},
		"no last newline":   {add, "schedules:\n- {name: a, cron: '0 1 * * *', bot: b}", "schedules:\n- {name: a, cron: '0 1 * * *', bot: b}\n- name: n\n  cron: \"0 1 * * *\"\n  bot: b\n"},
		"key behind":        {add, "schedules:\n  - name: a\n    cron: 0 1 * * *\n    bot: b\nx: 1\n", "schedules:\n  - name: a\n    cron: 0 1 * * *\n    bot: b\n  - " + row + "x: 1\n"},
		"commented row":     {add, "schedules:\n  - name: a\n    bot: b\n    cron: 0 1 * * *\n  # - name: old\n\n# end\n", "schedules:\n  - name: a\n    bot: b\n    cron: 0 1 * * *\n  # - name: old\n  - " + row + "\n# end\n"},
		"flow row":          {off("a"), "schedules:\n  - {name: a, cron: '0 1 * * *', bot: b}\n  - {name: c, cron: '0 1 * * *', bot: b}\n", "schedules:\n  - {name: a, cron: '0 1 * * *', bot: b, disabled: true}\n  - {name: c, cron: '0 1 * * *', bot: b}\n"},
		"dash alone":        {off("a"), "schedules:\n  -\n    name: a\n    cron: 0 1 * * *\n    bot: b\n", "schedules:\n  -\n    name: a\n    cron: 0 1 * * *\n    bot: b\n    disabled: true\n"},
		"deep dash":         {off("a"), "schedules:\n    -   name: a\n        cron: 0 1 * * *\n        bot: b\n", "schedules:\n    -   name: a\n        cron: 0 1 * * *\n        bot: b\n        disabled: true\n"},
		"on":                {on("a"), "schedules:\n  - name: a\n    disabled: true # for now\n    cron: 0 1 * * *\n    bot: b\n", "schedules:\n  - name: a\n    disabled: false # for now\n    cron: 0 1 * * *\n    bot: b\n"},
		"behind the dash":   {noTZ, "schedules:\n  - tz: UTC\n    # name\n    name: a\n    cron: 0 1 * * *\n    bot: b\n", "schedules:\n    # name\n  - name: a\n    cron: 0 1 * * *\n    bot: b\n"},
		"no value":          {off("a"), "schedules:\n  - name: a\n    disabled: # say\n    cron: 0 1 * * *\n    bot: b\n", "schedules:\n  - name: a\n    disabled: true # say\n    cron: 0 1 * * *\n    bot: b\n"},
		"value below":       {off("a"), "schedules:\n  - name: a\n    disabled:\n      false\n    cron: 0 1 * * *\n    bot: b\n", "schedules:\n  - name: a\n    disabled: true\n    cron: 0 1 * * *\n    bot: b\n"},
		"flow with comment": {oneMore, "schedules:\n  - name: a\n    cron: 0 1 * * *\n    vars: {x: 1}   # few\n    bot: b\n", "schedules:\n  - name: a\n    cron: 0 1 * * *\n    vars: {x: \"1\", y: \"2\"} # few\n    bot: b\n"},
		"a broken row":      {off("a"), "schedules:\n  - name: a\n    cron: nonsense\n", "schedules:\n  - name: a\n    cron: nonsense\n    disabled: true\n"},
		"over an anchor":    {off("a"), "d: &d {bot: b}\nschedules:\n  - <<: *d\n    name: a\n    cron: 0 1 * * *\n", "d: &d {bot: b}\nschedules:\n  - <<: *d\n    name: a\n    cron: 0 1 * * *\n    disabled: true\n"},
		"list in a row":     {off("a"), "schedules:\n  - name: a\n    cron: 0 1 * * *\n    bot: b\n    x:\n    - 1\n    - 2\n", "schedules:\n  - name: a\n    cron: 0 1 * * *\n    bot: b\n    x:\n    - 1\n    - 2\n    disabled: true\n"},
		"key beside lists":  {noTZ, "schedules:\n  - name: a\n    tz: UTC\n    x:\n    - 1\n    bot: b\n    cron: 0 1 * * *\n", "schedules:\n  - name: a\n    x:\n    - 1\n    bot: b\n    cron: 0 1 * * *\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := manifestOf(t, c.old)
			if err := c.do(editorOf(p)); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, textOf(t, p)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestEditsRefuseAndWriteNothing(t *testing.T) {
	good := Schedule{Name: "n", Cron: "0 1 * * *", Bot: "b"}
	add := func(change func(*Schedule)) func(Editor) error {
		s := good
		change(&s)
		return func(e Editor) error { return e.Add(t.Context(), s) }
	}
	update := func(name string, fn func(*Schedule) error) func(Editor) error {
		return func(e Editor) error { _, err := e.Update(t.Context(), name, fn); return err }
	}
	const one = "schedules:\n  - name: a\n    cron: 0 1 * * *\n    bot: b\n"
	other := errors.New("other")
	for name, c := range map[string]struct {
		do   func(Editor) error
		text string
		is   error
		says string
	}{
		"bad cron":     {add(func(s *Schedule) { s.Cron = "0 1 * *" }), one, ErrInvalid, "cron"},
		"every":        {add(func(s *Schedule) { s.Cron = "@every 90s" }), one, ErrInvalid, "iterion trigger add"},
		"bad name":     {add(func(s *Schedule) { s.Name = "../x" }), one, ErrInvalid, "name"},
		"taken":        {add(func(s *Schedule) { s.Name = "A" }), one, ErrExists, "line 2"},
		"supersede":    {add(func(s *Schedule) { s.Policy.Overlap = gate.Supersede }), one, ErrInvalid, "supersede"},
		"no yaml":      {add(func(*Schedule) {}), "schedules: [", ErrInvalid, "is no YAML"},
		"newer":        {add(func(*Schedule) {}), "version: 9\n" + one, ErrInvalid, "newer"},
		"flow list":    {add(func(*Schedule) {}), "schedules: [{name: a, cron: 0 1 * * *, bot: b}]\n", ErrInvalid, "by hand"},
		"end mark":     {add(func(*Schedule) {}), one + "x: |\n  y\n...\n# z\n", nil, ""},
		"unknown":      {func(e Editor) error { _, err := e.Remove(t.Context(), "b"); return err }, one, ErrUnknown, `no schedule "b"`},
		"unknown off":  {func(e Editor) error { _, err := e.SetDisabled(t.Context(), "b", true); return err }, one, ErrUnknown, ""},
		"rename":       {update("a", func(s *Schedule) error { s.Name = "z"; return nil }), one, ErrInvalid, "name of a schedule stays"},
		"bad update":   {update("a", func(s *Schedule) error { s.Workdir = "rel"; return nil }), one, ErrInvalid, "workdir"},
		"own refusal":  {update("a", func(*Schedule) error { return other }), one, other, ""},
		"merged value": {update("a", func(s *Schedule) error { s.TZ = ""; return nil }), "d: &d {tz: UTC}\nschedules:\n  - <<: *d\n    name: a\n    cron: 0 1 * * *\n    bot: b\n", ErrInvalid, "by hand"},
		"shared value": {update("a", func(s *Schedule) error { s.Bot = "x"; return nil }), "schedules:\n  - name: a\n    cron: 0 1 * * *\n    bot: &b b\n  - name: c\n    cron: 0 1 * * *\n    bot: *b\n", ErrInvalid, "by hand"},
		"enable a broken": {func(e Editor) error { _, err := e.SetDisabled(t.Context(), "a", false); return err },
			"schedules:\n  - name: a\n    cron: nonsense\n    disabled: true\n", ErrInvalid, "bot: is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			p := manifestOf(t, c.text)
			err := c.do(editorOf(p))
			if c.is == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
			if got := textOf(t, p); got != c.text {
				t.Errorf("it was written:\n%s", got)
			}
		})
	}
}

func TestUpdateMendsABrokenRow(t *testing.T) {
	p := manifestOf(t, "schedules:\n  - name: a\n    cron: nonsense # why\n    bot: b\n    timeout: 30 # min\n")
	changed, err := editorOf(p).Update(t.Context(), "a", func(s *Schedule) error {
		s.Cron, s.Timeout = "0 1 * * *", 30*time.Minute
		return nil
	})
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	if got, want := textOf(t, p), "schedules:\n  - name: a\n    cron: \"0 1 * * *\" # why\n    bot: b\n    timeout: 30m # min\n"; got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestUpdateWithoutADifferenceWritesNothing(t *testing.T) {
	p := manifestOf(t, commented)
	before, _ := os.Stat(p.Manifest)
	changed, err := editorOf(p).Update(t.Context(), "first", func(*Schedule) error { return nil })
	after, _ := os.Stat(p.Manifest)
	if changed || err != nil || !os.SameFile(before, after) {
		t.Errorf("changed %v, %v", changed, err)
	}
	off, err := editorOf(p).SetDisabled(t.Context(), "first", false)
	if off || err != nil {
		t.Errorf("enabled what was: %v, %v", off, err)
	}
}

func TestFirstAddMakesAPrivateManifest(t *testing.T) {
	p := Default(filepath.Join(t.TempDir(), "home"))
	if err := editorOf(p).Add(t.Context(), nightly()); err != nil {
		t.Fatal(err)
	}
	file, err := os.Stat(p.Manifest)
	if err != nil || file.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", file.Mode(), err)
	}
	dir, err := os.Stat(p.Dir())
	if err != nil || dir.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", dir.Mode(), err)
	}
	if d := cmp.Diff(nightly(), mustLoad(t, p).Rows[0].Schedule); d != "" {
		t.Error(d)
	}
	if s, known, err := ReadState(p, "new"); !known || err != nil || s.ArmedAt.IsZero() {
		t.Errorf("not armed: %+v, %v, %v", s, known, err)
	}
}

func TestEditsKeepALinkAndThePermissions(t *testing.T) {
	dots := filepath.Join(t.TempDir(), "dotfiles", "s.yaml")
	if err := os.MkdirAll(filepath.Dir(dots), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dots, []byte("schedules:\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := Paths{Manifest: filepath.Join(t.TempDir(), manifestName)}
	if err := os.Symlink(dots, p.Manifest); err != nil {
		t.Fatal(err)
	}
	if err := editorOf(p).Add(t.Context(), nightly()); err != nil {
		t.Fatal(err)
	}
	link, err := os.Lstat(p.Manifest)
	if err != nil || link.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", link.Mode(), err)
	}
	info, err := os.Stat(dots)
	if err != nil || info.Mode().Perm() != 0o644 || !strings.Contains(textOf(t, p), "name: new") {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(p.State("new")); err != nil {
		t.Errorf("the state is not beside the link: %v", err)
	}
}

func TestEditsOfManyAtOnceAllSurvive(t *testing.T) {
	p := manifestOf(t, commented)
	var all sync.WaitGroup
	for _, name := range strings.Fields("a b c d e f g h") {
		all.Go(func() {
			if err := editorOf(p).Add(t.Context(), Schedule{Name: name, Cron: "0 1 * * *", Bot: "b"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := len(mustLoad(t, p).Rows); n != 10 {
		t.Errorf("%d rows, want 10", n)
	}
}

func TestEditOfAManifestThatIsSavedMeanwhileIsAConflict(t *testing.T) {
	p := manifestOf(t, commented)
	saved := commented + "# saved\n"
	_, err := editorOf(p).Update(t.Context(), "first", func(s *Schedule) error {
		s.Bot = "x"
		return os.WriteFile(p.Manifest, []byte(saved), 0o600)
	})
	if !errors.Is(err, ErrConflict) || textOf(t, p) != saved {
		t.Errorf("got %v and\n%s", err, textOf(t, p))
	}
}

func TestEditThatWaitsTooLongNamesTheHolder(t *testing.T) {
	p := manifestOf(t, commented)
	e := editorOf(p)
	e.wait = time.Millisecond
	lock, err := filelock.TryAcquire(p.manifestLock())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	var held *filelock.HeldError
	if _, err := e.SetDisabled(t.Context(), "first", true); !errors.As(err, &held) || held.Holder.PID != os.Getpid() {
		t.Errorf("got %v", err)
	}
}
