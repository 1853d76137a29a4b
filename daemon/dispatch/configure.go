package dispatch

import (
	"context"
	"time"
)

// Configure puts other settings in force. Cards that are being worked keep the
// attempt that they have; everything that starts from now on follows the new ones.
// The workspace root and the lengths of leases stay what they were at the start.
func (d *Dispatcher) Configure(ctx context.Context, c Config) error {
	reply := make(chan error, 1)
	return d.ask(ctx, configured{cfg: c.withDefaults(), reply: reply}, reply)
}

func (s *state) onConfigured(m configured, now time.Time) []effect {
	was := s.cfg
	s.cfg = m.cfg
	s.cfg.WorkspaceRoot, s.cfg.Lease, s.cfg.ShutdownGrace = was.WorkspaceRoot, was.Lease, was.ShutdownGrace
	s.warnings = nil // what still holds is said again at the next look
	s.refusals = map[string]refusal{}
	s.wanted, s.nextPoll = true, now
	return []effect{replyError{to: m.reply}}
}
