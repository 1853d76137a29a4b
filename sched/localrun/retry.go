package localrun

import (
	"cmp"

	"iterion/bots/manifest"
)

// Retry merges what is said of a used up allowance: what a later layer says counts
// before what an earlier one does. The layers are, in this order, the machine's
// default, the bot's manifest, the schedule or subscription, and the call.
func Retry(layers ...manifest.Retry) manifest.Retry {
	var r manifest.Retry
	for _, l := range layers {
		r.UsageWindow = cmp.Or(l.UsageWindow, r.UsageWindow)
		r.MaxAttempts = cmp.Or(l.MaxAttempts, r.MaxAttempts)
		r.MaxWait = cmp.Or(l.MaxWait, r.MaxWait)
		r.Jitter = cmp.Or(l.Jitter, r.Jitter)
	}
	return r
}
