package gate

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// world is what Decide needs, with a memory of what was asked of it.
type world struct {
	live      []Live
	liveErr   error
	endErr    error
	intendErr error
	launchErr error
	steps     []string
	vars      map[string]string
}

func (w *world) ports() Ports {
	return Ports{
		Live: func(context.Context, string) ([]Live, error) {
			w.steps = append(w.steps, "live")
			return w.live, w.liveErr
		},
		End: func(_ context.Context, id string, stale bool, reason string) error {
			what := "end "
			if stale {
				what = "end stale "
			}
			w.steps = append(w.steps, what+id)
			return w.endErr
		},
		Intend: func(context.Context) error { w.steps = append(w.steps, "intend"); return w.intendErr },
		Launch: func(_ context.Context, id string, vars map[string]string) error {
			w.steps = append(w.steps, "launch "+id)
			w.vars = vars
			return w.launchErr
		},
		Now: func() time.Time { return noon.Add(time.Second) },
	}
}

// request is a due slot of a schedule with a policy.
func request(t *testing.T, p Policy) Request {
	return Request{
		Tick: Tick{Surface: HostCron, ScheduleID: "s-1", ScheduleName: "nightly", BotID: "audit", Cron: "0 12 * * *",
			Slot: noon, At: noon, RunID: "run-1"},
		Policy: p, Vars: map[string]string{"prompt": "look"}, Workdir: t.TempDir(),
	}
}

type madeError struct{ error }

func (madeError) RunMade() bool { return true }

func TestI7_EachWayThroughTheGateLeavesOneRecord(t *testing.T) {
	boom := errors.New("boom")
	stale, up := running("stale", time.Hour, time.Hour), running("up", time.Hour, 0)
	tests := []struct {
		name     string
		policy   Policy
		world    world
		reap     bool
		want     Decision
		runID    string
		blocking string
		steps    []string
		says     string // part of reason
		errs     string // part of error; empty: none
	}{
		{"nothing in the way", Policy{}, world{}, false, Fired, "run-1", "", []string{"live", "intend", "launch run-1"}, "", ""},
		{"a run in the way", Policy{}, world{live: []Live{up}}, false, SkippedOverlap, "", "up", []string{"live"}, "run up is running", ""},
		{"runs cannot be listed", Policy{}, world{liveErr: boom}, false, LaunchFailed, "", "", []string{"live"}, "", "listed: boom"},
		{"intent cannot be written", Policy{}, world{intendErr: boom}, false, LaunchFailed, "", "", []string{"live", "intend"}, "", "boom"},
		{"launch fails", Policy{}, world{launchErr: boom}, false, LaunchFailed, "", "", []string{"live", "intend", "launch run-1"}, "", "the launch failed: boom"},
		{"launch fails and leaves a run", Policy{}, world{launchErr: madeError{boom}}, false, LaunchFailed, "run-1", "",
			[]string{"live", "intend", "launch run-1"}, "", "boom"},
		{"stale, and the clock can reap", Policy{Overlap: Keepalive}, world{live: []Live{stale}}, true, Fired, "run-1", "",
			[]string{"live", "end stale stale", "intend", "launch run-1"}, "run stale is stale", ""},
		{"stale, and the clock cannot reap", Policy{Overlap: Keepalive}, world{live: []Live{stale}}, false, Fired, "run-1", "",
			[]string{"live", "intend", "launch run-1"}, "left as it is", ""},
		{"stale, and withstands", Policy{Overlap: Keepalive}, world{live: []Live{stale}, endErr: boom}, true, LaunchFailed, "", "stale",
			[]string{"live", "end stale stale"}, "", "run stale could not be ended: boom"},
		{"superseded", Policy{Overlap: Supersede}, world{live: []Live{up}}, true, Fired, "run-1", "",
			[]string{"live", "end up", "intend", "launch run-1"}, "supersedes run up", ""},
		{"supersede where nothing can be ended", Policy{Overlap: Supersede}, world{live: []Live{up}}, false, LaunchFailed, "", "",
			[]string{"live"}, "", "cannot be superseded"},
		{"supersede with nothing to end", Policy{Overlap: Supersede}, world{}, false, Fired, "run-1", "",
			[]string{"live", "intend", "launch run-1"}, "", ""},
		{"overlap goes before the guard", Policy{Guard: "exit 3"}, world{live: []Live{up}}, false, SkippedOverlap, "", "up", []string{"live"}, "", ""},
		{"guard says no", Policy{Guard: "exit 3"}, world{}, false, GuardBlocked, "", "", []string{"live"}, "exit 3", ""},
		{"guard says no before anything is ended", Policy{Overlap: Supersede, Guard: "exit 1"}, world{live: []Live{up}}, true, GuardBlocked, "", "",
			[]string{"live"}, "exit 1", ""},
		{"what is to be ended is looked at again after the guard", Policy{Overlap: Supersede, Guard: "true"}, world{live: []Live{up}}, true, Fired, "run-1", "",
			[]string{"live", "live", "end up", "intend", "launch run-1"}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, tt.policy)
			r.MayReap = tt.reap
			w := tt.world
			rec := Decide(t.Context(), r, w.ports())
			if rec.Decision != tt.want || rec.RunID != tt.runID || rec.BlockingRunID != tt.blocking {
				t.Errorf("got %s, run %q, blocking %q, want %s, %q, %q", rec.Decision, rec.RunID, rec.BlockingRunID, tt.want, tt.runID, tt.blocking)
			}
			if !slices.Equal(w.steps, tt.steps) {
				t.Errorf("steps %q, want %q", w.steps, tt.steps)
			}
			if !strings.Contains(rec.Reason, tt.says) {
				t.Errorf("reason %q does not say %q", rec.Reason, tt.says)
			}
			if !strings.Contains(rec.Error, tt.errs) || (tt.errs == "") != (rec.Error == "") {
				t.Errorf("error %q, want %q", rec.Error, tt.errs)
			}
			if rec.Schema != Schema || rec.ScheduleID != "s-1" || rec.ScheduleName != "nightly" || rec.BotID != "audit" || !rec.Slot.Equal(noon) {
				t.Errorf("the record does not tell whose it is: %+v", rec)
			}
		})
	}
}

