// Package run holds the contract of a run: its record, its status machine and its
// folder on disk.
package run
