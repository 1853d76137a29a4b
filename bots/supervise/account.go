package supervise

import (
	"bytes"
	"fmt"
	"sync"
	"time"

	"iterion/bots/agent"
	"iterion/native/run"
)

// maxText bounds the sentences of a bot that go into the record, in bytes.
const maxText = 4 << 10

// account is what the bot has reported so far. Reports come from several readers.
type account struct {
	hide *redactor
	note func(text string) // for the log
	busy func()            // the bot said something of use
	urge func()            // what was said should be written soon

	mu      sync.Mutex
	said    news
	spent   tally
	session string
	output  results
	fail    *report
	ask     *question
	odd     map[string]bool // complaints, noted once each
}

// news is what the record does not hold yet.
type news struct {
	progress *run.Progress
	cost     bool
	session  bool
	outputs  []string // names, in the order in which they came
}

func (n news) none() bool {
	return n.progress == nil && !n.cost && !n.session && len(n.outputs) == 0
}

// line takes one line. What is no report is passed over.
func (a *account) line(b []byte) {
	r, err := readReport(b)
	if r.Type == "" {
		return
	}
	a.busy()
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.complain("unreadable "+r.Type, fmt.Sprintf("a report of type %q cannot be read and was ignored: %v", r.Type, err))
		if r.Type == typeAsk {
			a.asked(r, err)
		}
		return
	}
	a.take(r)
}

func (a *account) take(r report) {
	switch r.Type {
	case typeProgress:
		a.progress(r.Text, within(r.Percent))
	case typeOutput:
		a.addOutput(r.Data)
	case typeCost:
		a.addCost(r)
	case typeAsk:
		a.asked(r, nil)
	case typeFail:
		r.Message, r.Code = a.sentence(r.Message), a.sentence(r.Code)
		r.notBefore = a.instant(r.RetryAt)
		a.fail = &r
	default:
		kind := a.sentence(r.Type)
		a.complain(kind, fmt.Sprintf("a report of type %q is not understood and was ignored", kind))
	}
}

func (a *account) progress(text string, percent *float64) {
	a.said.progress = &run.Progress{Text: a.sentence(text), Percent: percent, At: time.Now().UTC()}
}

func (a *account) addCost(r report) {
	changed, err := a.spent.report(r)
	if err != nil {
		a.complain("cost", fmt.Sprintf("a cost report was ignored: %v", err))
	}
	a.said.cost = a.said.cost || changed
}

// hear takes what an agent's line means.
func (a *account) hear(s agent.Said) {
	a.busy()
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.Progress != "" {
		a.progress(s.Progress, nil)
	}
	if id := a.sentence(s.Session); id != "" && id != a.session {
		a.session, a.said.session = id, true
		a.urge()
	}
	if s.Counted {
		changed, err := a.spent.total(s.CostUSD, float64(s.TokensIn), float64(s.TokensOut))
		if err != nil {
			a.complain("cost", fmt.Sprintf("a cost of the agent's was ignored: %v", err))
		}
		a.said.cost = a.said.cost || changed
	}
}

// forgetSession makes the next life of the run begin a new one.
func (a *account) forgetSession() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.session != "" {
		a.session, a.said.session = "", true
	}
}

// instant reads when to try again. A time that cannot be read must not cost the
// rest of the report.
func (a *account) instant(text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		a.complain("retry_at", fmt.Sprintf("retry_at %q is no time like 2006-01-02T15:04:05Z and was ignored", text))
	}
	return at.UTC()
}

// complain notes something once for each kind, and for so many kinds only.
func (a *account) complain(kind, text string) {
	if a.odd[kind] || len(a.odd) >= 16 {
		return
	}
	if a.odd == nil {
		a.odd = map[string]bool{}
	}
	a.odd[kind] = true
	a.note(a.sentence(text))
}

// tooLong notes that a line was passed over for its length.
func (a *account) tooLong(what string, limit int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.complain("long "+what, fmt.Sprintf("%s longer than %d bytes was passed over", what, limit))
}

// news returns what was said since the last call, and the totals.
func (a *account) news() (news, tally) {
	a.mu.Lock()
	defer a.mu.Unlock()
	said := a.said
	a.said = news{}
	return said, a.spent
}

func (a *account) sessionID() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.session
}

func (a *account) sentence(s string) string {
	s = a.hide.clean(s)
	if len(s) > maxText {
		s = string(bytes.ToValidUTF8([]byte(s[:maxText]), nil)) + "…"
	}
	return s
}