func TestRunThatCameBackToLifeDuringTheGuardIsNotReaped(t *testing.T) {
	r := request(t, Policy{Overlap: Keepalive, Guard: "true"})
	r.MayReap = true
	w := &world{live: []Live{running("r", time.Hour, time.Hour)}}
	p := w.ports()
	looks := 0
	p.Live = func(context.Context, string) ([]Live, error) {
		if looks++; looks > 1 {
			return []Live{running("r", time.Hour, 0)}, nil
		}
		return w.live, nil
	}
	if rec := Decide(t.Context(), r, p); rec.Decision != SkippedOverlap || len(w.steps) > 0 {
		t.Errorf("got %s after %v, want skipped_overlap and nothing done", rec.Decision, w.steps)
	}
}

func TestDecideLeavesTheCallersVarsAlone(t *testing.T) {
	r := request(t, Policy{Guard: "echo 5"})
	w := &world{}
	if rec := Decide(t.Context(), r, w.ports()); rec.Decision != Fired || !rec.At.Equal(noon.Add(time.Second)) {
		t.Errorf("record %+v, want fired, decided after the guard", rec)
	}
	if w.vars["guard_output"] != "5" || w.vars["prompt"] != "look" || len(r.Vars) != 1 {
		t.Errorf("launched with %v, the request has %v", w.vars, r.Vars)
	}
}

func TestKeysTellTicksApart(t *testing.T) {
	slot := Record{Surface: Trigger, ScheduleID: "s", Slot: noon, RunID: "r1", At: noon}
	again := slot
	again.At, again.RunID, again.Decision = noon.Add(time.Hour), "", GuardError
	if slot.Key() != again.Key() {
		t.Error("two records of one slot have two keys")
	}
	byHand := Record{Surface: Trigger, ScheduleID: "s", RunID: "r1", At: noon}
	blocked := Record{Surface: Trigger, ScheduleID: "s", At: noon}
	blockedLater := Record{Surface: Trigger, ScheduleID: "s", At: noon.Add(1)}
	seen := map[string]bool{}
	for _, r := range []Record{slot, byHand, blocked, blockedLater, {Surface: HostCron, ScheduleID: "s", Slot: noon}} {
		if seen[r.Key()] {
			t.Errorf("key %s is not alone", r.Key())
		}
		seen[r.Key()] = true
	}
}
