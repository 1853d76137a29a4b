// Package control is the daemon's local API over a unix socket.
package control
