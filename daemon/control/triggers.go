package control

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
