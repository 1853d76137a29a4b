package daemon

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"

	"iterion/bots"
	"iterion/native"
	"iterion/sched/resident"
	"iterion/sched/trigger"
)

// TriggerOptions says where the subscriptions of a store come from: its triggers.yaml
// and the manifests of the bots that reg knows.
func TriggerOptions(l native.Layout, reg *bots.Registry) trigger.Options {
	return trigger.Options{Path: l.Triggers(), Bundles: func() []trigger.Bundle { return bundles(reg) }}
}

func bundles(reg *bots.Registry) []trigger.Bundle {
	var out []trigger.Bundle
	for _, e := range reg.List() {
		if e.ShadowedBy == "" {
			out = append(out, trigger.Bundle{
				Slug: e.Bot.Slug(), Path: e.Path, Manifest: e.Bot.Manifest, BuiltIn: e.Bot.Tier == bots.TierCatalog, Err: e.Err,
			})
		}
	}
	return out
}

// clockRows are the subscriptions of a store that clocks fire, as they are now.
func clockRows(o trigger.Options) (resident.Rows, trigger.Set, error) {
	set, err := trigger.Load(o)
	if err != nil {
		return resident.Rows{}, set, err
	}
	rows := resident.Rows{Unknown: func(id string) bool {
		_, err := set.Get(id)
		return unknownSubscription(err)
	}}
	for _, sub := range set.All() {
		if sub.Clock() {
			rows.Clocks = append(rows.Clocks, sub)
		}
	}
	for _, p := range set.Problems {
		if sub, err := set.Get(p.ID); err != nil || sub.Clock() { // those of others are told elsewhere
			rows.Problems = append(rows.Problems, p.String())
		}
	}
	return rows, set, nil
}

// bindings is a fingerprint of all files that say what subscriptions there are.
func bindings(l native.Layout, reg *bots.Registry) uint64 {
	h := fnv.New64a()
	note := func(path string) {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintln(h, path, info.Size(), info.ModTime().UnixNano())
		}
	}
	note(l.Triggers())
	for _, dir := range reg.Paths() {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			note(filepath.Join(dir, e.Name()))
			note(filepath.Join(dir, e.Name(), "manifest.yaml"))
		}
	}
	return h.Sum64()
}

// remember keeps the ids of derived subscriptions; what goes wrong with that costs
// nobody a launch.
func (d *Daemon) remember(ctx context.Context, set trigger.Set) {
	if err := set.Remember(ctx, trigger.WriteOptions{NoFsync: d.o.NoFsync}); err != nil && ctx.Err() == nil {
		d.log.Warn("the ids of subscriptions cannot be kept", "err", err)
	}
}
