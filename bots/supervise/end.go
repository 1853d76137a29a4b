package supervise

import (
	"context"
	"os"
	"time"

	"iterion/native/proctree"
)

// endTree returns when nothing of the tree is left. While that cannot be proven
// the record says so, and once a second it is tried again.
func (s *supervisor) endTree(reaper *proctree.Reaper, once func() error) {
	select {
	case <-reaper.Empty: // no child left: the kernel's own proof
		return
	case <-time.After(2 * time.Millisecond):
	}
	for err := once(); err != nil; err = once() {
		if s.rec.Error != err.Error() || !s.rec.Doubtful() {
			s.rec.Doubt(err.Error(), time.Now())
			s.complain(err)
			if err := s.runs.Save(s.rec); err != nil {
				s.complain(err)
			}
		}
		select {
		case <-reaper.Empty:
			return
		case <-time.After(time.Second):
		}
	}
}

func (s *supervisor) endOnce() error {
	own := os.Getpid()
	tree := func() ([]proctree.Process, error) { return proctree.Descendants(own, apart) }
	return proctree.End(context.Background(), tree, proctree.Patience{Grace: s.plan.Grace, Proof: proof})
}
