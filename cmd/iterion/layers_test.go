package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// source is one Go file of the module.
type source struct {
	dir, name string // relative to the module's root, slashes
	file      *ast.File
}

func (s source) test() bool { return strings.HasSuffix(s.name, "_test.go") }

// imports returns the import paths of the file.
func (s source) imports() []string {
	var paths []string
	for _, spec := range s.file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

const moduleRoot = "../.."

// sources parses every Go file of the module. It reads the files itself, so that
// the test cache knows what the answer depends on.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	fset := token.NewFileSet()
	err := filepath.WalkDir(moduleRoot, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != moduleRoot && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "bin") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") {
			return nil
		}
		f, err := parser.ParseFile(fset, p, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(moduleRoot, p)
		all = append(all, source{dir: path.Dir(filepath.ToSlash(rel)), name: d.Name(), file: f})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("found %d source files: the walk is broken", len(all))
	}
	return all
}

// rooms says for each room which other rooms of the module its code may import.
// A pattern ending in "/..." takes in everything below. A package belongs to the
// longest room that its path begins with; a room may always import what lies in
// its own folder below it, as far as rooms of their own say nothing else.
var rooms = map[string][]string{
	"cmd/iterion":              {"cmd/iterion/internal/cli", "bots/supervise"},
	"cmd/iterion/internal/cli": {"tui", "daemon", "daemon/...", "native", "native/...", "bots", "bots/...", "sched/..."},

	"tui":          {"tui/...", "daemon/control", "daemon/dispatch", "native/board", "native/run", "sched/..."},
	"tui/kit":      {"native/board", "native/run"},
	"tui/markdown": {"tui/kit"},
	"tui/mirror":   {"tui/kit", "daemon/control", "daemon/dispatch", "native/board", "native/run"},

	"daemon":           {"daemon/...", "native", "native/...", "sched/...", "bots", "bots/...", "cloud"},
	"daemon/control":   {"daemon/dispatch", "native/board", "native/run", "sched/gate", "sched/resident", "sched/trigger"},
	"daemon/dispatch":  {"native/board", "native/run", "bots/manifest", "sched/..."},
	"daemon/watchdog":  {"daemon/dispatch", "native/board", "native/run"},
	"daemon/workspace": {"daemon/dispatch", "native/board", "native/run", "native/atomicfile", "native/filelock", "native/proctree"},

	"native":                 {"native/board", "native/atomicfile", "native/jsonl", "native/filelock", "native/proctree", "native/watch"},
	"native/board":           {},
	"native/board/boardtest": {"native/board"},
	"native/run":             {"native/board", "native/atomicfile", "native/jsonl", "native/filelock", "native/proctree"},
	"native/doctor":          {"native", "native/board", "native/run", "native/spend", "native/atomicfile", "native/jsonl", "native/filelock"},
	"native/exchange":        {"native/board"},
	"native/spend":           {"native/atomicfile", "native/filelock"},
	"native/storetest":       {},
	"native/atomicfile":      {},
	"native/jsonl":           {"native/atomicfile", "native/filelock"},
	"native/filelock":        {"native/proctree"},
	"native/proctree":        {},
	"native/watch":           {},

	"sched/cronspec":      {},
	"sched/gate":          {"native/proctree"},
	"sched/audit":         {"sched/gate", "native/jsonl", "native/filelock", "native/atomicfile"},
	"sched/hostcron":      {"sched/cronspec", "sched/gate", "sched/audit", "native/jsonl", "native/filelock", "native/atomicfile", "native/proctree"},
	"sched/resident":      {"sched/cronspec", "sched/gate", "sched/audit", "sched/trigger", "native/filelock", "native/atomicfile", "native/proctree"},
	"sched/localrun":      {"sched/gate", "native", "native/run", "native/spend", "native/atomicfile", "native/filelock", "native/proctree", "bots", "bots/manifest", "bots/supervise"},
	"sched/trigger":       {"sched/cronspec", "sched/gate", "native/board", "native/run", "native/atomicfile", "native/filelock", "bots/manifest"},
	"sched/trigger/local": {"sched/trigger", "native/jsonl", "native/filelock", "native/atomicfile"},

	"bots":           {"bots/manifest", "bots/catalog", "native/atomicfile"},
	"bots/agent":     {"bots/agent/..."},
	"bots/catalog":   {},
	"bots/manifest":  {},
	"bots/supervise": {"bots", "bots/agent", "bots/agent/...", "bots/manifest", "native/run", "native/atomicfile", "native/jsonl", "native/filelock", "native/proctree", "native/spend"},
}

// testRooms are what tests may import on top: the suites that are run over a
// contract, and the judge of what a store's files say.
var testRooms = []string{"native/board/boardtest", "native/run/runtest", "native/storetest", "sched/trigger/triggertest"}

// wholeTests is the room whose tests drive the program as a whole and look at
// what it left behind; they may import anything.
const wholeTests = "cmd/iterion"

