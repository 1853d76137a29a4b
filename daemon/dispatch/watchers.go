package dispatch

import "sync"

// watchers wake those who subscribed. Its lock is held for a map's walk of
// non-blocking sends, never longer.
type watchers struct {
	mu   sync.Mutex
	next int
	by   map[int]chan struct{}
}

func (w *watchers) add() (<-chan struct{}, func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.by == nil {
		w.by = map[int]chan struct{}{}
	}
	id, c := w.next, make(chan struct{}, 1)
	w.next++
	w.by[id] = c
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.by, id)
	}
}

func (w *watchers) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.by {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// hints collect nudges until the actor takes them.
type hints struct {
	mu         sync.Mutex
	all, spend bool
	ids        map[string]bool
}

func (h *hints) addSpend() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.spend = true
}

func (h *hints) add(issueID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if issueID == "" {
		h.all = true
		return
	}
	if h.ids == nil {
		h.ids = map[string]bool{}
	}
	h.ids[issueID] = true
}

func (h *hints) take() tickAsked {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := tickAsked{all: h.all, spend: h.spend, ids: h.ids}
	h.all, h.spend, h.ids = false, false, nil
	return t
}
