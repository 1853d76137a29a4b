// Package triggers is the screen of the subscriptions and of what events owe: effects
// that wait, that are done, and those that were given up and wait for a person.
//
// Both are asked of the daemon once a second while the screen is in front. The failed
// effects come first, for they are what a person is needed for.
package triggers
