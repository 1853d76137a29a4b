//go:build !linux

package native

import "errors"

func sleepUnderLock(Layout) error { return errors.New("this role is played on Linux only") }
