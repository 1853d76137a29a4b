package localrun

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"iterion/bots/manifest"
	"iterion/native/run"
	"iterion/sched/gate"
)

func TestLaunchCarriesWhoAndWhat(t *testing.T) {
	b := newLab(t)
	b.bot("says", `echo "$ITERION_VAR_TONE $ITERION_VAR_GUARD_OUTPUT $ITERION_SCHEDULE $PWD"`, "vars:\n  tone: {default: quiet}")
	l := of("says", "nightly")
	l.Name, l.ChainDepth, l.Workdir, l.By = "nightly audit", 3, b.root, "cron"
	l.Source.SubscriptionID, l.Source.EventID = "sub", "ev"
	l.Vars, l.Env = map[string]string{"guard_output": "42"}, map[string]string{"ITERION_SCHEDULE": "nightly"}
	rec := b.launch(l)
	if rec.ID != l.RunID || rec.Status == run.Queued {
		t.Errorf("launched as %+v", rec)
	}
	rec = b.await(l.RunID)
	if rec.Source != l.Source || rec.Name != l.Name || rec.ChainDepth != 3 || rec.Inputs["tone"] != "quiet" || rec.Status != run.Finished {
		t.Errorf("record %+v", rec)
	}
	log, err := os.ReadFile(b.h.Runs.LogPath(l.RunID))
	b.must(err)
	if want := "quiet 42 nightly " + b.root + "\n"; string(log) != want {
		t.Errorf("the bot saw %q, want %q", log, want)
	}
}

func TestI8_LaunchOfOneIDHappensOnce(t *testing.T) {
	b := newLab(t)
	b.bot("counts", `echo once >> "$COUNT"`, "run:\n  env: {COUNT: "+filepath.Join(b.root, "count")+"}")
	l := of("counts", "s")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			rec, err := b.host().Launch(context.Background(), l)
			if err != nil || rec.ID != l.RunID {
				t.Errorf("%q, %v", rec.ID, err)
			}
		})
	}
	wg.Wait()
	b.await(l.RunID)
	b.must(os.RemoveAll(filepath.Join(b.root, "bots"))) // what exists needs no bot any more
	b.launch(l)
	b.breakRecord(l.RunID)
	if rec := b.launch(l); rec.ID != l.RunID {
		t.Errorf("a run that cannot be read is launched again: %+v", rec)
	}
	data, err := os.ReadFile(filepath.Join(b.root, "count"))
	b.must(err)
	if string(data) != "once\n" {
		t.Errorf("the bot ran %d times", strings.Count(string(data), "\n"))
	}
}

func TestLaunchesThatAreRefusedLeaveNoRun(t *testing.T) {
	b := newLab(t)
	b.bot("fine", "true")
	b.bot("off", "true", "enabled: false")
	b.bot("wants", "true", "vars:\n  prompt: {required: true}\n  size: {enum: [s, m]}")
	b.bot("broken", "true", "nonsense: [")
	full := errors.New("the cap is reached")
	tests := map[string]struct {
		l       func(l *Launch)
		cap     error
		refused bool
		part    string
	}{
		"unknown bot":            {func(l *Launch) { l.BotID = "nobody" }, nil, true, "nobody"},
		"disabled bot":           {func(l *Launch) { l.BotID = "off" }, nil, true, "enabled"},
		"broken bot":             {func(l *Launch) { l.BotID = "broken" }, nil, true, ""},
		"missing input":          {func(l *Launch) { l.BotID = "wants" }, nil, true, "prompt"},
		"bad input":              {func(l *Launch) { l.BotID, l.Vars = "wants", map[string]string{"prompt": "x", "size": "xl"} }, nil, true, "size"},
		"relative workdir":       {func(l *Launch) { l.Workdir = "here" }, nil, true, "absolute"},
		"workdir that is gone":   {func(l *Launch) { l.Workdir = filepath.Join(b.root, "gone") }, nil, false, "does not exist"},
		"workdir that is a file": {func(l *Launch) { l.Workdir = filepath.Join(b.root, "bots", "fine", "manifest.yaml") }, nil, false, "not a folder"},
		"at the cap":             {func(l *Launch) {}, full, false, "cap is reached"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			h := b.host()
			h.Cap = func(context.Context) error { return tt.cap }
			l := of("fine", "s")
			tt.l(&l)
			_, err := h.Launch(t.Context(), l)
			var refused *RefusedError
			if err == nil || errors.As(err, &refused) != tt.refused || !strings.Contains(err.Error(), tt.part) {
				t.Errorf("%v, want %q, refused %v", err, tt.part, tt.refused)
			}
			if tt.cap != nil && !errors.Is(err, tt.cap) {
				t.Error("what the cap says is hidden")
			}
			if _, err := h.Runs.Get(l.RunID); !errors.Is(err, run.ErrNotFound) {
				t.Errorf("there is a run: %v", err)
			}
		})
	}
}

