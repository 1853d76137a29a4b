//go:build !linux

package gate

import "syscall"

// attach does nothing: a guard outlives a caller that is killed.
func attach(*syscall.SysProcAttr) {}
