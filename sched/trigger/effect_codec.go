package trigger

import (
	"bytes"
	"encoding/json"
	"strings"
)

// plainEffect is the same without methods, for the codec.
type plainEffect Effect

// effectKeys are the keys of a row that this package knows.
var effectKeys = []string{
	"id", "kind", "event_id", "subscription_id", "tenant_id", "run_id", "event", "state", "attempts", "claim_id",
	"claim_until", "consume_marked", "not_before", "held", "last_error", "outcome", "created_at", "updated_at",
}

// UnmarshalJSON keeps the keys that it does not know.
func (e *Effect) UnmarshalJSON(data []byte) error {
	var plain plainEffect
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if dec.Decode(&plain) == nil { // the usual row, in one pass
		*e = Effect(plain)
		return nil
	}
	*e = Effect{}
	if err := json.Unmarshal(data, (*plainEffect)(e)); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	for _, k := range effectKeys {
		delete(all, k)
	}
	if len(all) > 0 {
		e.Extra = all
	}
	return nil
}

// MarshalJSON writes the unknown keys back.
func (e Effect) MarshalJSON() ([]byte, error) {
	known, err := json.Marshal(plainEffect(e))
	if err != nil || len(e.Extra) == 0 {
		return known, err
	}
	extra := map[string]json.RawMessage{}
	for k, v := range e.Extra {
		extra[k] = v
	}
	for _, k := range effectKeys {
		delete(extra, k)
	}
	rest, err := json.Marshal(extra)
	if err != nil || len(extra) == 0 {
		return known, err
	}
	return []byte(strings.TrimSuffix(string(known), "}") + "," + strings.TrimPrefix(string(rest), "{")), nil
}

// EffectID returns the id of what an event owes a subscription.
func EffectID(eventID, subscriptionID string) string { return eventID + "|" + subscriptionID }
