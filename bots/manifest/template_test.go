package manifest

import (
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	values := map[string]string{"issue.title": "Fix {{issue.body}}", "issue.fields.repo": "r", "dispatcher.attempt": "2"}
	ref := func(name string) (string, bool) { v, ok := values[name]; return v, ok }
	for in, want := range map[string]string{
		"":                          "",
		"plain { text } }}":         "plain { text } }}",
		"{{issue.title}}":           "Fix {{issue.body}}", // values are not expanded again
		"<{{ issue.fields.repo }}>": "<r>",
		"{{issue.url}}!":            "!", // known, but without a value
		"{{dispatcher.attempt}}{{dispatcher.attempt}}": "22",
	} {
		if got, err := Expand(in, ref); err != nil || got != want {
			t.Errorf("Expand(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
}

func TestCheckTemplateKnowsAClosedSet(t *testing.T) {
	for _, name := range References() {
		name = strings.NewReplacer("NAME", "any thing", "KEY", "x.y").Replace(name)
		if err := CheckTemplate("{{" + name + "}}"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for in, want := range map[string]string{
		"{{issue.titel}}":   "unknown reference {{issue.titel}}, did you mean {{issue.title}}?",
		"{{issue.title":     `"{{issue.title" is not closed, write it like {{issue.title}}`,
		"{{}}":              "unknown reference {{}}, want one of issue.id, ",
		"{{env.HOME}}":      "unknown reference {{env.HOME}}, want one of issue.id, ",
		"{{issue.fields.}}": "unknown reference {{issue.fields.}}",
	} {
		if err := CheckTemplate(in); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("CheckTemplate(%q) = %v, want %q", in, err, want)
		}
	}
}
