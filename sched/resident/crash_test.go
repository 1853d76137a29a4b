package resident

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"iterion/sched/gate"
	"iterion/sched/trigger"
)

// A scheduler that dies at any step of a slot: whoever comes next brings it to its
// end, with one record and at most one launch.
func TestI7_DeathAtEachStepOfASlot(t *testing.T) {
	for _, step := range []string{"plan", "reserve", "reserved", "planned", "launch", "launched", "record", "recorded"} {
		for late, slot := range map[time.Duration]string{time.Minute: "fired", 20 * time.Minute: "missed"} {
			t.Run(step+", next one after "+late.String(), func(t *testing.T) {
				inBed(t, func(t *testing.T, b *bed) {
					b.rows = []trigger.Subscription{hourly(func(s *trigger.Subscription) { s.Cron = "0 */6 * * *" })}
					d := &deadly{bed: b, at: step}
					l := b.start(d.options)
					l.later(6 * time.Hour)
					d.set(func() {
						if !d.dead {
							t.Error("it came through")
						}
					})
					b.jump(late)
					next := b.start()
					next.later(0)
					want := slot
					if step == "launched" || step == "record" || step == "recorded" {
						want = "fired" // the run was made: it is recorded, however late
					}
					b.wants(want + " 01 06:00:00")
					if n := len(b.launched()); n != map[string]int{"fired": 1, "missed": 0}[want] {
						t.Fatalf("launched %d times", n)
					}
					next.quit()
					again := b.start() // finds nothing left to do
					again.later(0)
					b.wants(want + " 01 06:00:00")
					d.set(func() { close(d.end()) })
				})
			})
		}
	}
}

// Slots that were folded and told of before a death are told of once, whatever comes
// due until the next scheduler is there.
func TestI7_FoldedSlotsAreToldOfOnce(t *testing.T) {
	for _, step := range []string{"record", "recorded", "launch"} {
		t.Run(step, func(t *testing.T) {
			inBed(t, func(t *testing.T, b *bed) {
				b.rows = []trigger.Subscription{hourly()}
				b.start().quit()
				b.jump(3*time.Hour + time.Minute)
				d := &deadly{bed: b, at: step}
				b.start(d.options)
				b.jump(2 * time.Hour)
				b.start()
				b.wants("missed 01 02:00:00", "missed 01 04:00:00", "fired 01 05:00:00")
				for i, want := range []string{"2 slots from 2000-01-01T01:00:00Z", "2 slots from 2000-01-01T03:00:00Z"} {
					if r := b.record(i).Reason; !strings.HasPrefix(r, want) {
						t.Fatalf("reason %q", r)
					}
				}
				d.set(func() { close(d.end()) })
			})
		})
	}
}

// A run that was made and whose bot could not be started is no launch that worked.
func TestI7_DeathBehindALaunchThatFailedIsRecordedAsThat(t *testing.T) {
	inBed(t, func(t *testing.T, b *bed) {
		b.rows = []trigger.Subscription{hourly()}
		d := &deadly{bed: b, at: "launched"}
		l := b.start(d.options)
		l.later(time.Hour)
		b.set(func() { b.unstarted = errors.New("exec: no such file") })
		b.start()
		b.wants("launch_failed 01 01:00:00")
		if r := b.last(); r.RunID == "" || !strings.Contains(r.Error, "no such file") {
			t.Fatalf("record %+v", r)
		}
		d.set(func() { close(d.end()) })
	})
}

// deadly is a world in which a scheduler dies at a step: it hangs there for good, and
// whatever it still does reaches nobody.
type deadly struct {
	*bed
	at    string
	dead  bool
	grave chan struct{}
}

func (d *deadly) end() chan struct{} {
	if d.grave == nil {
		d.grave = make(chan struct{})
	}
	return d.grave
}

func (d *deadly) options(o *Options) {
	o.Audit, o.Runs, o.Slots = deadlyAudit{d.bed, d}, deadlyRuns{d.bed, d}, deadlySlots{d.bed, d}
	lock, id := o.LockPath, o.NewID
	o.LockPath = func(id string) string { return lock("dead-" + id) } // the kernel frees what the dead had
	o.NewID = func() string { d.step("plan"); return id() }
}

// step dies here if this is the place.
func (d *deadly) step(at string) {
	d.mu.Lock()
	if d.dead = d.dead || at == d.at; !d.dead {
		d.mu.Unlock()
		return
	}
	grave := d.end()
	d.mu.Unlock()
	<-grave
	runtime.Goexit()
}

type deadlyAudit struct {
	*bed
	d *deadly
}

func (a deadlyAudit) AppendOnce(ctx context.Context, r gate.Record) (bool, error) {
	a.d.step("record")
	ok, err := a.bed.AppendOnce(ctx, r)
	a.d.step("recorded")
	return ok, err
}

type deadlyRuns struct {
	*bed
	d *deadly
}

func (r deadlyRuns) Live(ctx context.Context, id string) ([]gate.Live, error) {
	r.d.step("planned")
	return r.bed.Live(ctx, id)
}

func (r deadlyRuns) Launch(ctx context.Context, l Launch) error {
	r.d.step("launch")
	err := r.bed.Launch(ctx, l)
	r.d.step("launched")
	return err
}

type deadlySlots struct {
	*bed
	d *deadly
}

func (s deadlySlots) Reserve(ctx context.Context, runID string, row trigger.Subscription) error {
	s.d.step("reserve")
	err := s.bed.Reserve(ctx, runID, row)
	s.d.step("reserved")
	return err
}
