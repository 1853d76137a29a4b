package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"iterion/native/run"
	"iterion/native/spend"
)

func runEventLine(e run.Event) string {
	s := fmt.Sprintf("%s  %-22s  %s", instant(e.Timestamp), e.Type, runEventDetail(e))
	return strings.TrimRight(visibleLine(s), " ")
}

// runEventDetail says in words what an event holds. What this version does not
// know of is printed as it is: a newer one may have written it.
func runEventDetail(e run.Event) string {
	d := eventData{left: maps.Clone(e.Data)}
	var s string
	switch e.Type {
	case run.EventStarted:
		s = d.named("attempt", "attempt")
	case run.EventProgress:
		s = d.progress()
	case run.EventCost:
		s = d.cost()
	case run.EventOutput:
		s = d.list("names")
	case run.EventAsked:
		s = d.question()
		d.drop("interaction_id")
	case run.EventAnswered:
		s = d.answer()
		d.drop("interaction_id")
	case run.EventPaused:
		s = d.words(d.take("status"), d.take("reason"), d.take("error"))
		d.drop("interaction_id", "paused_at")
	case run.EventResumed:
		s = d.words(d.named("from", "from"), d.named("by", "by"), d.named("attempt", "attempt"))
	case run.EventFinished, run.EventFailed, run.EventCancelled, run.EventInterrupted:
		s = d.outcome()
		d.drop("outcome_seq")
	case run.EventLogTruncated:
		s = "the log is full"
		if limit := d.take("limit"); limit != "" {
			s += ": what came past " + limit + " bytes was left out"
		}
	}
	return d.words(s, fieldsText(d.left))
}

// eventData takes an event's data apart; what is left was not understood.
type eventData struct{ left map[string]any }

func (d eventData) take(key string) string {
	v, ok := d.left[key]
	if !ok {
		return ""
	}
	delete(d.left, key)
	if n, ok := v.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return valueText(v)
}

func (d eventData) drop(keys ...string) {
	for _, k := range keys {
		delete(d.left, k)
	}
}

// named is a value with a word before it, or nothing.
func (d eventData) named(word, key string) string {
	if v := d.take(key); v != "" {
		return word + " " + v
	}
	return ""
}

func (d eventData) words(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

func (d eventData) list(key string) string {
	all, ok := d.left[key].([]any)
	if !ok {
		return d.take(key)
	}
	delete(d.left, key)
	texts := make([]string, len(all))
	for i, v := range all {
		texts[i] = valueText(v)
	}
	return strings.Join(texts, ", ")
}

func (d eventData) progress() string {
	s := d.take("text")
	if percent := d.take("percent"); percent != "" {
		s = strings.TrimSpace(percent + "% " + s)
	}
	return s
}

func (d eventData) cost() string {
	var s string
	if usd, ok := d.left["cost_usd"].(float64); ok {
		delete(d.left, "cost_usd")
		s = spend.Dollars(usd) + " so far"
	}
	return d.words(s, d.counted("tokens_in", "tokens in"), d.counted("tokens_out", "tokens out"))
}

// counted leaves out a count of nothing.
func (d eventData) counted(key, what string) string {
	if n := d.take(key); n != "" && n != "0" {
		return n + " " + what
	}
	return ""
}

func (d eventData) question() string {
	raw, err := json.Marshal(d.left["questions"])
	if err != nil {
		return ""
	}
	form, err := run.ParseForm(raw)
	if err != nil {
		return "" // stays among what was not understood
	}
	delete(d.left, "questions")
	return strings.ReplaceAll(questionText(form), "\n", " | ")
}

func (d eventData) answer() string {
	s := d.words(d.list("names"), d.named("by", "by"))
	if d.take("replaced") == "true" {
		s += ", in place of what was answered before"
	}
	return s
}

func (d eventData) outcome() string {
	s := d.take("status")
	if code := d.take("failure_code"); code != "" {
		s += " (" + code + ")"
	}
	return d.words(s, d.named("exit code", "exit_code"), d.take("error"))
}
