package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"iterion/daemon/control"
	"iterion/native/board"
)

// config writes a config file and returns options that use it.
func (b *lab) config(text string) Options {
	b.Helper()
	o := b.options()
	o.ConfigPath = filepath.Join(b.dir, "dispatcher.yaml")
	b.save(o, text)
	return o
}

// save replaces the config file as editors do: by rename.
func (b *lab) save(o Options, text string) {
	b.Helper()
	fresh := o.ConfigPath + "~"
	b.must(os.WriteFile(fresh, []byte(text+"workspace: {root: "+b.l.Workspaces()+"}\n"), 0o600))
	b.must(os.Rename(fresh, o.ConfigPath))
}

func (b *lab) statusUntil(c *control.Client, what string, ok func(control.Status) bool) control.Status {
	b.Helper()
	var st control.Status
	b.until(what, func() bool {
		var err error
		st, err = c.Status(context.Background())
		b.must(err)
		return ok(st)
	})
	return st
}

// kept is what the store says of the settings in force.
func (b *lab) kept() Config {
	b.Helper()
	data, err := os.ReadFile(b.l.ConfigFile())
	b.must(err)
	var c Config
	b.must(json.Unmarshal(data, &c))
	return c
}

func TestConfigSavedIsInForceAtOnceAndKept(t *testing.T) {
	b := newLab(t)
	o := b.config("agent: {max_concurrent: 1}\n")
	c, _ := b.start(o)
	b.save(o, "agent: {max_concurrent: 7}\nlimits: {max_cost_per_day_usd: 3.5}\n")
	b.statusUntil(c, "seven slots", func(st control.Status) bool {
		return st.Dispatch.SlotsMax == 7 && st.Dispatch.Spend.CapUSD == 3.5
	})
	if k := b.kept(); k.Agent.MaxConcurrent != 7 || k.Limits.MaxCostPerDayUSD != 3.5 || len(k.Bots.Paths) != 3 {
		t.Errorf("the store keeps %+v", k)
	}
}

func TestBadConfigSavedOverAGoodOneChangesNothingAndIsShown(t *testing.T) {
	b := newLab(t)
	o := b.config("agent: {max_concurrent: 2}\n")
	c, _ := b.start(o)
	b.save(o, "agent: {max_concurrent: many}\n")
	st := b.statusUntil(c, "the problem is shown", func(st control.Status) bool { return st.ConfigProblem != "" })
	if !strings.Contains(st.ConfigProblem, "max_concurrent") || st.Dispatch.SlotsMax != 2 || b.kept().Agent.MaxConcurrent != 2 {
		t.Errorf("status %+v", st)
	}
	if _, err := c.Reload(t.Context(), control.By{}); !errors.Is(err, board.ErrInvalid) {
		t.Errorf("asked to read it: %v", err)
	}
	b.settled(b.card("true"), board.StateReview)
	b.must(os.Remove(o.ConfigPath))
	b.statusUntil(c, "the missing file is shown", func(st control.Status) bool {
		return strings.Contains(st.ConfigProblem, "no such file") && st.Dispatch.SlotsMax == 2
	})
	b.save(o, "agent: {max_concurrent: 3}\n")
	b.statusUntil(c, "it is mended", func(st control.Status) bool { return st.ConfigProblem == "" && st.Dispatch.SlotsMax == 3 })
}

func TestSettingsThatNeedARestartSaySo(t *testing.T) {
	b := newLab(t)
	o := b.config("")
	c, _ := b.start(o)
	b.save(o, "bots: {paths: [elsewhere]}\nserver: {listen: 0}\nwatchdog: {enabled: true}\nagent: {max_concurrent: 5}\n")
	st := b.statusUntil(c, "the rest is in force", func(st control.Status) bool {
		return st.Dispatch.SlotsMax == 5 && len(st.RestartNeeded) > 0
	})
	if !slices.Equal(st.RestartNeeded, []string{"bots", "server"}) || st.Listen != "" || !st.Watchdog {
		t.Errorf("needs a restart: %v; listens at %q, watchdog %t", st.RestartNeeded, st.Listen, st.Watchdog)
	}
	if p := b.kept().Bots.Paths; len(p) != 3 {
		t.Errorf("the store keeps the paths %v", p)
	}
}

func TestReloadWithoutAFileIsRefused(t *testing.T) {
	b := newLab(t)
	c, _ := b.start(b.options())
	if _, err := c.Reload(t.Context(), control.By{}); !errors.Is(err, board.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}

// A daemon that only dispatches leaves the store's settings alone.
func TestSecondDaemonOfAStoreKeepsTheCap(t *testing.T) {
	b := newLab(t)
	b.start(b.config("limits: {max_cost_per_day_usd: 4}\n"))
	o := b.options()
	o.ConfigPath = filepath.Join(b.dir, "second.yaml")
	b.must(os.WriteFile(o.ConfigPath, []byte("workspace: {root: other}\n"), 0o600))
	c, _ := b.start(o)
	st, err := c.Status(t.Context())
	b.must(err)
	if st.Singleton || b.kept().Limits.MaxCostPerDayUSD != 4 {
		t.Errorf("singleton %v, the store keeps %+v", st.Singleton, b.kept().Limits)
	}
}
