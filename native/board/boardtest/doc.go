// Package boardtest holds the suite that every twin of a board passes, and a
// board in memory.
//
// [Run] takes a function that opens an empty store with the default schema. The
// suite uses nothing but the [board.Store] contract, so that a twin that passes
// it can stand in for any other.
//
// [Memory] does no I/O, keeps no goroutine and reads the time only from package
// time, so it can be used inside a testing/synctest bubble. Its hooks let a test
// fail any verb before it happens or after it has.
package boardtest
