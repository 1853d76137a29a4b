package manifest

import "time"

// Retry is the bot's wish for what follows when the allowance of an account is
// used up: a failure of class quota, which names the instant from which there is
// some again. Such a failure is waited for and spends no attempt of the card; all
// other failures are retried as the dispatcher says. Zero fields leave the
// machine's default in force; a schedule or a subscription may say something else.
type Retry struct {
	// UsageWindow is what is done then, see the Usage constants; empty: default.
	UsageWindow string
	// MaxAttempts is how often in a row a used up allowance is waited for. One time
	// more is a failure like any other.
	MaxAttempts int
	// MaxWait is the longest that is waited for one window. A reset that is further
	// away, or a failure that names none, is a failure like any other.
	MaxWait time.Duration
	// Jitter is the most that is added to a wait, at random, so that runs that share
	// an account do not all come back in the same second.
	Jitter time.Duration
}

// What is done when an allowance is used up.
const (
	UsageResume = "resume" // wait, then go on with the run; a bot that cannot be continued starts anew
	UsageFresh  = "fresh"  // wait, then start a new run
	UsageOff    = "off"    // do not wait: a failure like any other
)

// retry reads the retry block.
func (b *block) retry() Retry {
	in := b.sub("retry")
	if in == nil {
		return Retry{}
	}
	var out Retry
	if n := in.take("usage_window"); n != nil {
		in.oneOf(n, in.at("usage_window"), []string{UsageResume, UsageFresh, UsageOff})
		out.UsageWindow = n.Value
	}
	out.MaxAttempts = in.count("max_attempts")
	if d := in.span("max_wait"); d != nil {
		out.MaxWait = *d
	}
	if d := in.span("jitter"); d != nil {
		out.Jitter = *d
	}
	if out.MaxWait > 0 && out.Jitter > out.MaxWait {
		in.problem(in.take("jitter"), in.at("jitter"), "is %s, more than max_wait: want less than %s", out.Jitter, out.MaxWait)
	}
	in.spare()
	return out
}
