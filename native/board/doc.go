// Package board holds the contract and the pure rules of a board: cards, columns,
// claims, blockers, events, and the Store that every twin implements.
package board
