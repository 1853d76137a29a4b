package trigger

import (
	"slices"
	"strings"

	"github.com/google/uuid"
)

// MaxVars bounds the vars of an event that somebody leaves, in bytes.
const MaxVars = 1 << 20

// EmitSources returns the sources of the events that anybody may leave. What the
// others tell is only believed where it happened.
func EmitSources() []Source { return []Source{SourceCustom, SourceManual} }

// CheckEmit refuses, as ErrInvalid, an event that nobody may leave.
func CheckEmit(e Event) error {
	switch {
	case strings.TrimSpace(e.Kind) == "":
		return invalid("the event has no kind: say what happened, as in deploy.done")
	case e.Source == "":
		return invalid("the event has no source, want one of %s", joined(EmitSources()))
	case !slices.Contains(EmitSources(), e.Source):
		return invalid("source %s: events of this source are told by what happens, not by hand; want one of %s", e.Source, joined(EmitSources()))
	}
	vars, _ := e.Payload["vars"].(map[string]any)
	size := 0
	for k, v := range vars {
		size += len(k) + len(asText(v))
	}
	if size > MaxVars {
		return invalid("the event has %d bytes of vars, at most %d are taken: put them into a file and name that", size, MaxVars)
	}
	return nil
}

// NewEventID returns the id of an event that somebody leaves. A key of the caller's
// makes the same event left again no other one; empty, the id is unique.
func NewEventID(source Source, key string) string {
	if key == "" {
		if id, err := uuid.NewV7(); err == nil {
			key = id.String()
		} else {
			key = uuid.NewString()
		}
	}
	return string(source) + ":" + key
}

// KindRun is the kind of the event of a run that was started by hand.
const KindRun = "manual.run"

// Launched returns the event that tells of a run which somebody started by hand. It
// is a trace and launches nothing.
func Launched(runID, bot, actor string) Event {
	return Event{
		ID: NewEventID(SourceManual, runID), Source: SourceManual, Kind: KindRun, Actor: actor,
		Subject: Subject{Type: "run", ID: runID, Title: bot}, LaunchedRunID: runID,
		Payload: map[string]any{"bot": bot}, OccurredAt: now(),
	}
}
