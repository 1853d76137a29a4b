package main

import (
	"bytes"
	"sync"
)

// growing is the output of a process that goes on.
type growing struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (g *growing) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.buf.Write(p)
}

func (g *growing) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.buf.String()
}

func (g *growing) lines() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return bytes.Count(g.buf.Bytes(), []byte("\n"))
}
