// Package board holds the contract and the pure rules of a board: cards,
// columns, claims, blockers, events, and the Store that every twin implements.
//
// # Rules and stores
//
// Every verb is judged by a method of [Rules], a pure function from the card as
// it stands to a [Change]: the card as it will be and the one event that tells
// it. A twin reads the card, asks the rules, and makes card and event durable
// together, all under its own kind of exclusion (a lock over processes, one
// conditional update). No twin has rules of its own, so a card means the same
// whoever keeps it.
//
// Each content change has exactly one event. A verb that changes nothing leaves
// none, and a lease that moves is a sign of life rather than content: it is
// written without an event and leaves updated_at alone.
//
// # Columns
//
// The columns of a [Schema] are ordered. The dispatcher starts cards only from
// the eligible ones. A terminal column is a sink: cards move into it freely and
// between sinks, and only Reopen leads back to a working column.
//
// # Claims
//
// A claim is exclusive ownership of one card, told by three values: the marker
// (who holds it), the epoch (which hold it is) and the lease (until when the
// holder promised to renew).
//
//	unclaimed   no marker
//	claimed     marker set; epoch one higher than at the previous hold
//	superseded  what a holder is whose (marker, epoch) is not the card's pair:
//	            the fenced verbs, release included, refuse it with ErrConflict
//	recovery    taken over from a holder that let its lease expire, for the time
//	            that it takes to decide what becomes of the card
//	retained    claimed with nobody renewing: a paused run's parking brake, or a
//	            card that a person's cancel holds in place
//
// Anybody may claim an unclaimed card. The epoch never shrinks, also not when
// the card is released, so that a pair names one hold for good. The same marker
// claiming again keeps its epoch and extends its lease. An expired lease takes
// nothing away: it only lets a sweep find the card, and Transfer take it over under a
// new epoch, so that the late holder is superseded. A card whose record lost its
// epoch refuses every holder until a person releases it by force.
//
// The holder alone may use the fenced verbs: renew, release, set state, set last
// run, set awaiting input, set gave up. A person needs no claim: moving a
// claimed card is allowed, and its holder reacts to the event. Deleting one asks
// for force. ForceRelease takes a claim away without its holder's word and
// leaves an event.
//
// A holder that dies between two verbs leaves the card as the last one put it:
// each verb is whole or absent. The holder's successor finds the marker, the
// epoch and the last run on the card.
//
// # Blockers
//
// A card's blockers are hard: the card is not started while one of them is
// unsatisfied. A blocker is satisfied only in the column done (not in blocked)
// and, where the card's bot argument require_blocker_labels lists labels, only
// with all of them. A blocker that no longer exists is unsatisfied. A write that
// adds a blocker that does not exist, or that closes a cycle, is refused.
//
// When a card reaches done, or is imported there, the cards in waiting_deps that
// it was the last to hold back move to backlog, or to ready where their bot
// argument auto_ready says so. [Rules.Unblock] computes those changes; the twin applies them with
// the change that caused them.
//
// # Cards from elsewhere
//
// Import takes a card as another board or tool tells it, under the id that it
// has there. The same record again changes nothing; one that differs is one
// change. What was only ever appended (comments, runs) is never shortened, and a
// claim neither comes in nor is touched: while somebody holds the card, a record
// that differs in the column or the runs is refused.
//
// # Records
//
// Cards, schemas and events are JSON. Reading is tolerant: an absent key takes
// its zero value, and an unknown one is kept in Extra and written back, at every
// level of the record. Numbers of custom fields are json.Number, so that none
// loses digits. Instants are UTC, RFC 3339 with nanoseconds.
package board
