package hostcron

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"iterion/sched/cronspec"
	"iterion/sched/gate"
)

// Schedule is one row of the manifest.
type Schedule struct {
	Name        string
	Cron        string
	TZ          string // empty: the host's zone
	Bot         string
	Workdir     string            // absolute, or below ~/
	StoreDir    string            // the same; empty: the caller finds the store
	Timeout     time.Duration     // of the run; 0: the bot's own
	Vars        map[string]string // of the bot
	Description string
	Disabled    bool
	Policy      gate.Policy
	Retry       Retry
}

// Retry is what a schedule says over its bot's wishes about used up allowances.
// Nil and empty fields say nothing.
type Retry struct {
	UsageWindow string // resume, fresh or off
	MaxAttempts *int
	MaxWait     *time.Duration
	Jitter      *time.Duration
}

// usageWindows are the values of Retry.UsageWindow, as in a bot's manifest.
var usageWindows = []string{"resume", "fresh", "off"}

// nameMax bounds a name, so that it fits a file name with its suffixes anywhere.
const nameMax = 64

// CheckName refuses a name that is not safe as a file name and as a word of a
// crontab line.
func CheckName(name string) error {
	ok := name != "" && len(name) <= nameMax && !strings.ContainsAny(name[:1], "-._")
	for _, r := range name {
		ok = ok && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._", r))
	}
	if !ok {
		return fmt.Errorf("%w name %q: want letters, digits, '-', '_' and '.', beginning with a letter or digit, at most %d",
			ErrInvalid, clip(name), nameMax)
	}
	return nil
}

// Spec reads the schedule's expression, and refuses one that no crontab can hold.
func (s Schedule) Spec(host *time.Location) (cronspec.Spec, error) {
	spec, err := cronspec.Parse(s.Cron, s.TZ, host)
	if err != nil {
		return spec, err
	}
	if every, ok := spec.Every(); ok {
		return spec, &cronspec.Error{Expr: s.Cron, Field: "@every", What: "a crontab knows no intervals",
			Fix: fmt.Sprintf("let the daemon's own scheduler fire it (`iterion trigger add`, every %s), or write minutes, as in `*/5 * * * *`", spanText(every))}
	}
	return spec, nil
}

// clockText is the schedule's clock for records.
func (s Schedule) clockText() string {
	if s.TZ != "" {
		return "TZ=" + s.TZ + " " + s.Cron
	}
	return s.Cron
}

// Check returns what keeps a schedule from being used, without lines.
func (s Schedule) Check(host *time.Location) []Problem {
	var c checker
	c.err("name", CheckName(s.Name))
	if strings.TrimSpace(s.Cron) == "" {
		c.say("cron", "is missing, want an expression like \"0 2 * * *\"")
	} else {
		_, err := s.Spec(host)
		c.err("cron", err)
	}
	if strings.TrimSpace(s.Bot) == "" {
		c.say("bot", "is missing, want the name of a bot: `iterion bot list` shows them")
	}
	c.word("bot", s.Bot)
	c.folder("workdir", s.Workdir)
	c.folder("store_dir", s.StoreDir)
	c.span("timeout", s.Timeout)
	for _, name := range slices.Sorted(maps.Keys(s.Vars)) {
		c.variable(name, s.Vars[name])
	}
	c.err("", s.Policy.Check(gate.HostCron))
	c.zeroByte("guard", s.Policy.Guard)
	c.retry(s.Retry)
	for i := range c.problems {
		c.problems[i].Name = s.Name
	}
	return c.problems
}

// checker collects what is wrong with one schedule.
type checker struct{ problems []Problem }

func (c *checker) say(key, format string, args ...any) {
	c.problems = append(c.problems, Problem{Key: key, What: fmt.Sprintf(format, args...)})
}

// err takes an error's text; that it is an invalid value is known already.
func (c *checker) err(key string, err error) {
	if err == nil {
		return
	}
	text := err.Error()
	for _, sentinel := range []error{ErrInvalid, gate.ErrInvalid} {
		if errors.Is(err, sentinel) {
			text = strings.TrimPrefix(text, sentinel.Error()+": ")
		}
	}
	c.say(key, "%s", text)
}

func (c *checker) word(key, v string) {
	if strings.ContainsFunc(v, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		c.say(key, "%q holds blanks, want one word", clip(v))
	}
}

// folder wants a path that means the same wherever cron starts the tick.
func (c *checker) folder(key, v string) {
	switch {
	case v == "", v == "~", strings.HasPrefix(v, "~/"), filepath.IsAbs(v):
	default:
		c.say(key, "%q depends on where it is read, want a path that begins with / or ~/", clip(v))
	}
	c.zeroByte(key, v)
}

func (c *checker) span(key string, d time.Duration) {
	if d < 0 {
		c.say(key, "%s is negative, want a duration like 90s, 30m or 1h30m", d)
	}
}

func (c *checker) variable(name, value string) {
	key := "vars." + clip(name)
	if name == "" || strings.ContainsAny(name, "=\x00") {
		c.say(key, "is no name of a variable")
	}
	c.zeroByte(key, value)
}

func (c *checker) zeroByte(key, v string) {
	if strings.ContainsRune(v, 0) {
		c.say(key, "holds a zero byte, which no program can be given")
	}
}

func (c *checker) retry(r Retry) {
	if r.UsageWindow != "" && !slices.Contains(usageWindows, r.UsageWindow) {
		c.say("retry_usage_window", "%q is not one of %s", clip(r.UsageWindow), strings.Join(usageWindows, ", "))
	}
	if r.MaxAttempts != nil && *r.MaxAttempts < 0 {
		c.say("retry_max_attempts", "%d is negative, want a number of at least 0", *r.MaxAttempts)
	}
	for key, d := range map[string]*time.Duration{"retry_max_wait": r.MaxWait, "retry_jitter": r.Jitter} {
		if d != nil {
			c.span(key, *d)
		}
	}
	if r.MaxWait != nil && r.Jitter != nil && *r.MaxWait > 0 && *r.Jitter > *r.MaxWait {
		c.say("retry_jitter", "%s is more than retry_max_wait: want at most %s", spanText(*r.Jitter), spanText(*r.MaxWait))
	}
}

// spanText writes a duration without its zero tail: 30m, not 30m0s.
func spanText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// clip keeps what a file holds from filling a message.
func clip(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Expand returns a workdir or store_dir of a row as a path: ~/ is the home folder.
func Expand(path, home string) string {
	if path == "~" {
		return home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}
