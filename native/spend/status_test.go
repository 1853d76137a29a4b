package spend

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestGateClosesAtTheCap(t *testing.T) {
	st := newStore(t)
	st.cap(5)
	st.record("r", noon, 4.99, noon)
	if err := st.l.Gate(noon); err != nil {
		t.Errorf("below the cap: %v", err)
	}
	if got := st.record("r", noon, 5, noon); !got.Reached || got.CapUSD != 5 || got.Left() != 0 {
		t.Errorf("at the cap: %+v, want it reached", got)
	}
	var reached *CapError
	if err := st.l.Gate(noon); !errors.As(err, &reached) || !strings.Contains(err.Error(), "$5.00") {
		t.Errorf("at the cap: got %v, want a *CapError that names it", err)
	}
	if err := st.l.Gate(noon.Add(12 * time.Hour)); err != nil {
		t.Errorf("on the next day: %v", err)
	}
}

func TestWithoutACapEverythingStarts(t *testing.T) {
	for name, config := range map[string]string{
		"no config": "", "no limits": `{"bots":[]}`, "zero": `{"limits":{"max_cost_per_day_usd":0}}`, "null": `{"limits":null}`,
	} {
		t.Run(name, func(t *testing.T) {
			st := newStore(t)
			if config != "" {
				st.file("dispatcher/dispatcher.json", config)
			}
			if got := st.record("r", noon, 1000, noon); got.Reached || got.CapUSD != 0 {
				t.Errorf("got %+v, want no cap", got)
			}
			st.file("spend/2026-08-20.json", "{") // who has no cap is not stopped by this
			if err := st.l.Gate(noon); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestACapThatCannotBeReadLetsNothingStart(t *testing.T) {
	for _, config := range []string{"", "{", `{"limits":{"max_cost_per_day_usd":"five"}}`, `{"limits":{"max_cost_per_day_usd":-1}}`} {
		st := newStore(t)
		st.file("dispatcher/dispatcher.json", config)
		var unreadable *UnreadableError
		if err := st.l.Gate(noon); !errors.As(err, &unreadable) {
			t.Errorf("%q: got %v, want an *UnreadableError", config, err)
		}
		// The cost is on the books all the same.
		if got := st.record("r", noon, 2, noon); got.Day.TotalUSD != 2 {
			t.Errorf("%q: Record returned %+v", config, got)
		}
		if got, err := st.l.Status(noon); !errors.As(err, &unreadable) || got.Day.TotalUSD != 2 {
			t.Errorf("%q: Status returned %+v, %v, want the day and an *UnreadableError", config, got, err)
		}
	}
}

func TestACapOfAnyHeight(t *testing.T) {
	st := newStore(t)
	st.cap(1e18)
	if got := st.record("r", noon, 10, noon); got.Reached || got.Left() < 1e9 {
		t.Errorf("got %+v with %g left", got, got.Left())
	}
}

func TestOverrideLiftsTheCapForTheRestOfTheDay(t *testing.T) {
	st := newStore(t)
	st.cap(1)
	late := time.Date(2026, 8, 20, 23, 59, 59, 0, time.UTC)
	st.record("r", noon, 3, noon)
	got, err := st.l.Override(t.Context(), noon, "ana", " release day ")
	if err != nil || got.Reached {
		t.Fatalf("got %+v, %v", got, err)
	}
	if o := got.Day.Override; o.GrantedBy != "ana" || !o.GrantedAt.Equal(noon) || o.Note != "release day" {
		t.Errorf("on record: %+v", o)
	}
	if st.record("r", noon, 9, late).Reached || st.l.Gate(late) != nil {
		t.Error("the override did not hold until midnight")
	}
	if got := st.record("r", noon, 11, late.Add(time.Second)); !got.Reached || st.l.Gate(late.Add(time.Second)) == nil {
		t.Error("the override outlived its day")
	}
}

func TestASecondOverrideSaysThatItIsLifted(t *testing.T) {
	st := newStore(t)
	st.cap(1)
	if _, err := st.l.Override(t.Context(), noon, "ana", "release day"); err != nil {
		t.Fatal(err)
	}
	_, err := st.l.Override(t.Context(), noon.Add(time.Hour), "bo", "me too")
	var lifted *LiftedError
	if !errors.As(err, &lifted) || !strings.Contains(err.Error(), "by ana at 12:00:00Z: release day") {
		t.Errorf("got %v, want who lifted it first", err)
	}
	if s, err := st.l.Status(noon); err != nil || s.Day.Override.GrantedBy != "ana" {
		t.Errorf("got %+v, %v: the first one must stay", s.Day.Override, err)
	}
}

func TestAnOverrideNeedsAReason(t *testing.T) {
	st := newStore(t)
	if _, err := st.l.Override(t.Context(), noon, "ana", " \n"); !errors.Is(err, ErrNote) {
		t.Errorf("got %v, want ErrNote", err)
	}
}
