package watchdog

import (
	"errors"
	"strings"
	"testing"
	"time"

	"iterion/native/board"
	"iterion/native/run"
)

func TestWatchdog_UnreadableRunKeepsTheCard(t *testing.T) {
	in(t, func(w *world) {
		w.dies(run.Finished)
		w.oracle.err = errors.New("no permission")
		w.row("unreadable")
		w.untouched()
	})
}

func TestWatchdog_FreshClaimWithoutARunIsKept(t *testing.T) {
	in(t, func(w *world) {
		w.claim(board.StateInProgress)
		w.wait(2*lease - 2*time.Second)
		w.row("none, fresh")
		w.untouched()
	})
}

func TestWatchdog_OldClaimWithoutARunIsReleasedWhereItStands(t *testing.T) {
	in(t, func(w *world) {
		w.claim(board.StateInProgress)
		w.expire()
		w.row("none")
		w.sweep()
		w.stands("", board.StateInProgress, "")
	})
}

func TestWatchdog_ClaimOfAWaitingCardIsReleasedAsSoonAsItExpires(t *testing.T) {
	in(t, func(w *world) {
		w.claim(board.StateReady)
		w.wait(lease + time.Second)
		w.sweep()
		w.stands("", board.StateReady, "")
	})
}

func TestWatchdog_RunOfAnEarlierHoldCountsForNone(t *testing.T) {
	in(t, func(w *world) {
		w.runs(run.Finished)
		w.wait(time.Minute)
		w.claim(board.StateInProgress)
		w.expire()
		w.row("none")
		w.sweep()
		w.stands("", board.StateInProgress, "")
	})
}

func TestWatchdog_LiveRunIsKept(t *testing.T) {
	for _, s := range []run.Status{run.Queued, run.Running} {
		in(t, func(w *world) {
			w.dies(s)
			w.oracle.found.Live = true
			w.row("live")
			w.untouched()
			if w.oracle.promoted > 0 {
				w.Error("a live run was promoted")
			}
		})
	}
}

func TestWatchdog_LostRunIsPromotedFirstThenJudgedByItsEnd(t *testing.T) {
	ends := map[run.Status]struct{ state, reason string }{
		run.Finished:        {board.StateReview, board.ReasonRunFinished},
		run.Failed:          {board.StateBlocked, board.ReasonRunFailed},
		run.FailedResumable: {board.StateReady, board.ReasonWatchdog},
	}
	for end, want := range ends {
		in(t, func(w *world) {
			w.dies(run.Running)
			w.oracle.becomes = end
			w.row("orphaned")
			w.sweep()
			w.stands("", want.state, want.reason)
			if w.oracle.promoted != 1 {
				w.Errorf("promoted %d times", w.oracle.promoted)
			}
		})
	}
}

func TestWatchdog_LostRunThatWithstandsIsKept(t *testing.T) {
	in(t, func(w *world) {
		w.dies(run.Running)
		w.untouched()
		if w.oracle.promoted != 1 {
			w.Errorf("promoted %d times", w.oracle.promoted)
		}
	})
}

func TestWatchdog_RunThatNeverStartedGoesBackToThePool(t *testing.T) {
	in(t, func(w *world) {
		w.dies(run.Failed)
		w.oracle.found.Record.FailureCode = run.CodeSupervisorLost
		w.row("never started")
		w.sweep()
		w.stands("", board.StateReady, board.ReasonWatchdog)
	})
}

func TestWatchdog_PausedRunIsKept(t *testing.T) {
	for _, s := range []run.Status{run.PausedHuman, run.PausedOperator} {
		in(t, func(w *world) {
			w.dies(s)
			w.row("paused")
			w.untouched()
		})
	}
}

func TestWatchdog_CancelledRunIsKept(t *testing.T) {
	in(t, func(w *world) {
		w.dies(run.Cancelled)
		w.row("cancelled")
		w.untouched()
	})
}

func TestWatchdog_ArmedContinuationIsKept(t *testing.T) {
	in(t, func(w *world) {
		w.dies(run.FailedResumable)
		w.oracle.found.Armed = true
		w.row("armed")
		w.untouched()
	})
}

func TestWatchdog_FinishedRunCompletesItsCard(t *testing.T) {
	in(t, func(w *world) {
		w.dies(run.Finished)
		w.row("finished")
		w.sweep()
		is := w.stands("", board.StateReview, board.ReasonRunFinished)
		if is.LastRunID != "run-1" || is.LastWorkdir != "/w" || is.ClaimEpoch != 2 || is.GivenUp() != nil {
			w.Errorf("the card says %+v", is)
		}
	})
}

