package trigger

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"iterion/bots/manifest"
	"iterion/sched/gate"
)

// ErrInvalid is what all refusals of a subscription or an event are.
var ErrInvalid = errors.New("invalid")

// invalidError is an ErrInvalid that says what is wrong and nothing else.
type invalidError string

func (e invalidError) Error() string { return string(e) }

// Unwrap makes every refusal an ErrInvalid.
func (e invalidError) Unwrap() error { return ErrInvalid }

func invalid(format string, args ...any) error { return invalidError(fmt.Sprintf(format, args...)) }

// MaxID bounds the id of a subscription, in bytes.
const MaxID = 200

// Check refuses, as ErrInvalid, a subscription that could not be worked with. Whether
// its bot is there is not asked: that is seen at each launch.
func (s Subscription) Check() error {
	for _, check := range []func() error{s.checkNames, s.checkMode, s.checkClock, s.checkMatch} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (s Subscription) checkNames() error {
	if err := CheckID(s.ID); err != nil {
		return err
	}
	switch {
	case !slices.Contains(Invocations(), s.Invocation):
		return invalid("invocation %q is not one of board, schedule, keepalive, command, forge", s.Invocation)
	case s.BotID == "":
		return invalid("bot_id is missing: name the bot to start")
	case !manifest.ValidName(s.BotID):
		return invalid("bot_id %q is no bot's name, want %s", s.BotID, manifest.NameRule)
	}
	return nil
}

// CheckID refuses, as ErrInvalid, what cannot name a subscription.
func CheckID(id string) error {
	switch {
	case id == "":
		return invalid("id is missing")
	case len(id) > MaxID:
		return invalid("id of %d bytes, at most %d", len(id), MaxID)
	case strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '|' }):
		return invalid("id %q has a blank, a control character or a | in it", id)
	}
	return nil
}

func (s Subscription) checkMode() error {
	switch {
	case s.Mode != Direct && s.Mode != Promote:
		return invalid("mode %q is neither direct (launch a run) nor board (stamp the bot on the card)", s.Mode)
	case s.Mode == Promote && s.Clock():
		return invalid("mode board needs a card, and a clock has none: use mode direct")
	case s.ConsumeLabels && s.Invocation != OnBoard:
		return invalid("consume_labels goes only with invocation board")
	case s.ConsumeLabels && len(s.Match.AllLabels) == 0:
		return invalid("consume_labels has nothing to take off: name the labels in match.all_labels")
	case s.RetryMaxAttempts < 0 || s.RetryMaxWait < 0 || s.RetryJitter < 0:
		return invalid("retry_max_attempts, retry_max_wait and retry_jitter must not be negative")
	case s.RetryUsageWindow != "" && !slices.Contains(windows(), s.RetryUsageWindow):
		return invalid("retry_usage_window %q is not one of %s", s.RetryUsageWindow, strings.Join(windows(), ", "))
	}
	return nil
}

func windows() []string {
	return []string{manifest.UsageResume, manifest.UsageFresh, manifest.UsageOff}
}

func (s Subscription) checkClock() error {
	if !s.Clock() {
		return s.checkNoClock()
	}
	if err := s.Policy().Check(gate.Trigger); err != nil {
		return invalid("%s", strings.TrimPrefix(err.Error(), gate.ErrInvalid.Error()+": "))
	}
	if s.CatchUp != nil && *s.CatchUp < 0 {
		return invalid("catch_up %s: must not be negative", time.Duration(*s.CatchUp))
	}
	if s.Invocation == OnKeepalive {
		return s.checkKeepalive()
	}
	switch {
	case s.Interval != 0:
		return invalid("interval goes only with invocation keepalive: say \"@every %s\" in cron", time.Duration(s.Interval))
	case s.Cron == "" && s.Enabled:
		return invalid("cron is missing: say when to start the bot, as in \"0 2 * * 1\"")
	case s.Cron == "":
		return nil
	}
	return checkCron(s.Cron, s.TZ)
}

func (s Subscription) checkKeepalive() error {
	switch {
	case s.Cron != "" || s.TZ != "":
		return invalid("cron and tz go only with invocation schedule: a keepalive has an interval")
	case s.Interval == 0:
		return invalid("interval is missing: want a duration of at least %s", minInterval)
	case time.Duration(s.Interval) < minInterval:
		return invalid("interval %s: want at least %s", time.Duration(s.Interval), minInterval)
	case s.Overlap != gate.Keepalive:
		return invalid("overlap %s does not fit invocation keepalive: leave it out", s.Overlap)
	}
	return nil
}

func (s Subscription) checkNoClock() error {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"cron", s.Cron != ""}, {"tz", s.TZ != ""}, {"interval", s.Interval != 0}, {"catch_up", s.CatchUp != nil},
		{"overlap", s.Overlap != ""}, {"max_concurrent", s.MaxConcurrent != 0}, {"stale_after", s.StaleAfter != 0},
		{"guard", s.Guard != ""}, {"guard_timeout", s.GuardTimeout != 0}, {"guard_var", s.GuardVar != ""},
	} {
		if f.set {
			return invalid("%s goes only with the clocks, invocation schedule or keepalive", f.name)
		}
	}
	return nil
}

func (s Subscription) checkMatch() error {
	if s.Clock() && !s.Match.empty() {
		return invalid("match goes only with events: a clock asks for none")
	}
	for _, name := range s.Match.Sources {
		if !slices.Contains(Sources(), Source(name)) {
			return invalid("match.sources: %q is not one of %s", name, joined(Sources()))
		}
	}
	for _, kind := range s.Match.Kinds {
		if err := checkKind(kind); err != nil {
			return err
		}
	}
	return nil
}

// checkKind refuses a slip in one of the kinds that iterion makes. Others are free.
func checkKind(kind string) error {
	ours := strings.HasPrefix(kind, "card.") || strings.HasPrefix(kind, "run.")
	switch {
	case strings.TrimSpace(kind) == "":
		return invalid("match.kinds: a blank kind")
	case !ours || slices.Contains(Kinds(), kind):
		return nil
	}
	if near := manifest.Nearest(kind, Kinds()); near != "" {
		return invalid("match.kinds: unknown kind %q, did you mean %s?", kind, near)
	}
	return invalid("match.kinds: unknown kind %q, want one of %s", kind, strings.Join(Kinds(), ", "))
}

func joined[S ~string](names []S) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = string(n)
	}
	return strings.Join(out, ", ")
}
