package resident

// writing is the one write of the calendar that is under way, and who waits for the
// next one.
type writing struct {
	busy    bool
	dirty   bool
	waiters []chan<- error // of the next write
}

// save writes the calendar as it is now, together with whatever else changes until the
// writer is free. reply, if not nil, is told once that is durable.
func (s *Scheduler) save(reply chan<- error) {
	w := &s.write
	w.dirty = true
	if reply != nil {
		w.waiters = append(w.waiters, reply)
	}
	s.flush()
}

func (s *Scheduler) flush() {
	w := &s.write
	if w.busy || !w.dirty {
		return
	}
	waiters, c := w.waiters, s.st.snapshotCalendar()
	w.busy, w.dirty, w.waiters = true, false, nil
	s.work(func() {
		err := c.write(s.o.Path, s.o.File)
		for _, reply := range waiters {
			reply <- err // buffered
		}
		s.tell(func(s *Scheduler) { s.written(err) })
	})
}

func (s *Scheduler) written(err error) {
	s.write.busy = false
	text := ""
	if err != nil {
		text = err.Error()
		if s.st.writeErr != text {
			s.log.Error("the schedules' calendar cannot be written, so nothing is launched", "err", err)
		}
		s.write.dirty = len(s.write.waiters) > 0 // who waits is told; the rest is written with the next change
	}
	s.st.writeErr = text
	s.flush()
}
