package gate

import (
	"context"
	"errors"
)

// Decide takes one due slot through the gate, as the package comment says, and
// returns its record. It does not fail: what goes wrong is in the record.
func Decide(ctx context.Context, r Request, p Ports) Record {
	return Record{Schema: Schema, Surface: r.Surface, ScheduleID: r.ScheduleID, ScheduleName: r.ScheduleName,
		BotID: r.BotID, TenantID: r.TenantID, Cron: r.Cron, At: r.At, Slot: r.Slot,
		Decision: LaunchFailed, Error: errors.ErrUnsupported.Error()}
}
