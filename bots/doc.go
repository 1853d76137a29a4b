// Package bots finds bots. A bot is a bundle: a folder with a manifest.yaml and
// whatever its command needs; its slug is the folder's name. A bundle may also lie
// packed, as the archive <slug>.botz.
//
// # The walk
//
// A slug is resolved by tiers: what a team keeps, what the platform keeps, and what
// is baked in. Of these a Registry knows the last: the folders that are configured,
// in order, then the catalog that is embedded in the binary. In each folder the
// bundles go before the archives. The first bundle of a slug wins; later ones are
// shadowed, which List shows. A bundle that cannot be read is listed with its problem
// and never skipped in favour of a later one of the same slug, so that a slip in a
// manifest does not silently start something else.
//
// Where a bot was found is not a property to store: slugs are resolved anew at
// each launch.
//
// # Where a run finds its bundle
//
// A bundle in a folder is used where it lies. An embedded or packed one is put into
// the run's own folder at launch, so that replacing the binary or the archive does
// not change a run that is under way.
package bots