func TestBotWithoutItsProgramMayHaveItTomorrow(t *testing.T) {
	b := newLab(t)
	dir := filepath.Join(b.root, "bots", "tool")
	b.must(os.MkdirAll(dir, 0o700))
	b.must(os.WriteFile(filepath.Join(dir, "manifest.yaml"), []byte("schema_version: 1\nname: tool\nrun:\n  command: [no-such-program-anywhere]\n"), 0o600))
	_, err := b.h.Launch(t.Context(), of("tool", "s"))
	var refused *RefusedError
	if err == nil || errors.As(err, &refused) {
		t.Errorf("%v, want an error that may pass", err)
	}
}

func TestBotThatCannotBeStartedStaysOnRecord(t *testing.T) {
	b := newLab(t)
	dir := filepath.Join(b.root, "bots", "odd")
	b.must(os.MkdirAll(dir, 0o700))
	b.must(os.WriteFile(filepath.Join(dir, "manifest.yaml"), []byte("schema_version: 1\nname: odd\nrun:\n  command: [./run]\n"), 0o600))
	b.must(os.WriteFile(filepath.Join(dir, "run"), []byte("#!/no/such/interpreter\n"), 0o700))
	l := of("odd", "s")
	_, err := b.h.Launch(t.Context(), l)
	rec := b.unstarted(err)
	if rec.ID != l.RunID || rec.FailureCode != run.CodeLaunchFailed {
		t.Errorf("record %+v", rec)
	}
	b.wantLive("s")
	tick := gate.Request{Tick: gate.Tick{Surface: gate.HostCron, ScheduleID: "s", RunID: run.NewID(), At: time.Now()}}
	decided := gate.Decide(t.Context(), tick, gate.Ports{Live: b.h.Live, Launch: func(ctx context.Context, id string, vars map[string]string) error {
		l.RunID = id
		_, err := b.h.Launch(ctx, l)
		return err
	}})
	if decided.Decision != gate.LaunchFailed || decided.RunID != tick.RunID || !strings.Contains(decided.Error, "interpreter") {
		t.Errorf("decided %+v", decided)
	}
}

func TestFiveMegabytesOfAGuardReachTheBotWhole(t *testing.T) {
	b := newLab(t)
	b.bot("reads", `cp "$ITERION_VARS" vars.json; echo "${ITERION_VAR_FACTS-not in the environment}"`)
	l := of("reads", "s")
	l.Workdir = b.root
	tick := gate.Request{
		Tick:   gate.Tick{Surface: gate.HostCron, ScheduleID: "s", ScheduleName: "s", BotID: "reads", RunID: l.RunID, At: time.Now()},
		Policy: gate.Policy{Guard: "yes 'ä \"x\"' | head -c 5242880", GuardVar: "facts"}, Workdir: b.root,
		Env: []string{"PATH=" + os.Getenv("PATH")},
	}
	printed := ""
	rec := gate.Decide(t.Context(), tick, gate.Ports{Live: b.h.Live, Launch: func(ctx context.Context, id string, vars map[string]string) error {
		l.Vars, printed = vars, vars["facts"]
		_, err := b.h.Launch(ctx, l)
		return err
	}})
	if rec.Decision != gate.Fired || len(printed) != 5<<20 {
		t.Fatalf("%s %s with %d bytes", rec.Decision, rec.Error, len(printed))
	}
	if got := b.await(l.RunID); got.Status != run.Finished {
		t.Fatalf("%s: %s", got.Status, got.Error)
	}
	var vars map[string]string
	b.readJSON(filepath.Join(b.root, "vars.json"), &vars)
	if vars["facts"] != printed {
		t.Errorf("the bot got %d bytes that differ", len(vars["facts"]))
	}
	log, err := os.ReadFile(b.h.Runs.LogPath(l.RunID))
	b.must(err)
	if string(log) != "not in the environment\n" {
		t.Errorf("the environment holds %.40q", log)
	}
}

func TestRetryFieldsCountByLayer(t *testing.T) {
	machine := manifest.Retry{UsageWindow: manifest.UsageResume, MaxAttempts: 5, MaxWait: time.Hour}
	bot := manifest.Retry{UsageWindow: manifest.UsageFresh, Jitter: time.Second}
	schedule := manifest.Retry{MaxAttempts: 2}
	call := manifest.Retry{UsageWindow: manifest.UsageOff}
	want := manifest.Retry{UsageWindow: manifest.UsageOff, MaxAttempts: 2, MaxWait: time.Hour, Jitter: time.Second}
	if got := Retry(machine, bot, schedule, call); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
