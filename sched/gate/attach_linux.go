package gate

import "syscall"

// attach lets the kernel end the guard's shell when the thread that starts it dies,
// which runGuard sees to is not before the whole process does.
func attach(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
