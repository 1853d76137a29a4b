package tui

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
)

// TestFeedReconnectsWithBackoff: a loss is told, waits grow up to a bound, a
// frame resets them, and nothing runs once the context has ended.
func TestFeedReconnectsWithBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		tries, src := 0, newFake()
		src.frames <- control.Frame{Full: true}
		close(src.frames)
		connect := func(context.Context, bool) (Source, error) {
			if tries++; tries == 8 {
				return src, nil
			}
			return nil, errors.New("refused")
		}
		var waits []time.Duration
		frames := 0
		done := make(chan struct{})
		go func() {
			defer close(done)
			feed(ctx, connect, nil, func(m tea.Msg) {
				switch m := m.(type) {
				case lost:
					waits = append(waits, time.Until(m.retry))
				case framed:
					frames++
				}
			})
		}()
		time.Sleep(30 * time.Second)
		cancel()
		<-done
		if frames != 1 || len(waits) < 9 || waits[0] != retryFirst || waits[6] != retryMax || waits[7] != retryFirst {
			t.Errorf("%d frames, waits %v", frames, waits)
		}
	})
}

// TestFeedStartsNoDaemonUnasked: a daemon that was seen and is gone was ended by
// somebody; another one is for the person to start.
func TestFeedStartsNoDaemonUnasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		again, done := make(chan struct{}, 1), make(chan struct{})
		var asked []bool
		connect := func(_ context.Context, start bool) (Source, error) {
			asked = append(asked, start)
			if len(asked) != 2 {
				return nil, errors.New("refused")
			}
			src := newFake()
			src.frames <- control.Frame{Full: true}
			close(src.frames)
			return src, nil
		}
		go func() {
			defer close(done)
			feed(ctx, connect, again, func(tea.Msg) {})
		}()
		time.Sleep(retryFirst + retryFirst*3/2) // lost at the second try, tried again once
		synctest.Wait()
		if want := []bool{true, true, false}; !slices.Equal(asked, want) {
			t.Errorf("may start: %v, want %v", asked, want)
		}
		again <- struct{}{}
		synctest.Wait()
		if want := []bool{true, true, false, true}; !slices.Equal(asked, want) {
			t.Errorf("may start when asked: %v, want %v", asked, want)
		}
		cancel()
		<-done
	})
}

func TestAPanicInTheFeedEndsTheProgram(t *testing.T) {
	var got tea.Msg
	feed(t.Context(), func(context.Context, bool) (Source, error) { panic("boom") }, nil, func(m tea.Msg) { got = m })
	if b, ok := got.(broken); !ok || b.err == nil {
		t.Fatalf("got %v", got)
	}
}
