package gate

import (
	"slices"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return noon.Add(-d) }

// running is a run that started and last spoke so long ago.
func running(id string, started, spoke time.Duration) Live {
	return Live{RunID: id, Started: ago(started), LastSign: ago(spoke), Running: true, Status: "running"}
}

func TestPoliciesOverLiveRuns(t *testing.T) {
	const h, m = time.Hour, time.Minute
	young, old := running("young", m, m), running("old", h, m)
	silent := running("silent", h, 5*m)
	paused := Live{RunID: "paused", Started: ago(h), LastSign: ago(h), Status: "paused_waiting_human"}
	queued := Live{RunID: "queued", Started: ago(h), Status: "queued"}
	broken := Live{RunID: "broken", Started: ago(h), Running: true, Unreadable: "bad JSON"}
	keep := Policy{Overlap: Keepalive}
	tests := []struct {
		name     string
		policy   Policy
		live     []Live
		fire     bool
		blocking string
		end      []string
		reason   string // a part
	}{
		{"skip with none", Policy{}, nil, true, "", nil, ""},
		{"skip names the oldest", Policy{Overlap: Skip}, []Live{young, old}, false, "old", nil, "run old is running, and 1 more"},
		{"skip knows no staleness", Policy{}, []Live{silent}, false, "silent", nil, "is running"},
		{"skip counts a paused run", Policy{}, []Live{paused}, false, "paused", nil, "has not ended (paused_waiting_human)"},
		{"skip counts a queued run", Policy{}, []Live{queued}, false, "queued", nil, "(queued)"},
		{"skip counts an unreadable run and names it", Policy{}, []Live{broken}, false, "broken", nil, "bad JSON"},
		{"allow without limit", Policy{Overlap: Allow}, []Live{old, young}, true, "", nil, "beside run old, young"},
		{"allow counts the new one", Policy{Overlap: Allow, MaxConcurrent: 2}, []Live{young}, true, "", nil, ""},
		{"allow at its limit", Policy{Overlap: Allow, MaxConcurrent: 2}, []Live{young, old}, false, "old", nil, "max_concurrent is 2"},
		{"allow one", Policy{Overlap: Allow, MaxConcurrent: 1}, []Live{paused}, false, "paused", nil, ""},
		{"allow names an unreadable one beside which it fires", Policy{Overlap: Allow}, []Live{broken}, true, "", nil, "bad JSON"},
		{"keepalive with none", keep, nil, true, "", nil, ""},
		{"keepalive with one that speaks", keep, []Live{young}, false, "young", nil, "run young is running"},
		{"keepalive just before staleness", keep, []Live{running("r", h, 5*m-1)}, false, "r", nil, ""},
		{"keepalive at staleness", keep, []Live{silent}, true, "", []string{"silent"}, "silent for 5m0s"},
		{"keepalive with its own staleness", Policy{Overlap: Keepalive, StaleAfter: time.Minute}, []Live{old}, true, "", []string{"old"}, "stale_after is 1m0s"},
		{"keepalive with a stale one and one that speaks", keep, []Live{silent, young}, false, "young", nil, "run silent is stale"},
		{"keepalive: paused is never stale", keep, []Live{paused}, false, "paused", nil, ""},
		{"keepalive: queued is never stale", keep, []Live{queued}, false, "queued", nil, ""},
		{"keepalive: unreadable is never stale", keep, []Live{broken}, false, "broken", nil, "bad JSON"},
		{"keepalive: one that never spoke is judged by its start", keep, []Live{{RunID: "mute", Started: ago(m), Running: true}}, false, "mute", nil, ""},
		{"supersede with none", Policy{Overlap: Supersede}, nil, true, "", nil, ""},
		{"supersede ends all, oldest first", Policy{Overlap: Supersede}, []Live{young, old, queued, paused, broken}, true, "",
			[]string{"old", "queued", "paused", "broken", "young"}, "supersedes run old"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := Judge(tt.policy, tt.live, noon)
			if j.Fire != tt.fire || j.Blocking != tt.blocking || !slices.Equal(j.End, tt.end) {
				t.Errorf("got %+v, want fire %v, blocking %q, end %v", j, tt.fire, tt.blocking, tt.end)
			}
			if !strings.Contains(j.Reason, tt.reason) {
				t.Errorf("reason %q does not say %q", j.Reason, tt.reason)
			}
			if len(j.End) > 0 && j.Stale != (tt.policy.Overlap == Keepalive) {
				t.Errorf("stale is %v under %s", j.Stale, tt.policy.Overlap)
			}
		})
	}
}

func TestJudgeLeavesItsInputAlone(t *testing.T) {
	live := []Live{running("b", time.Minute, 0), running("a", time.Hour, 0)}
	Judge(Policy{}, live, noon)
	if live[0].RunID != "b" {
		t.Error("the caller's slice was sorted")
	}
}

func TestPolicyCheck(t *testing.T) {
	tests := []struct {
		name    string
		p       Policy
		surface Surface
		part    string // of the refusal; empty: accepted
	}{
		{"nothing said", Policy{}, HostCron, ""},
		{"supersede in the daemon", Policy{Overlap: Supersede}, Trigger, ""},
		{"supersede on host cron", Policy{Overlap: Supersede}, HostCron, "can end runs"},
		{"supersede in the cloud", Policy{Overlap: Supersede}, Cloud, "can end runs"},
		{"unknown", Policy{Overlap: "queue"}, Trigger, `"queue" is not one of`},
		{"limit without allow", Policy{Overlap: Skip, MaxConcurrent: 2}, Trigger, "only with overlap allow"},
		{"negative limit", Policy{Overlap: Allow, MaxConcurrent: -1}, Trigger, "negative"},
		{"staleness without keepalive", Policy{StaleAfter: time.Second}, Trigger, "only with overlap keepalive"},
		{"guard options without guard", Policy{GuardVar: "x"}, Trigger, "only with a guard"},
		{"guard", Policy{Guard: "true", GuardTimeout: time.Second, GuardVar: "x"}, HostCron, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.p.Check(tt.surface)
			if (err == nil) != (tt.part == "") || err != nil && !strings.Contains(err.Error(), tt.part) {
				t.Errorf("Check: %v, want %q", err, tt.part)
			}
		})
	}
}
