package control

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"iterion/sched/gate"
	"iterion/sched/resident"
)

// Clocking is the part of the API that is about the daemon's own clocks: schedule and
// keepalive subscriptions. A ref is the full id of one. A daemon that does not own the
// store's singletons has no clocks and answers CodeConflict.
type Clocking interface {
	// Schedules returns all of them, those that are not in force among them, by id.
	Schedules(ctx context.Context) ([]resident.Row, error)
	// RunSchedule takes one through its gate now, whether it is due or not. What the
	// gate said is in the record. While nothing may start it is CodeConflict.
	RunSchedule(ctx context.Context, ref string, by By) (gate.Record, error)
	// SetSchedule puts one in force or takes it out, in triggers.yaml.
	SetSchedule(ctx context.Context, ref string, in SetSchedule) (resident.Row, error)
	// Ticks calls send with records of the tick audit, oldest first. It returns nil
	// when there are no more; with Follow it waits for those to come until ctx ends or
	// send fails.
	Ticks(ctx context.Context, q TickQuery, send func(gate.Record) error) error
}

// SetSchedule says whether a schedule is in force.
type SetSchedule struct {
	Enabled bool   `json:"enabled"`
	By      string `json:"by,omitempty"`
}

// TickQuery selects records of the tick audit.
type TickQuery struct {
	ID     string // of a schedule; empty: of all
	Tail   int    // only so many, the newest; 0: all; below 0: none, for Follow
	Follow bool
}

func (q TickQuery) encode() string {
	v := url.Values{"tail": {strconv.Itoa(q.Tail)}, "follow": {strconv.FormatBool(q.Follow)}}
	if q.ID != "" {
		v.Set("id", q.ID)
	}
	return v.Encode()
}

func routeClocks(mux *http.ServeMux, api Clocking) {
	mux.Handle("GET /v1/schedules", plain(api.Schedules))
	mux.Handle("POST /v1/schedules/{ref}/run", namedVerb(api.RunSchedule))
	mux.Handle("POST /v1/schedules/{ref}/set", namedVerb(api.SetSchedule))
	mux.Handle("GET /v1/ticks", ticks(api))
}

// ticks streams records, each flushed as it comes. What goes wrong before the first is
// answered like any refusal; behind that the stream just ends.
func ticks(api Clocking) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tail, err := number(r, "tail")
		if err != nil {
			refuse(w, err)
			return
		}
		in := r.URL.Query()
		q := TickQuery{ID: in.Get("id"), Tail: int(tail), Follow: in.Get("follow") == "true"}
		out, flush, begun := json.NewEncoder(w), http.NewResponseController(w), false
		begin := func() {
			if !begun {
				begun = true
				w.Header().Set("Content-Type", "application/x-ndjson")
			}
		}
		if q.Follow { // the client is to know that it is connected
			begin()
			_ = flush.Flush()
		}
		err = api.Ticks(r.Context(), q, func(rec gate.Record) error {
			begin()
			if err := out.Encode(rec); err != nil || !q.Follow {
				return err
			}
			return flush.Flush()
		})
		if err != nil && !begun {
			refuse(w, err)
		}
	})
}

func schedulePath(ref, verb string) string { return "/v1/schedules/" + url.PathEscape(ref) + verb }

// Schedules returns the daemon's clocks.
func (c *Client) Schedules(ctx context.Context) ([]resident.Row, error) {
	return get[[]resident.Row](ctx, c, "/v1/schedules")
}

// RunSchedule takes a schedule through its gate now.
func (c *Client) RunSchedule(ctx context.Context, ref string, by By) (gate.Record, error) {
	return post[gate.Record](ctx, c, schedulePath(ref, "/run"), by)
}

// SetSchedule puts a schedule in force or takes it out.
func (c *Client) SetSchedule(ctx context.Context, ref string, in SetSchedule) (resident.Row, error) {
	return post[resident.Row](ctx, c, schedulePath(ref, "/set"), in)
}

// Ticks hands records of the tick audit to send, see Clocking.
func (c *Client) Ticks(ctx context.Context, q TickQuery, send func(gate.Record) error) error {
	body, err := c.do(ctx, http.MethodGet, "/v1/ticks?"+q.encode(), nil)
	if err != nil {
		return err
	}
	defer body.Close()
	for in := json.NewDecoder(body); ; {
		var rec gate.Record
		if err := in.Decode(&rec); err != nil {
			if err = watchEnd(ctx, err); err == ErrStopped && !q.Follow {
				return nil
			}
			return err
		}
		if err := send(rec); err != nil {
			return err
		}
	}
}
