package agent

import (
	"strings"
	"testing"
)

func TestTextOfAPrompt(t *testing.T) {
	answers := map[string]string{"ship": "yes", "channel": "beta\nand stable"}
	for name, tc := range map[string]struct {
		session string
		prompt  Prompt
		want    string
	}{
		"first":       {"", Prompt{Task: "\nFix it.\n"}, "Fix it.\n\n---\n" + note + "\n"},
		"interrupted": {"s1", Prompt{Task: "Fix it.", Resume: true}, goOn + "\n"},
		"answered": {"s1", Prompt{Task: "Fix it.", Resume: true, Answers: answers},
			"A person answered:\nchannel: beta\nand stable\nship: yes\n\nGo on with the task until it is finished.\n"},
		"answered, but the session is not known": {"", Prompt{Task: "Fix it.", Resume: true, Answers: answers},
			"Fix it.\n\nA person answered:\nchannel: beta\nand stable\nship: yes\n\n---\n" + note + "\n"},
		"interrupted before there was a session": {"", Prompt{Task: "Fix it.", Resume: true}, "Fix it.\n\n---\n" + note + "\n"},
	} {
		if got := (Start{Session: tc.session}).Text(tc.prompt); got != tc.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, tc.want)
		}
	}
}

func TestTheNoteIsShortAndNamesTheCommands(t *testing.T) {
	if n := strings.Count(note, "\n") + 1; n > 3 {
		t.Errorf("the note has %d lines: it goes before every task", n)
	}
	for _, command := range []string{"iterion report ask --question", "iterion report progress"} {
		if !strings.Contains(note, command) {
			t.Errorf("the note does not name %s", command)
		}
	}
}
