package doctor

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"iterion/native/board"
)

// BenchmarkExamine looks at 10,000 cards whose log has 50,000 events.
func BenchmarkExamine(b *testing.B) {
	l := newLab(b)
	fill(l, 10_000, 5)
	for b.Loop() {
		if rep := l.examine(); len(rep.Findings) > 0 || rep.Cards < 10_000 {
			b.Fatalf("%d cards, found %+v", rep.Cards, rep.Findings)
		}
	}
}

// fill writes cards as a store of long use has them.
func fill(l *lab, cards, events int) {
	l.t.Helper()
	var log bytes.Buffer
	log.WriteString(l.read(l.l.Events()))
	seq := int64(strings.Count(log.String(), "\n"))
	at := time.Now().UTC()
	for n := range cards {
		i := board.Issue{ID: fmt.Sprintf("native:%032d", n), Title: "card", Body: strings.Repeat("text ", 60), State: board.StateInbox, UpdatedAt: at}
		data, err := board.EncodeIssue(i)
		l.check(err)
		l.check(os.WriteFile(l.l.IssueFile(i.ID), data, 0o600))
		for range events {
			line, err := board.EncodeEvent(board.Event{Seq: seq, Timestamp: at, Type: board.EventIssueUpdated, IssueID: i.ID})
			l.check(err)
			log.Write(append(line, '\n'))
			seq++
		}
	}
	l.write(l.l.Events(), log.String())
}
