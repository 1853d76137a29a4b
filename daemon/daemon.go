// Package daemon joins the rooms of one host into a running dispatcher.
package daemon
