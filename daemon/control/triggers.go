package control

import (
	"context"
	"net/http"
	"net/url"

	"iterion/sched/trigger"
)

// TriggerStatus is how far the daemon has come with what events owe. Only the one that
// owns the store's singletons has any.
type TriggerStatus struct {
	// BoardLag and InboxLag are events that were not looked at yet.
	BoardLag int64 `json:"board_lag"`
	InboxLag int64 `json:"inbox_lag"`

	Pending int `json:"pending"` // effects that wait, also for a slot or the end of a pause
	Working int `json:"working"`
	Failed  int `json:"failed"` // kept until somebody retries or drops them

	// Broken counts events that could not be read since the start and were passed
	// over; LastBroken is the newest.
	Broken     int64  `json:"broken,omitempty"`
	LastBroken string `json:"last_broken,omitempty"`
	// Problems counts subscriptions that are wrong as they are written.
	Problems int `json:"problems,omitempty"`
	// LastError is what keeps triggers from going on; nothing is lost meanwhile.
	LastError string `json:"last_error,omitempty"`
}

// Triggering is the part of the API that is about what events owe: the subscriptions
// and their effects. A daemon that does not own the store's singletons answers
// CodeConflict.
type Triggering interface {
	// Subscriptions returns all of them, those of clocks and those that are not in force
	// among them.
	Subscriptions(ctx context.Context) (Subscriptions, error)
	// SetSubscription puts one in force or takes it out, in triggers.yaml.
	SetSubscription(ctx context.Context, id string, in SetSchedule) (trigger.Subscription, error)
	// Effects returns the newest effects, at most EffectsMax, and every failed one.
	Effects(ctx context.Context) ([]trigger.Effect, error)
	// RetryEffect gives a failed effect all its attempts again, and lets one that waits
	// go on at once. One that is at work or done is a CodeConflict.
	RetryEffect(ctx context.Context, id string, by By) (trigger.Effect, error)
	// DropEffect calls a failed or waiting effect off, and returns it as it was.
	DropEffect(ctx context.Context, id string, by By) (trigger.Effect, error)
	// Emit leaves an event of source custom or manual.
	Emit(ctx context.Context, in EmitEvent) (trigger.Event, error)
}

// Subscriptions are those of a store, and what is wrong with some as they are written.
type Subscriptions struct {
	All      []trigger.Subscription `json:"all"`
	Problems []string               `json:"problems,omitempty"`
}

// EffectsMax bounds the effects that have not failed in one answer.
const EffectsMax = 300

// EmitEvent leaves an event. Of two with the same source and key the first counts.
type EmitEvent struct {
	Source  trigger.Source  `json:"source,omitempty"` // empty: custom
	Kind    string          `json:"kind"`
	Key     string          `json:"key,omitempty"` // empty: the event is like no other
	Subject trigger.Subject `json:"subject,omitzero"`
	Labels  []string        `json:"labels,omitempty"`
	Vars    map[string]any  `json:"vars,omitempty"`
	By      string          `json:"by,omitempty"`
}

func routeTriggers(mux *http.ServeMux, api Triggering) {
	mux.Handle("GET /v1/subscriptions", plain(api.Subscriptions))
	mux.Handle("POST /v1/subscriptions/{ref}/set", namedVerb(api.SetSubscription))
	mux.Handle("GET /v1/effects", plain(api.Effects))
	mux.Handle("POST /v1/effects/{ref}/retry", namedVerb(api.RetryEffect))
	mux.Handle("POST /v1/effects/{ref}/drop", namedVerb(api.DropEffect))
	mux.Handle("POST /v1/emit", verb(api.Emit))
}

func effectPath(id, verb string) string { return "/v1/effects/" + url.PathEscape(id) + verb }

// Subscriptions returns the store's subscriptions.
func (c *Client) Subscriptions(ctx context.Context) (Subscriptions, error) {
	return get[Subscriptions](ctx, c, "/v1/subscriptions")
}

// SetSubscription puts a subscription in force or takes it out.
func (c *Client) SetSubscription(ctx context.Context, id string, in SetSchedule) (trigger.Subscription, error) {
	return post[trigger.Subscription](ctx, c, "/v1/subscriptions/"+url.PathEscape(id)+"/set", in)
}

// Effects returns the newest effects and all that have failed.
func (c *Client) Effects(ctx context.Context) ([]trigger.Effect, error) {
	return get[[]trigger.Effect](ctx, c, "/v1/effects")
}

// RetryEffect lets an effect be tried again.
func (c *Client) RetryEffect(ctx context.Context, id string, by By) (trigger.Effect, error) {
	return post[trigger.Effect](ctx, c, effectPath(id, "/retry"), by)
}

// DropEffect calls an effect off.
func (c *Client) DropEffect(ctx context.Context, id string, by By) (trigger.Effect, error) {
	return post[trigger.Effect](ctx, c, effectPath(id, "/drop"), by)
}

// Emit leaves an event.
func (c *Client) Emit(ctx context.Context, in EmitEvent) (trigger.Event, error) {
	return post[trigger.Event](ctx, c, "/v1/emit", in)
}
