package bots

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"iterion/bots/manifest"
)

// scaffolded makes a bot and checks that nothing is left to fill in.
func scaffolded(t *testing.T, r Recipe) Bot {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bots")
	path, err := Scaffold(dir, r)
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewRegistry([]string{dir}).Resolve(r.Name)
	if err != nil {
		t.Fatal(err)
	}
	if b.Dir != path || len(b.Manifest.Ignored) > 0 || b.Manifest.Run.Protocol != r.Protocol {
		t.Errorf("resolved to %s, ignored %v, protocol %s; want %s and %s", b.Dir, b.Manifest.Ignored, b.Manifest.Run.Protocol, path, r.Protocol)
	}
	err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(at)
		if strings.Contains(string(data), "{{.") || strings.Contains(string(data), "<no value>") || strings.HasSuffix(at, ".txt") {
			t.Errorf("%s is not filled in:\n%s", at, data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(path, "README.md"))
	if err != nil || !strings.HasPrefix(string(readme), "# "+r.Name+"\n") || !strings.Contains(string(readme), " bots/"+r.Name) {
		t.Errorf("README: %v\n%s", err, readme)
	}
	return b
}

// stage of a scaffold's life in a test: what it is told, how it must exit, what it
// must say.
type turn struct {
	ask, answer string
	exit        int
	says        []string
}

func TestScaffoldsWorkAskAndGoOn(t *testing.T) {
	turns := []turn{
		{ask: "no", says: []string{"progress", "working", "output", "answer", "42"}},
		{ask: "yes", says: []string{"ask", "Shall I begin?", "yes"}},
		{ask: "yes", answer: "yes", says: []string{"progress", "working", "answer"}},
		{ask: "yes", answer: "no", exit: 78, says: []string{"fail", "permanent", "a person said no"}},
	}
	for _, lang := range Langs() {
		for _, p := range []manifest.Protocol{manifest.Plain, manifest.JSONL} {
			t.Run(lang+" "+string(p), func(t *testing.T) {
				needs(t, map[string]string{"sh": "sh", "python": "python3", "go": "go"}[lang])
				b := scaffolded(t, Recipe{Name: "my-bot", Protocol: p, Lang: lang})
				if err := b.Launchable(); err != nil {
					t.Fatal(err)
				}
				for _, now := range turns {
					now.play(t, b)
				}
			})
		}
	}
}

func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("SKIPPED: %s is not installed: its scaffold is not run", program)
	}
}

// play runs the bot once, as a supervisor would start it.
func (now turn) play(t *testing.T, b Bot) {
	t.Helper()
	dir := t.TempDir()
	reports := filepath.Join(dir, "reports.jsonl")
	write := func(name, content string, mode fs.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bin := filepath.Dir(write("iterion", "#!/bin/sh\nprintf '%s|' \"$@\" >>"+reports+"\n", 0o755))
	vars := write("vars.json", `{"prompt":"--tidy up\nand more","ask":"`+now.ask+`"}`, 0o600)

	r := b.Manifest.Run
	cmd := exec.Command("/bin/sh", "-c", r.Script)
	if len(r.Command) > 0 {
		cmd = exec.Command(filepath.Join(b.Dir, r.Command[0]))
	}
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "ITERION_VARS="+vars, "ITERION_VAR_PROMPT=--tidy up\nand more",
		"ITERION_VAR_ASK="+now.ask, "ITERION_EVENTS="+reports, "ITERION_ATTEMPT=1", "ITERION_BOT_DIR="+b.Dir, "ITERION_RUN_DIR="+dir)
	if now.answer != "" {
		cmd.Env = append(cmd.Env, "ITERION_RESUME=1", "ITERION_ANSWERS="+write("answers.json", `{"answer": "`+now.answer+`"}`, 0o600))
	}
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != now.exit {
		t.Fatalf("%+v: exit code %d, %v\n%s", now, code, err, out)
	}
	said := string(out)
	if r.Protocol == manifest.Plain {
		data, err := os.ReadFile(reports)
		if err != nil {
			t.Fatal(err)
		}
		said = string(data)
	}
	for _, want := range now.says {
		if !strings.Contains(said, want) {
			t.Errorf("%+v: said %s, want %q in it", now, said, want)
		}
	}
	if now.ask == "yes" && now.answer == "" && strings.Contains(said, "progress") {
		t.Errorf("worked before it was answered: %s", said)
	}
}

func TestScaffoldRefusesWhatItCannotMake(t *testing.T) {
	dir := t.TempDir()
	var name *NameError
	for _, bad := range []string{"", "My-Bot", "1bot", "a b", "../x", ".x"} {
		if _, err := Scaffold(dir, Recipe{Name: bad, Lang: "sh"}); !errors.As(err, &name) {
			t.Errorf("Scaffold(%q) = %v, want a *NameError", bad, err)
		}
	}
	keep := bundle(t, dir, "taken", "name: taken\n")
	if _, err := Scaffold(dir, Recipe{Name: "taken", Protocol: manifest.Plain, Lang: "sh"}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Scaffold over %s = %v, want fs.ErrExist", keep, err)
	}
	if _, err := Scaffold(dir, Recipe{Name: "b", Protocol: manifest.Plain, Lang: "cobol"}); err == nil || !strings.Contains(err.Error(), "want one of sh, python, go") {
		t.Errorf("Scaffold in cobol = %v", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("refusals left %v behind, %v", left, err)
	}
}
