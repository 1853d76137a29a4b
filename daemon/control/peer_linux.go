package control

import "golang.org/x/sys/unix"

// userOf asks the kernel which user the other end of a socket belonged to when it
// connected.
func userOf(fd int) (int, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
