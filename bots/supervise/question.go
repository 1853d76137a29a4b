package supervise

import (
	"encoding/json"
	"fmt"
	"time"

	"iterion/native/run"
)

// codeBadQuestion: the bot asked a person something that cannot be read.
const codeBadQuestion = "BAD_QUESTION"

// maxQuestion bounds a question, in bytes: it is part of the record, which
// everybody reads.
const maxQuestion = 64 << 10

// question is what the bot wants to know of a person, or why that cannot be read.
type question struct {
	form run.Form
	err  error
	at   time.Time
}

// asked takes an ask report, or one that could not be read. The last one counts.
func (a *account) asked(r report, err error) {
	if a.ask != nil {
		a.complain("asked again", "the bot asks more than once: only its last question counts")
	}
	q := &question{err: err, at: time.Now().UTC()}
	if err == nil {
		q.form, q.err = a.form(r.Questions)
	}
	if q.err != nil {
		a.complain("question", "the bot's question cannot be read: "+q.err.Error())
	}
	a.ask = q
}

func (a *account) form(questions json.RawMessage) (run.Form, error) {
	if len(questions) > maxQuestion {
		return run.Form{}, fmt.Errorf("it is longer than %d bytes", maxQuestion)
	}
	form, err := run.ParseForm(questions)
	if err != nil || len(a.hide.secrets) == 0 {
		return form, err
	}
	data, err := json.Marshal(form)
	if err != nil {
		return form, err
	}
	var clean run.Form
	err = json.Unmarshal(a.cleanJSON(data), &clean)
	return clean, err
}

// interaction is the question as a run's folder keeps it.
func (q question) interaction(runID string) run.Interaction {
	return run.Interaction{ID: run.NewID(), RunID: runID, Questions: q.form, AskedAt: q.at}
}
