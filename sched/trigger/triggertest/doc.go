// Package triggertest holds the suites that every twin of the outbox and of the
// inbox passes.
//
// Each takes a function that opens an empty twin; the suites use nothing but the
// contract, so that a twin which passes can stand in for any other. Time is what a
// suite says it is: every verb that judges by the clock is given its now.
//
// A twin that survives its process is opened with [OutboxDurable] and
// [InboxDurable], whose openers return a second opening of the same data.
package triggertest
