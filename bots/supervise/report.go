package supervise

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"iterion/native/run"
)

// report is one line in which a bot speaks of itself.
type report struct {
	Type    string         `json:"type"`
	Text    string         `json:"text"`
	Percent *float64       `json:"percent"`
	Data    map[string]any `json:"data"`
	Class   string         `json:"class"`
	Code    string         `json:"code"`
	Message string         `json:"message"`
	RetryAt string         `json:"retry_at"` // RFC 3339

	notBefore time.Time
}

// The classes of a fail report that are told apart.
const (
	classPermanent = "permanent"
	classTransient = "transient"
)

// maxText bounds the sentences of a bot that go into the record, in bytes.
const maxText = 4 << 10

// account is what the bot has reported so far. Reports come from several readers.
type account struct {
	hide   *redactor
	note   func(text string) // for the log
	event  func(run.Event)   // for the run's events
	mu     sync.Mutex
	said   run.Progress
	fresh  bool // progress was said since it was last taken
	output map[string]any
	fail   *report
	odd    map[string]bool // types that were not understood, noted once each
}

// line takes one line. What is no JSON object with a type is no report.
func (a *account) line(b []byte) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 || b[0] != '{' {
		return
	}
	var r report
	if err := json.Unmarshal(b, &r); err != nil || r.Type == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.take(r)
}

func (a *account) take(r report) {
	switch r.Type {
	case "progress":
		a.said = run.Progress{Text: a.sentence(r.Text), Percent: within(r.Percent), At: time.Now().UTC()}
		a.fresh = true
	case "output":
		a.addOutput(r.Data)
	case "fail":
		r.Message, r.Code = a.sentence(r.Message), a.sentence(r.Code)
		r.notBefore = a.instant(r.RetryAt)
		a.fail = &r
	default:
		a.notUnderstood(a.sentence(r.Type))
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
		a.note(fmt.Sprintf("retry_at %q is no time like 2006-01-02T15:04:05Z and was ignored", a.sentence(text)))
	}
	return at.UTC()
}

// addOutput merges: a name reported again takes its new value.
func (a *account) addOutput(data map[string]any) {
	if len(data) == 0 {
		return
	}
	if a.output == nil {
		a.output = map[string]any{}
	}
	clean, _ := a.cleanValue(data).(map[string]any)
	maps.Copy(a.output, clean)
	names := slices.Sorted(maps.Keys(clean))
	a.event(run.Event{Type: run.EventOutput, Data: map[string]any{"names": names}})
}

func (a *account) notUnderstood(kind string) {
	if a.odd[kind] || len(a.odd) >= 16 {
		return
	}
	if a.odd == nil {
		a.odd = map[string]bool{}
	}
	a.odd[kind] = true
	a.note(fmt.Sprintf("a report of type %q is not understood and was ignored", kind))
}

// progress returns what was said since the last call, nil for nothing.
func (a *account) progress() *run.Progress {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.fresh {
		return nil
	}
	a.fresh = false
	said := a.said
	return &said
}

// results returns the output and the fail report. It is called when no reader is
// left.
func (a *account) results() (map[string]any, *report) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.output, a.fail
}

func (a *account) sentence(s string) string {
	s = a.hide.clean(s)
	if len(s) > maxText {
		s = string(bytes.ToValidUTF8([]byte(s[:maxText]), nil)) + "…"
	}
	return s
}

// cleanValue blots secrets out of every string in a JSON value, names included.
func (a *account) cleanValue(v any) any {
	switch v := v.(type) {
	case string:
		return a.hide.clean(v)
	case []any:
		for i := range v {
			v[i] = a.cleanValue(v[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for name, value := range v {
			clean[a.hide.clean(name)] = a.cleanValue(value)
		}
		return clean
	}
	return v
}

func within(percent *float64) *float64 {
	if percent == nil {
		return nil
	}
	p := min(max(*percent, 0), 100)
	return &p
}