// libraries says where each outside library is at home. A pattern matches the
// import path and everything below it.
var libraries = map[string][]string{
	"a.iterion/quiet":                  {"tui"}, // ours: named so that it initializes first
	"github.com/spf13/cobra":           {"cmd"},
	"github.com/spf13/pflag":           {"cmd"},
	"github.com/rivo/uniseg":           {"cmd"},
	"github.com/charmbracelet":         {"tui"},
	"github.com/muesli/termenv":        {"tui"},
	"github.com/yuin/goldmark":         {"tui"},
	"github.com/sahilm/fuzzy":          {"tui"},
	"github.com/fsnotify/fsnotify":     {"native/watch"},
	"github.com/gofrs/flock":           {"native/filelock"},
	"go.mongodb.org/mongo-driver":      {"cloud"},
	"github.com/robfig/cron":           {"sched/cronspec"},
	"github.com/prometheus":            {"daemon"},
	"gopkg.in/yaml.v3":                 {"bots/manifest", "daemon", "native/exchange", "sched"},
	"github.com/google/uuid":           {"native", "daemon", "sched"},
	"github.com/dustin/go-humanize":    {"tui", "cmd", "bots", "daemon"},
	"golang.org/x/sys":                 {"native", "bots/supervise", "daemon", "tui", "cmd/iterion/internal/cli", "cmd/iterion"},
	"golang.org/x/term":                {"cmd", "tui"},
	"golang.org/x/sync":                {"daemon", "tui", "bots", "native"},
	"github.com/google/go-cmp":         {testsOnly},
	"go.uber.org/goleak":               {testsOnly},
	"pgregory.net/rapid":               {testsOnly},
	"github.com/rogpeppe/go-internal":  {testsOnly},
	"github.com/charmbracelet/x/exp":   {testsOnly},
	"github.com/aymanbagabas/go-udiff": {testsOnly},
}

// testsOnly is the home of libraries that no shipped code may import.
const testsOnly = "tests"

func TestRoomsImportOneWay(t *testing.T) {
	for _, s := range sources(t) {
		room, ok := roomOf(s.dir)
		if !ok {
			t.Errorf("%s/%s: no room of this name; a new idea gets one in this table", s.dir, s.name)
			continue
		}
		for _, imp := range s.imports() {
			to, ours := strings.CutPrefix(imp, "iterion/")
			if ours && !mayImport(s, room, to) {
				t.Errorf("%s/%s imports %s: %s may import %v", s.dir, s.name, to, room, rooms[room])
			}
		}
	}
}

func mayImport(s source, room, to string) bool {
	target, _ := roomOf(to)
	switch {
	case target == room, to == s.dir:
		return true
	case s.test() && (room == wholeTests || slices.Contains(testRooms, to)):
		return true
	}
	return slices.ContainsFunc(rooms[room], func(pattern string) bool { return matches(pattern, to) })
}

func matches(pattern, p string) bool {
	if under, ok := strings.CutSuffix(pattern, "/..."); ok {
		return strings.HasPrefix(p, under+"/")
	}
	return pattern == p
}

// roomOf returns the longest room that dir is in.
func roomOf(dir string) (string, bool) {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, ok := rooms[dir]; ok {
			return dir, true
		}
	}
	return "", false
}

func TestOutsideLibrariesStayHome(t *testing.T) {
	for _, s := range sources(t) {
		for _, imp := range s.imports() {
			first, _, _ := strings.Cut(imp, "/")
			if !strings.Contains(first, ".") {
				continue // the standard library, or ours
			}
			lib, homes := homeOf(imp)
			switch {
			case lib == "":
				t.Errorf("%s/%s imports %s: no home is written down for it", s.dir, s.name, imp)
			case s.test() && s.dir == wholeTests: // they drive terminals and read screens
			case slices.Contains(homes, testsOnly):
				if !s.test() && !strings.HasSuffix(s.dir, "test") {
					t.Errorf("%s/%s imports %s, which is for tests", s.dir, s.name, imp)
				}
			case !slices.ContainsFunc(homes, func(h string) bool { return s.dir == h || strings.HasPrefix(s.dir, h+"/") }):
				t.Errorf("%s/%s imports %s, which is at home in %v", s.dir, s.name, imp, homes)
			}
		}
	}
}

// homeOf returns the longest entry of libraries that imp is in.
func homeOf(imp string) (string, []string) {
	best := ""
	for lib := range libraries {
		if (imp == lib || strings.HasPrefix(imp, lib+"/")) && len(lib) > len(best) {
			best = lib
		}
	}
	return best, libraries[best]
}

func TestNoRoomIsADrawer(t *testing.T) {
	drawers := []string{"util", "utils", "common", "helper", "helpers", "types", "misc", "shared", "base", "lib"}
	for _, s := range sources(t) {
		for part := range strings.SplitSeq(s.dir, "/") {
			if slices.Contains(drawers, part) {
				t.Errorf("%s: %q says nothing of what is inside", s.dir, part)
			}
		}
	}
}

func TestEveryPackageHasOneComment(t *testing.T) {
	with := map[string][]string{}
	all := map[string]bool{}
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		all[s.dir] = true
		if s.file.Doc != nil {
			with[s.dir] = append(with[s.dir], s.name)
		}
	}
	for dir := range all {
		if files := with[dir]; len(files) != 1 {
			t.Errorf("package %s has %d package comments, want one: %v", dir, len(files), files)
		}
	}
}

func TestPackageCommentsBeginWithTheirName(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() || s.file.Doc == nil {
			continue
		}
		want := "Package " + s.file.Name.Name + " "
		if s.file.Name.Name == "main" {
			want = "Command "
		}
		if !strings.HasPrefix(s.file.Doc.Text(), want) {
			t.Errorf("%s/%s: the package comment does not begin with %q", s.dir, s.name, want)
		}
	}
}
