// Package dispatch is the actor that turns cards into runs and settles them.
package dispatch
