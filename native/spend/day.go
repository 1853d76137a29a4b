package spend

import (
	"encoding/json"
	"fmt"
	"time"
)

// Day is what the runs of a store cost on one UTC day.
type Day struct {
	Day      string             `json:"day"`              // YYYY-MM-DD
	Runs     map[string]float64 `json:"runs_contributed"` // run id -> what it cost on this day
	TotalUSD float64            `json:"total_usd"`        // the sum of Runs
	Override *Override          `json:"override,omitempty"`

	Extra map[string]json.RawMessage `json:"-"` // unknown keys, written back
}

// Override says that the cap does not hold for the rest of its day.
type Override struct {
	GrantedBy string    `json:"granted_by"`
	GrantedAt time.Time `json:"granted_at"`
	Note      string    `json:"note"`

	Extra map[string]json.RawMessage `json:"-"` // unknown keys, written back
}

// DayOf returns the name of the UTC day that an instant lies in.
func DayOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// set writes down what a run cost on this day.
func (d *Day) set(runID string, n nanos) {
	if d.Runs == nil {
		d.Runs = map[string]float64{}
	}
	d.Runs[runID] = n.usd()
	d.TotalUSD = d.sum().usd()
}

func (d Day) sum() nanos {
	var n nanos
	for _, usd := range d.Runs {
		n += toNanos(usd)
	}
	return n
}

func (d Day) encode() ([]byte, error) { return encodeKeeping(plainDay(d), d.Extra) }

// decode reads a day file. One that does not say which day it is, or names
// another one, is refused: an empty object must not pass for a cheap day.
func decode(data []byte, day string) (Day, error) {
	var d Day
	if err := json.Unmarshal(data, &d); err != nil {
		return Day{}, err
	}
	if d.Day != day {
		return Day{}, fmt.Errorf("it says that it is the day %q", d.Day)
	}
	for id, usd := range d.Runs {
		if !sane(usd) {
			return Day{}, fmt.Errorf("it says that run %s cost %g", id, usd)
		}
	}
	d.TotalUSD = d.sum().usd()
	return d, nil
}

// plainDay and plainOverride are the same without methods, for the codec.
type (
	plainDay      Day
	plainOverride Override
)

// UnmarshalJSON keeps the keys that it does not know.
func (d *Day) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*plainDay)(d)); err != nil {
		return err
	}
	return keep(data, &d.Extra, "day", "runs_contributed", "total_usd", "override")
}

// UnmarshalJSON keeps the keys that it does not know.
func (o *Override) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*plainOverride)(o)); err != nil {
		return err
	}
	return keep(data, &o.Extra, "granted_by", "granted_at", "note")
}

// MarshalJSON writes the unknown keys back.
func (o Override) MarshalJSON() ([]byte, error) { return encodeKeeping(plainOverride(o), o.Extra) }

func keep(data []byte, extra *map[string]json.RawMessage, known ...string) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	for _, k := range known {
		delete(all, k)
	}
	*extra = nil
	if len(all) > 0 {
		*extra = all
	}
	return nil
}

func encodeKeeping(v any, extra map[string]json.RawMessage) ([]byte, error) {
	if len(extra) == 0 {
		return json.MarshalIndent(v, "", "  ")
	}
	known, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(known, &all); err != nil {
		return nil, err
	}
	for k, raw := range extra {
		if _, ours := all[k]; !ours {
			all[k] = raw
		}
	}
	return json.MarshalIndent(all, "", "  ")
}
