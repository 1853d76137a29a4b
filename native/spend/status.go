package spend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// Status is a day against the cap.
type Status struct {
	Day     Day
	CapUSD  float64 // 0: no cap
	Reached bool    // the total is at the cap, and nobody lifted it
}

// Left returns what may still be spent; 0 without a cap.
func (s Status) Left() float64 {
	return max(0, toNanos(s.CapUSD)-toNanos(s.Day.TotalUSD)).usd()
}

// Status returns the day of now. It takes no lock and writes nothing. When it is
// only the cap that cannot be read, the day is returned with the error.
func (l *Ledger) Status(now time.Time) (Status, error) {
	d, err := l.read(DayOf(now))
	if err != nil {
		return Status{}, err
	}
	return l.judge(d)
}

// judge holds a day against the cap; one that cannot be read is taken for none.
func (l *Ledger) judge(d Day) (Status, error) {
	limit, err := l.limit()
	reached := limit > 0 && toNanos(d.TotalUSD) >= toNanos(limit) && d.Override == nil
	return Status{Day: d, CapUSD: limit, Reached: reached}, err
}

// Gate says whether something may start: nil, or a *CapError when the cap is
// reached. When a cap is set, or may be, and cannot be checked, it is an
// *UnreadableError: nothing may start then either.
func (l *Ledger) Gate(now time.Time) error {
	limit, err := l.limit()
	if err != nil || limit == 0 {
		return err
	}
	s, err := l.Status(now)
	if err != nil {
		return err
	}
	if s.Reached {
		return &CapError{s}
	}
	return nil
}

// limit returns the cap of a day, 0 for none.
func (l *Ledger) limit() (float64, error) {
	data, err := os.ReadFile(l.config)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	var config struct {
		Limits struct {
			MaxCostPerDayUSD float64 `json:"max_cost_per_day_usd"`
		} `json:"limits"`
	}
	if err == nil {
		err = json.Unmarshal(data, &config)
	}
	usd := config.Limits.MaxCostPerDayUSD
	if err == nil && usd < 0 {
		err = fmt.Errorf("limits.max_cost_per_day_usd is %g", usd)
	}
	if err != nil {
		return 0, &UnreadableError{Path: l.config, Err: err}
	}
	return usd, nil
}

// Override lifts the cap for the rest of the day of now, and writes down who did
// it and why. Errors: ErrNote; *LiftedError when it was lifted before, which
// changes nothing.
func (l *Ledger) Override(ctx context.Context, now time.Time, by, note string) (Status, error) {
	if note = strings.TrimSpace(note); note == "" {
		return Status{}, ErrNote
	}
	lifted := false
	d, err := l.change(ctx, DayOf(now), func(d *Day) (bool, error) {
		if lifted = d.Override != nil; lifted {
			return false, nil
		}
		d.Override = &Override{GrantedBy: by, GrantedAt: now.UTC(), Note: note}
		return true, nil
	})
	if err != nil {
		return Status{}, fmt.Errorf("lift the cap of %s: %w", DayOf(now), err)
	}
	s, _ := l.judge(d) // lifted it is, however high the cap
	if lifted {
		return s, &LiftedError{s}
	}
	return s, nil
}

// Days returns the days from..to (YYYY-MM-DD, both included) that have a file,
// oldest first. Days that cannot be read are named in the error; the others are
// returned all the same.
func (l *Ledger) Days(from, to string) ([]Day, error) {
	entries, err := os.ReadDir(l.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &UnreadableError{Path: l.dir, Err: err}
	}
	var days []Day
	var broken []error
	for _, e := range entries { // sorted by name
		day, ok := dayOfFile(e.Name())
		if !ok || day < from || day > to {
			continue
		}
		d, err := l.read(day)
		if err != nil {
			broken = append(broken, err)
			continue
		}
		days = append(days, d)
	}
	return days, errors.Join(broken...)
}
