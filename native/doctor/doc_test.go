package doctor

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every check is named in the package comment, and nothing else is.
func TestPackageCommentListsTheChecks(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(doc), "# Checks\n")
	table, _, _ = strings.Cut(table, "# Mending\n")
	if !ok {
		t.Fatal("the package comment has no part on the checks")
	}
	inCode := checkIDs(t)
	for id := range inCode {
		if !regexp.MustCompile(`\b` + id + `\b`).MatchString(table) {
			t.Errorf("%s is not in the package comment", id)
		}
	}
	for _, id := range regexp.MustCompile(`(?m)^//\t([a-z]+(?:-[a-z]+)+)`).FindAllStringSubmatch(table, -1) {
		if !inCode[id[1]] {
			t.Errorf("the package comment names %s, which no check has", id[1])
		}
	}
}

func checkIDs(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	ids := map[string]bool{}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(`(?:ID: |quarrelKind = |holder\(.*, )"([a-z-]+)"`).FindAllStringSubmatch(string(code), -1) {
			ids[m[1]] = true
		}
	}
	for _, who := range []string{"writer", "daemon"} { // whose findings are put together
		delete(ids, who)
		for _, what := range []string{"-stopped", "-elsewhere", "-lock-unreadable"} {
			ids[who+what] = true
		}
	}
	return ids
}
