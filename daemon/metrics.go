package daemon

import (
	"net/http"
	"runtime"
	"slices"
	"strings"

	"iterion/daemon/dispatch"
	"iterion/native/watch"
	"iterion/sched/gate"
)

// metrics answers with what the dispatcher published last. It reads no file.
func (w *web) metrics(rw http.ResponseWriter, _ *http.Request) {
	rw.Header().Set("Content-Type", expositionType)
	_, _ = rw.Write(w.d.measure().bytes())
}

// measure is the daemon in numbers. Names are a promise to dashboards.
func (d *Daemon) measure() *exposition {
	var x exposition
	s := d.disp.Snapshot()
	x.gauge("iterion_build_info", "Version of the running daemon; the value is always 1.", 1,
		"version", d.o.Version, "go_version", runtime.Version())
	x.gauge("iterion_start_time_seconds", "Start of the daemon, seconds since 1970.", seconds(d.started))
	x.gauge("iterion_ready", "1 once the daemon has taken up what an earlier one left.", truth(s.Ready))
	x.gauge("iterion_paused", "1 while dispatch is paused.", truth(s.Desired.Desired == dispatch.DesiredPaused))
	x.gauge("iterion_singleton", "1 while the daemon owns the store's singletons.", truth(d.singleton.Load()))
	x.gauge("iterion_watchdog_enabled", "1 where expired claims are taken over.", truth(d.singleton.Load() && d.reaps()))
	x.gauge("iterion_config_problem", "1 while the config file is wrong and an earlier one is in force.", truth(d.config.shown() != ""))
	mode, _ := d.sight.board.Mode()
	x.gauge("iterion_board_poll_mode", "1 while changes of the board are found by polling alone.", truth(mode == watch.Polling))
	d.measureWork(&x, s)
	d.measureSpend(&x, s)
	d.measureClocks(&x)
	d.measureTriggers(&x)
	x.summary("iterion_tick_seconds", "Time that the dispatcher spent thinking over its looks at the board.", s.Thinking.Seconds(), float64(s.Ticks))
	return &x
}

// measureClocks is the resident scheduler in numbers.
func (d *Daemon) measureClocks(x *exposition) {
	h := d.clockHealth()
	if h == nil {
		return
	}
	x.gauge("iterion_schedules_armed", "Schedules with a next slot.", float64(h.Armed))
	x.gauge("iterion_schedules_held", "Due slots that wait, for a slot or the end of a pause.", float64(h.Held))
	x.gauge("iterion_schedule_problems", "Files and schedules that keep something from firing.", float64(len(h.Problems)))
	x.family("iterion_schedule_decisions_total", "counter", "Due slots that were decided since the start, by decision.")
	for _, decision := range []gate.Decision{gate.Fired, gate.GuardBlocked, gate.GuardError, gate.LaunchFailed, gate.Missed, gate.SkippedOverlap} {
		x.sample("iterion_schedule_decisions_total", float64(h.Decisions[decision]), "decision", string(decision))
	}
	if !h.LastTick.IsZero() {
		x.gauge("iterion_schedule_last_tick_timestamp_seconds", "When the clocks were last looked at, seconds since 1970.", seconds(h.LastTick))
	}
}

// measureTriggers is what events owe, in numbers.
func (d *Daemon) measureTriggers(x *exposition) {
	t := d.sight.spine.status()
	if t == nil {
		return
	}
	x.gauge("iterion_trigger_lag_events", "Events that were not looked at yet.", float64(t.BoardLag), "feed", "board")
	x.sample("iterion_trigger_lag_events", float64(t.InboxLag), "feed", "inbox")
	x.family("iterion_trigger_effects", "gauge", "What events owe and has not come to an end, or failed, by state.")
	x.sample("iterion_trigger_effects", float64(t.Pending), "state", "pending")
	x.sample("iterion_trigger_effects", float64(t.Working), "state", "claimed")
	x.sample("iterion_trigger_effects", float64(t.Failed), "state", "failed")
	x.gauge("iterion_trigger_stuck", "1 while an error keeps triggers from going on.", truth(t.LastError != ""))
}

func (d *Daemon) measureWork(x *exposition, s dispatch.Snapshot) {
	x.gauge("iterion_slots", "Runs that may be at work at once.", float64(s.SlotsMax))
	x.gauge("iterion_slots_in_use", "Runs that are at work.", float64(s.SlotsUsed))
	x.gauge("iterion_cards_ready", "Cards that could be started and wait.", float64(len(s.Queue)))
	x.gauge("iterion_retries_pending", "Cards that wait for their next attempt.", float64(len(s.Retries)))
	x.gauge("iterion_parked_cards", "Cards whose runs are paused.", float64(len(s.Parked)))
	x.gauge("iterion_held_cards", "Cards that are kept because a person cancelled their run, or nobody can say how it ended.", float64(len(s.Held)))
	x.family("iterion_dispatches_total", "counter", "Dispatched cards that were settled since the start, by disposition.")
	for _, verdict := range dispositions() {
		label := strings.ReplaceAll(strings.ToLower(verdict), " ", "_")
		x.sample("iterion_dispatches_total", float64(s.Settled[verdict]), "disposition", label)
	}
	if !s.LastTick.IsZero() {
		x.gauge("iterion_last_tick_timestamp_seconds", "When the board was last looked at, seconds since 1970.", seconds(s.LastTick))
	}
}

// measureSpend says nothing of a ledger that cannot be read: 0 would be a lie.
func (d *Daemon) measureSpend(x *exposition, s dispatch.Snapshot) {
	x.gauge("iterion_spend_readable", "0 while the day's ledger cannot be read, so that nothing starts.", truth(s.SpendProblem == ""))
	if s.SpendProblem != "" || s.Spend.Day == "" {
		return
	}
	x.gauge("iterion_spend_today_usd", "Spending of the UTC day over all bots, in US dollars.", s.Spend.TotalUSD)
	x.gauge("iterion_spend_cap_usd", "Spending of a day after which nothing starts, in US dollars; 0: no cap.", s.Spend.CapUSD)
}

// dispositions are all ways in which a card is settled, and those in which it is
// merely let go.
func dispositions() []string {
	return slices.Sorted(slices.Values([]string{dispatch.Completed, dispatch.GaveUp, dispatch.Revert, dispatch.Parked,
		dispatch.Held, dispatch.Released, dispatch.Lost}))
}
