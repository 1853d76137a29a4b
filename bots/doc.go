// Package bots finds bots. A bot is a bundle: a folder with a manifest.yaml and
// whatever its command needs; its slug is the folder's name.
//
// A Registry looks through folders in the order given and then through the
// catalog that is embedded in the binary. The first bundle of a slug wins; later
// ones are shadowed, which List shows. A bundle that cannot be read is listed
// with its problem and never skipped in favour of a later one of the same slug,
// so that a slip in a manifest does not silently start something else.
//
// Where a bot was found is not a property to store: slugs are resolved anew at
// each launch.
package bots
