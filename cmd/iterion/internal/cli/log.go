package cli

import (
	"context"
	"log/slog"
	"strings"
)

// Log is where the rooms report what they found damaged and how they dealt with
// it: each report is a warning.
func (f *Factory) Log() *slog.Logger { return slog.New(warner{f: f}) }

// warner turns log records into warnings for people.
type warner struct {
	f     *Factory
	attrs []slog.Attr
}

// Enabled leaves out what is no trouble.
func (w warner) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

// Handle prints one record.
func (w warner) Handle(_ context.Context, r slog.Record) error {
	var facts []string
	add := func(a slog.Attr) bool {
		facts = append(facts, a.Key+" "+a.Value.String())
		return true
	}
	for _, a := range w.attrs {
		add(a)
	}
	r.Attrs(add)
	text := r.Message
	if len(facts) > 0 {
		text += " (" + strings.Join(facts, ", ") + ")"
	}
	w.f.Warn("%s", text)
	return nil
}

// WithAttrs adds to what each record says.
func (w warner) WithAttrs(attrs []slog.Attr) slog.Handler {
	w.attrs = append(w.attrs[:len(w.attrs):len(w.attrs)], attrs...)
	return w
}

// WithGroup leaves groups out: there is no room for them in a sentence.
func (w warner) WithGroup(string) slog.Handler { return w }
