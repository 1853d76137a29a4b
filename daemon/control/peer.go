package control

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
)

// privateListener hands out only connections of this user's own processes.
type privateListener struct {
	*net.UnixListener
	pointer string // to remove at Close; empty when there is none
}

// Accept waits for the next connection of this user and turns others away.
func (l *privateListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if err := checkPeer(conn, os.Getuid()); err == nil {
			return conn, nil
		}
		conn.Close() // a stranger is told nothing
	}
}

// Close ends listening and removes the socket and its pointer.
func (l *privateListener) Close() error {
	err := l.UnixListener.Close()
	if l.pointer != "" {
		if e := os.Remove(l.pointer); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// checkPeer refuses a peer that is not a process of user uid.
func checkPeer(conn *net.UnixConn, uid int) error {
	peer, err := peerUID(conn)
	if err != nil {
		return fmt.Errorf("identify peer: %w", err)
	}
	if peer != uid {
		return fmt.Errorf("peer belongs to user %d, not %d", peer, uid)
	}
	return nil
}

func peerUID(conn *net.UnixConn) (uid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	controlErr := raw.Control(func(fd uintptr) { uid, err = userOf(int(fd)) })
	return uid, errors.Join(controlErr, err)
}
