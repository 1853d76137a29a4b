package boardtest

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"iterion/native/board"
)

func TestMemoryPassesTheSuite(t *testing.T) {
	Run(t, func(*testing.T) board.Store { return NewMemory() })
}

func TestMemoryKeepsFakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory()
		i, err := m.Create(t.Context(), board.Issue{Title: "t"}, alice)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		i, err = m.Claim(t.Context(), i.ID, "m", lease, alice)
		if err != nil || i.ClaimedAt.Sub(i.CreatedAt) != time.Hour {
			t.Errorf("claimed %s after creation: %v", i.ClaimedAt.Sub(i.CreatedAt), err)
		}
	})
}

func TestHookBeforeStopsTheVerb(t *testing.T) {
	m, broken := NewMemory(), errors.New("disk on fire")
	m.Before = func(verb, id string) error {
		if verb == "Create" && id != "" {
			return broken
		}
		return nil
	}
	if _, err := m.Create(t.Context(), board.Issue{Title: "t"}, alice); !errors.Is(err, broken) {
		t.Errorf("create: %v", err)
	}
	if tip, _ := m.Tip(t.Context()); tip != -1 {
		t.Errorf("tip %d", tip)
	}
}

func TestHookAfterLetsTheWriteStand(t *testing.T) {
	m := NewMemory()
	m.After = func(string, string) error { return board.ErrAmbiguous }
	if _, err := m.Create(t.Context(), board.Issue{Title: "t"}, alice); !errors.Is(err, board.ErrAmbiguous) {
		t.Errorf("create: %v", err)
	}
	if tip, _ := m.Tip(t.Context()); tip != 0 {
		t.Errorf("tip %d", tip)
	}
}

func TestCancelledContextStopsTheVerb(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewMemory().Create(ctx, board.Issue{Title: "t"}, alice); !errors.Is(err, context.Canceled) {
		t.Errorf("create: %v", err)
	}
}