func TestWatchdog_FailedRunFailsItsCard(t *testing.T) {
	in(t, func(w *world) {
		w.dies(run.Failed)
		w.row("failed")
		w.sweep()
		g := w.stands("", board.StateBlocked, board.ReasonRunFailed).GivenUp()
		if g == nil || g.RunID != "run-1" || g.Attempts != 3 || g.Reason != "it broke" {
			w.Errorf("stamp %+v", g)
		}
	})
}

func TestWatchdog_FailedRunWithoutAColumnForItGoesBackToThePool(t *testing.T) {
	in(t, func(w *world) {
		w.settings.Failed = "none"
		w.dies(run.Failed)
		w.sweep()
		w.stands("", board.StateReady, board.ReasonWatchdog)
	})
}

func TestWatchdog_ResumableRunGoesBackToThePool(t *testing.T) {
	in(t, func(w *world) {
		w.dies(run.FailedResumable)
		w.row("failed_resumable")
		w.sweep()
		if is := w.stands("", board.StateReady, board.ReasonWatchdog); is.LastRunID != "run-1" {
			w.Errorf("last run %q", is.LastRunID)
		}
	})
}

func TestWatchdog_GoneRecordGivesTheCardUp(t *testing.T) {
	in(t, func(w *world) {
		f := w.claim(board.StateInProgress)
		_, err := w.mem.SetLastRun(w.Context(), w.id, f, board.RunRef{RunID: "run-0"}, board.Cause{})
		w.must(err)
		w.oracle.found = Finding{RunID: "run-0", Gone: true}
		w.expire()
		w.row("gone")
		w.sweep()
		g := w.stands("", board.StateBlocked, board.ReasonWatchdog).GivenUp()
		if g == nil || !strings.Contains(g.Reason, "the record of run run-0 is gone") {
			w.Errorf("stamp %+v", g)
		}
	})
}

func TestWatchdog_GoneRecordWithoutAColumnForItKeepsTheCard(t *testing.T) {
	in(t, func(w *world) {
		w.settings.Failed = "none"
		w.claim(board.StateInProgress)
		w.oracle.found = Finding{RunID: "run-0", Gone: true}
		w.expire()
		w.untouched()
	})
}

func TestWatchdog_UnknownStatusIsKept(t *testing.T) {
	in(t, func(w *world) {
		w.dies("dreaming")
		w.row("unknown status")
		w.untouched()
	})
}

func TestWatchdog_UnprovenDeathIsKept(t *testing.T) {
	in(t, func(w *world) {
		w.dies(run.Failed)
		w.oracle.found.Record.FailureCode = run.CodeKillUnconfirmed
		w.row("doubtful")
		w.untouched()
	})
}

func TestWatchdog_CardParkedOutsideThePoolIsKept(t *testing.T) {
	for _, state := range []string{board.StateAwaitingInput, board.StateBacklog, board.StateReview} {
		in(t, func(w *world) {
			w.claim(state)
			w.runs(run.FailedResumable)
			w.expire()
			w.row("parked")
			w.untouched()
		})
	}
}

func TestWatchdog_CardThatWasFiledIsReleased(t *testing.T) {
	in(t, func(w *world) {
		f := w.claim(board.StateInProgress)
		w.runs(run.Finished)
		_, err := w.mem.SetState(w.Context(), w.id, f, board.Filing{To: board.StateReview}, board.Cause{Reason: board.ReasonRunFinished})
		w.must(err)
		w.expire()
		w.row("filed before")
		w.sweep()
		w.stands("", board.StateReview, board.ReasonRunFinished)
	})
}

func TestWatchdog_CardOfItsOwnDispatcherIsKept(t *testing.T) {
	in(t, func(w *world) {
		w.dies(run.Finished)
		w.oracle.found.Tended = true
		w.row("tended")
		w.untouched()
	})
}

func TestWatchdog_DeliberateMoveStands(t *testing.T) {
	for name, story := range map[string]func(w *world){
		"back in the queue": func(w *world) {
			w.claim(board.StateInProgress)
			w.move(board.StateReady)
			w.runs(run.Finished)
		},
		"to be worked on, after the end": func(w *world) {
			w.claim(board.StateInProgress)
			w.runs(run.Failed)
			w.move(board.StateBacklog)
			w.move(board.StateInProgress)
		},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(w *world) {
				story(w)
				state := w.card().State
				w.expire()
				w.row("moved")
				w.sweep()
				w.stands("", state, "")
			})
		})
	}
}

// move is a person's.
func (w *world) move(to string) {
	w.Helper()
	w.wait(time.Second)
	_, err := w.mem.Move(w.Context(), w.id, to, board.Cause{Actor: "alice"})
	w.must(err)
}

func TestWatchdog_EveryRowHasATest(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range table() {
		if seen[r.name] {
			t.Errorf("two rows are called %q", r.name)
		}
		seen[r.name] = true
	}
	if len(seen) != 19 {
		t.Errorf("the table has %d rows: each needs a test of its own here", len(seen))
	}
}
