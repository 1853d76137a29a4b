package manifest

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func testVars() Manifest {
	one := "1"
	return Manifest{Name: "b", Vars: []Var{
		{Name: "prompt", Required: true, Description: "what to do"},
		{Name: "depth", Default: &one, Enum: []string{"1", "2"}},
		{Name: "note"},
	}}
}

func TestResolveVarsFillsInDefaults(t *testing.T) {
	in := map[string]string{"prompt": "x"}
	got, err := testVars().ResolveVars(in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"prompt": "x", "depth": "1"}, got); diff != "" {
		t.Errorf("vars differ (-want +got):\n%s", diff)
	}
	if len(in) != 1 {
		t.Errorf("the caller's map was changed: %v", in)
	}
}

func TestResolveVarsSaysEverythingThatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		in   map[string]string
		want string
	}{
		"missing": {nil, "vars of bot b: prompt is required (what to do)"},
		"blank":   {map[string]string{"prompt": " \n"}, "vars of bot b: prompt is required (what to do)"},
		"enum":    {map[string]string{"prompt": "x", "depth": "3"}, `vars of bot b: depth is "3", want one of 1, 2`},
		"slip":    {map[string]string{"prompt": "x", "dept": "1"}, `vars of bot b: no var "dept", did you mean depth?`},
		"strange": {map[string]string{"prompt": "x", "zzzzzz": "1"}, `vars of bot b: no var "zzzzzz", it has prompt, depth, note`},
		"two": {map[string]string{"depth": "3", "promt": "x"},
			`vars of bot b: prompt is required (what to do); depth is "3", want one of 1, 2; no var "promt", did you mean prompt?`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := testVars().ResolveVars(c.in)
			if !errors.Is(err, ErrInvalid) || err.Error() != c.want {
				t.Errorf("error = %v\nwant    %s", err, c.want)
			}
		})
	}
	_, err := Manifest{Name: "b"}.ResolveVars(map[string]string{"a": "x"})
	if want := `vars of bot b: no var "a", it takes none`; err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}

func TestFitVarsPassesUndeclaredNamesThrough(t *testing.T) {
	got, err := testVars().FitVars(map[string]string{"prompt": "x", "auto_ready": "yes"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"prompt": "x", "depth": "1", "auto_ready": "yes"}, got); diff != "" {
		t.Errorf("vars differ (-want +got):\n%s", diff)
	}
	if _, err := testVars().FitVars(map[string]string{"auto_ready": "yes"}); err == nil {
		t.Error("a missing required var was let through")
	}
	if err := testVars().CheckNames(map[string]string{"note": "x"}); err != nil {
		t.Errorf("CheckNames of a declared name: %v", err)
	}
	if err := testVars().CheckNames(map[string]string{"nota": "x"}); !errors.Is(err, ErrInvalid) {
		t.Errorf("CheckNames of an undeclared name = %v, want ErrInvalid", err)
	}
}

func TestEnvName(t *testing.T) {
	for in, want := range map[string]string{"prompt": "ITERION_VAR_PROMPT", "a-b.c": "ITERION_VAR_A_B_C", "É1": "ITERION_VAR__1"} {
		if got := EnvName(in); got != want {
			t.Errorf("EnvName(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	among := []string{"hello", "shell", "fix-lint"}
	for in, want := range map[string]string{
		"helo": "hello", "ehllo": "hello", "fix_lint": "fix-lint", "fixlint": "fix-lint", "claude": "", "x": "", "": "",
	} {
		if got := Nearest(in, among); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestParseSize(t *testing.T) {
	for in, want := range map[string]int64{
		"1": 1, "12B": 12, "2KiB": 2048, "2 kB": 2000, "64MiB": 64 << 20, "64mib": 64 << 20, "1GB": 1e9, "3GiB": 3 << 30,
	} {
		if got, ok := parseSize(in); !ok || got != want {
			t.Errorf("parseSize(%q) = %d, %v, want %d", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "MiB", "-1", "1.5MiB", "1TiB", "0", "9999999999GiB", "1 2", "KKK1"} {
		if got, ok := parseSize(in); ok {
			t.Errorf("parseSize(%q) = %d, want it refused", in, got)
		}
	}
}
