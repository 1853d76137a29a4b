// Package manifest reads manifest.yaml, the one file that makes a folder a bot.
//
// A manifest says who the bot is (name, description), how it is run (the run
// block), what it wants to be told (vars, and dispatch_vars that fill them from a
// card), and when it would like to be started (invocations). Parse checks all of
// it at once and reports every problem with its line, so that one look at the
// output is enough to repair the file.
//
// Reading is tolerant where another implementation may have been at work, and
// strict where a slip would go unnoticed:
//
//   - Unknown keys at the top level are kept aside in Manifest.Ignored.
//   - So are those inside vars, retry and invocations, unless they look like a
//     known one misspelt: that is an error.
//   - The run block is iterion's own: unknown keys inside it are errors.
//   - A manifest without a run block is valid; Manifest.Launchable says what is
//     missing when somebody wants to start it.
//
// The package knows no folders: finding, listing and copying bundles is the
// registry's work in package bots.
package manifest
