package supervise

import (
	"context"
	"fmt"
	"sync"
	"time"

	"iterion/native/run"
	"iterion/native/spend"
)

// How often a ledger that cannot be written is tried again: while the run goes on,
// and at its end.
const (
	tryLedger  = 5 * time.Second
	lastTries  = 3
	betweenTry = time.Second
)

// purse tells the day's ledger what the run has cost. It has a goroutine of its
// own, because the ledger's lock may have to be waited for.
type purse struct {
	ledger   *spend.Ledger
	runID    string
	since    time.Time
	complain func(error)
	// reached receives once when the day's cap is reached.
	reached chan struct{}

	wake chan struct{}
	done chan struct{}

	mu    sync.Mutex
	total float64
	told  float64 // -1: nothing yet, in this life of the run
}

func newPurse(p plan, rec run.Record, complain func(error)) *purse {
	w := &purse{
		ledger: spend.Open(p.StoreDir, spend.Options{NoFsync: p.NoFsync}), runID: rec.ID, since: rec.CreatedAt,
		complain: complain, reached: make(chan struct{}, 1), wake: make(chan struct{}, 1), done: make(chan struct{}),
		told: -1,
	}
	go w.work()
	return w
}

// pay notes what the run has cost so far in all.
func (w *purse) pay(total float64) {
	w.mu.Lock()
	w.total = total
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *purse) work() {
	defer close(w.done)
	for range w.wake {
		for w.tell() != nil {
			select {
			case _, open := <-w.wake:
				if !open {
					return
				}
			case <-time.After(tryLedger):
			}
		}
	}
}

// tell brings the ledger up to date.
func (w *purse) tell() error {
	w.mu.Lock()
	total, told := w.total, w.told
	w.mu.Unlock()
	if total == told {
		return nil
	}
	status, err := w.ledger.Record(context.Background(), w.runID, w.since, total, time.Now())
	if err != nil {
		w.complain(err)
	}
	if status.Day.Day == "" { // otherwise it is only the cap that is not known
		return err
	}
	w.mu.Lock()
	w.told = total
	w.mu.Unlock()
	if status.Reached {
		select {
		case w.reached <- struct{}{}:
		default:
		}
	}
	return nil
}

// close tells the ledger the last of it. An error means that the day's total lacks
// some of what the run has cost, and says how much the run has cost in all.
func (w *purse) close() error {
	close(w.wake)
	<-w.done
	err := w.tell()
	for range lastTries - 1 {
		if err == nil {
			return nil
		}
		time.Sleep(betweenTry)
		err = w.tell()
	}
	if err != nil {
		return fmt.Errorf("the day's ledger does not know that this run has cost $%g: %w", w.total, err)
	}
	return nil
}
