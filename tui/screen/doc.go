// Package screen is what the root model and the screens agree on: the Source
// that they ask, the Env that the root lends to a screen at each call, and the
// verbs on cards and runs that several screens offer in the same words.
package screen
