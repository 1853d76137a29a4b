package daemon

import (
	"net"
	"os"
	"sync"
)

// ownNames are the names by which a server at that address may be called. One that
// is reached over other interfaces has the host's name, too.
func ownNames(addr string) []string {
	names := []string{"localhost"}
	if net.ParseIP(addr) == nil {
		return append(names, addr)
	}
	if host, err := os.Hostname(); err == nil && !net.ParseIP(addr).IsLoopback() {
		names = append(names, host)
	}
	return names
}

// limited accepts only so many connections at once.
type limited struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

func limit(ln net.Listener, n int) *limited {
	return &limited{Listener: ln, places: make(chan struct{}, n), closed: make(chan struct{})}
}

// Accept waits for a place first.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &placed{Conn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

// Close ends a waiting Accept, too.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// placed gives its place back when it is closed.
type placed struct {
	net.Conn
	leave func()
}

func (c *placed) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
