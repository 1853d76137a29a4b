package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"iterion/sched/audit"
	"iterion/sched/gate"
	"iterion/sched/hostcron"
)

// auditFilter selects records.
type auditFilter = audit.Filter

// auditLogs are the logs that tell of ticks, told as one.
type auditLogs struct {
	all   []auditLog
	stats audit.Stats // of what was read
}

// auditLog is one log. Where only is set, records of other clocks in it are
// somebody else's.
type auditLog struct {
	*audit.Log
	only gate.Surface
}

// auditLogs returns the log beside the manifest and, where that is another one, the
// log of the daemons of this host.
func (s *schedules) auditLogs(surface gate.Surface) (*auditLogs, error) {
	p, err := s.paths()
	if err != nil {
		return nil, err
	}
	home, err := s.f.Home()
	if err != nil {
		return nil, err
	}
	usual := hostcron.Default(home)
	logs := &auditLogs{all: []auditLog{{Log: s.openAudit(p)}}}
	if usual != p && (surface == "" || surface == gate.Trigger) {
		logs.all = append(logs.all, auditLog{s.openAudit(usual), gate.Trigger})
	}
	return logs, nil
}

func (s *schedules) openAudit(p hostcron.Paths) *audit.Log {
	return audit.Open(p.Audit(), audit.Options{NoFsync: s.f.Global.NoFsync})
}

func (l auditLog) filter(f auditFilter) auditFilter {
	if l.only != "" {
		f.Surface = l.only
	}
	return f
}

// each hands the records that f selects to fn, oldest first. A log may be long: only
// a tail is ever held as a whole.
func (ls *auditLogs) each(f auditFilter, fn func(gate.Record) error) error {
	if len(ls.all) == 1 {
		return ls.read(ls.all[0], f, fn)
	}
	if f.Tail == 0 {
		return ls.merge(f, fn)
	}
	var found []gate.Record
	for _, l := range ls.all {
		if err := ls.read(l, f, func(r gate.Record) error { found = append(found, r); return nil }); err != nil {
			return err
		}
	}
	slices.SortStableFunc(found, func(a, b gate.Record) int { return a.At.Compare(b.At) })
	for _, r := range found[max(0, len(found)-f.Tail):] {
		if err := fn(r); err != nil {
			return err
		}
	}
	return nil
}

// merge reads two logs side by side.
func (ls *auditLogs) merge(f auditFilter, fn func(gate.Record) error) error {
	var failed error
	next, stop := iter.Pull(func(yield func(gate.Record) bool) {
		failed = ls.read(ls.all[1], f, func(r gate.Record) error {
			if !yield(r) {
				return errEnough
			}
			return nil
		})
	})
	defer stop()
	other, more := next()
	err := ls.read(ls.all[0], f, func(r gate.Record) error {
		for ; more && other.At.Before(r.At); other, more = next() {
			if err := fn(other); err != nil {
				return err
			}
		}
		return fn(r)
	})
	for ; more && err == nil; other, more = next() {
		err = fn(other)
	}
	return errors.Join(err, failed)
}

// errEnough ends the reading of a log whose records nobody wants any more.
var errEnough = errors.New("enough")

func (ls *auditLogs) read(l auditLog, f auditFilter, fn func(gate.Record) error) error {
	stats, err := l.Read(l.filter(f), fn)
	ls.stats.Torn += stats.Torn
	ls.stats.Unknown += stats.Unknown
	if err != nil && !errors.Is(err, errEnough) {
		return fmt.Errorf("read tick audit: %w", err)
	}
	return nil
}

// mention tells of lines that were passed over.
func (ls *auditLogs) mention(f *Factory) {
	if n := ls.stats.Torn; n > 0 {
		f.Warn("tick audit: %d %s no record and %s passed over", n, plural(n, "line is", "lines are"), plural(n, "was", "were"))
	}
	if n := ls.stats.Unknown; n > 0 {
		f.Warn("tick audit: %d %s written by a newer version and %s passed over", n, plural(n, "record was", "records were"), plural(n, "was", "were"))
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// follow hands the records to show, one at a time, until ctx ends, a log cannot be
// read, or show returns audit.ErrStop; then it returns nil.
func (ls *auditLogs) follow(outer context.Context, f auditFilter, show func(gate.Record) error) error {
	ctx, stop := context.WithCancelCause(outer)
	defer stop(nil)
	var one sync.Mutex
	var all sync.WaitGroup
	for _, l := range ls.all {
		all.Go(func() {
			stop(l.Follow(ctx, l.filter(f), func(r gate.Record) error {
				one.Lock()
				defer one.Unlock()
				return show(r)
			}))
		})
	}
	all.Wait()
	if err := context.Cause(ctx); outer.Err() != nil || !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
