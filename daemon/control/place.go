package control

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// Place names where a socket is looked for.
type Place struct {
	Socket  string // the socket itself, when its path is short enough
	Pointer string // else a file that holds the path of the socket
}

// Layout is the part of a store's layout that says where its socket is.
type Layout interface {
	Socket() string
	ControlPath() string
}

// PlaceOf is the place of the store's own daemon.
func PlaceOf(l Layout) Place { return Place{Socket: l.Socket(), Pointer: l.ControlPath()} }

// PlaceIn is the place of a daemon that only dispatches: its socket lies in its
// workspace root.
func PlaceIn(root string) Place {
	return Place{Socket: filepath.Join(root, ".control.sock"), Pointer: filepath.Join(root, ".control.path")}
}

// pathMax is the longest socket path that the kernel takes, its final NUL
// counted.
func pathMax() int {
	if runtime.GOOS == "linux" {
		return 108
	}
	return 104
}

// Listen opens the socket of a place, private to this user, and takes away what
// an earlier daemon left there. Only the holder of the daemon lock may call it.
// Closing the listener removes the socket and its pointer.
func Listen(p Place) (net.Listener, error) {
	path, err := p.choose()
	if err != nil {
		return nil, err
	}
	for _, stale := range []string{p.Socket, p.Pointer, path} {
		if err := os.Remove(stale); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("remove stale control socket: %w", err)
		}
	}
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("open control socket: %w", err)
	}
	if err := p.publish(path); err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	return &privateListener{UnixListener: ln, pointer: p.pointerFor(path)}, nil
}

// choose returns the path that the socket gets.
func (p Place) choose() (string, error) {
	if len(p.Socket) < pathMax() {
		return p.Socket, nil
	}
	dir, err := privateDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(p.Socket))
	path := filepath.Join(dir, hex.EncodeToString(sum[:8])+".sock")
	if len(path) >= pathMax() {
		return "", fmt.Errorf("no place is short enough for the control socket: %s has %d bytes, %d are allowed",
			path, len(path), pathMax()-1)
	}
	return path, nil
}

// publish makes the socket private and, when it lies elsewhere, writes the
// pointer to it.
func (p Place) publish(path string) error {
	if err := os.Chmod(path, 0o600); err != nil {
		return fmt.Errorf("make control socket private: %w", err)
	}
	pointer := p.pointerFor(path)
	if pointer == "" {
		return nil
	}
	temp := pointer + ".tmp"
	if err := os.WriteFile(temp, []byte(path+"\n"), 0o600); err != nil {
		return fmt.Errorf("write pointer to control socket: %w", err)
	}
	if err := os.Rename(temp, pointer); err != nil {
		return fmt.Errorf("write pointer to control socket: %w", err)
	}
	return nil
}

func (p Place) pointerFor(path string) string {
	if path == p.Socket {
		return ""
	}
	return p.Pointer
}

// locate returns where the socket of a running daemon would be. A pointer leads
// only into a folder that is ours alone.
func (p Place) locate() (string, error) {
	if len(p.Socket) < pathMax() {
		return p.Socket, nil
	}
	data, err := os.ReadFile(p.Pointer)
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrNoDaemon
	}
	if err != nil {
		return "", fmt.Errorf("read pointer to control socket: %w", err)
	}
	path := strings.TrimSpace(string(data))
	if err := ours(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
		return "", ErrNoDaemon
	} else if err != nil {
		return "", err
	}
	return path, nil
}

// privateDir makes or finds this user's folder for short socket paths.
func privateDir() (string, error) {
	base := os.Getenv("XDG_RUNTIME_DIR")
	if base == "" {
		base = os.TempDir()
	}
	dir := filepath.Join(base, fmt.Sprintf("iterion-%d", os.Getuid()))
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make folder for control socket: %w", err)
	}
	return dir, ours(dir)
}

// ours checks that a folder is a real one, owned by this user and closed to
// everybody else.
func ours(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("check folder of control socket: %w", err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 || !ok || int(st.Uid) != os.Getuid() {
		return fmt.Errorf("folder %s of the control socket is not private to this user", dir)
	}
	return nil
}
