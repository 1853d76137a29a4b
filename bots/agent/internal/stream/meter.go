package stream

import "iterion/bots/agent"

// Figures beyond these are none: they would spoil every sum that they go into.
const (
	maxUSD    = 1e6
	maxTokens = 1e15
)

// Use is what a session, or a part of it, has used up.
type Use struct {
	USD     float64
	In, Out int64 // tokens; In counts what was read from a cache too
}

func (u Use) plus(v Use) Use { return Use{u.USD + v.USD, u.In + v.In, u.Out + v.Out} }

func (u Use) sane() bool {
	return u.USD >= 0 && u.USD <= maxUSD && u.In >= 0 && u.In <= maxTokens && u.Out >= 0 && u.Out <= maxTokens
}

// Meter turns what a stream counts into totals of the run, which never fall.
type Meter struct {
	session string // that is gone on with
	before  Use    // of the run, when it started
	total   Use
	anew    bool // the stream counts from nothing
	settled bool // whether it does is known
}

// NewMeter returns the meter of a run that starts.
func NewMeter(s agent.Start) *Meter {
	before := Use{s.CostUSD, s.TokensIn, s.TokensOut}
	return &Meter{session: s.Session, before: before, total: before, anew: s.Session == "", settled: s.Session == ""}
}

// Session is told which session the stream is of. Another one than that which was
// to be gone on with counts from nothing.
func (m *Meter) Session(id string) {
	if id != "" && id != m.session {
		m.anew, m.settled = true, true
	}
}

// Reached takes the total of the session so far. A session that is gone on with
// may count on, or begin anew: its first figure shows it, for a total that counts on
// is not below that of before.
func (m *Meter) Reached(u Use) {
	if !u.sane() || u == (Use{}) {
		return
	}
	if !m.settled {
		m.anew, m.settled = u.below(m.before), true
	}
	if m.anew {
		u = m.before.plus(u)
	}
	m.raise(u)
}

func (m *Meter) raise(u Use) {
	if !u.sane() {
		return
	}
	m.total = Use{max(m.total.USD, u.USD), max(m.total.In, u.In), max(m.total.Out, u.Out)}
}

// below compares what both count: some streams know no cost.
func (u Use) below(v Use) bool {
	return u.USD > 0 && u.USD < v.USD || u.In < v.In || u.Out < v.Out
}

// Spent takes what one part of the session has used up.
func (m *Meter) Spent(u Use) {
	if u.sane() {
		m.raise(m.total.plus(u))
	}
}

// Tell puts the totals into s.
func (m *Meter) Tell(s *agent.Said) {
	s.Counted, s.CostUSD, s.TokensIn, s.TokensOut = true, m.total.USD, m.total.In, m.total.Out
}
