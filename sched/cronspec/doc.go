// Package cronspec reads cron expressions, tells when they are due and says in
// plain words what they mean.
//
// # Expressions
//
// Five fields: minute, hour, day of month, month, day of week; numbers, names
// (jan, mon), ranges, steps and lists; Sunday is 0 and 7. N/S is N to the field's
// end by S. Or one word: @hourly @daily @midnight @weekly @monthly @yearly
// @annually, or @every and a time span of whole seconds. CRON_TZ=Zone or TZ=Zone
// may come first. What is refused is refused with an *Error that names the field
// and shows what to write instead.
//
// When day of month and day of week are both restricted, a day that is in either
// is meant; a field that begins with * does not restrict, as in every cron since
// Vixie's, so that "0 0 */2 * mon" means the Mondays among the odd days.
//
// # Slots
//
// A slot is an instant at which an expression is due. Out of the minutes that the
// fields name on the zone's clock, it is made in one of three ways.
//
// A fixed time is due as soon as the zone's clock shows its minute or has gone
// past it, and once only. So a time in a skipped hour is due at the gap's end,
// together with any others in that gap and with the gap's end itself: one slot. A
// time that the clock shows twice is due at the first. A day that a zone left out
// counts as a gap like any other.
//
// An expression that is hourly or finer follows elapsed time: it is due whenever
// the clock shows one of its minutes, in a repeated hour twice. A minute that was
// skipped is due at the gap's end, unless the clock, that much further on, comes
// to a minute of the expression in any case: "30 * * * *" goes from 01:30 to 03:30,
// an hour later. Such an expression has a * or a step in its hour field, or all of
// the hours; a step that leaves one hour only ("*/23" leaves two, "22/2" one)
// makes a fixed time.
//
// @every follows elapsed time from the instant that it is asked about, cut to
// whole seconds.
//
// An expression that no date ever matches is refused, so a Spec always has a next
// slot.
//
// # Zones
//
// Zones come from the machine's time zone database; a machine without one knows
// only UTC, and the refusal says so. Names that mean something else on each
// machine (Local, localtime) are refused: leave the zone empty for the host's.
//
// # Host crontabs
//
// Spec.CrontabLines covers a Spec with lines for a cron that knows only the host's
// zone. They may name minutes at which nothing is due, never too few: whoever they
// call asks Spec.Last what was.
package cronspec
