package doctor

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"iterion/native"
)

func (h *Host) survey(l native.Layout) {
	h.Watches = kernelNumber("/proc/sys/fs/inotify/max_user_watches")
	h.Instances = kernelNumber("/proc/sys/fs/inotify/max_user_instances")
	h.WatchErr = tryWatch(l)
	var fs unix.Statfs_t
	if unix.Statfs(l.Dispatcher(), &fs) != nil {
		return
	}
	h.Disk = Disk{Known: true, FreeBytes: fs.Bavail * uint64(fs.Bsize), Inodes: fs.Files, FreeInodes: fs.Ffree}
	h.FS = byMagic(uint32(fs.Type))
	if uint32(fs.Type) == fuseMagic {
		h.FS = fuseKind(l, h.FS)
	}
}

func kernelNumber(path string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	return n
}

// tryWatch does what a daemon does, and lets go.
func tryWatch(l native.Layout) error {
	for _, dirs := range [][]string{{l.Dispatcher(), l.Issues()}, {l.Runs()}} {
		fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		if err != nil {
			return fmt.Errorf("open a watcher: %w", err)
		}
		defer unix.Close(fd)
		for _, dir := range dirs {
			if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_CREATE); err == unix.ENOSPC {
				return fmt.Errorf("watch %s: no watch is left", dir)
			}
		}
	}
	return nil
}

// fuseKind asks the list of mounts what kind of FUSE it is.
func fuseKind(l native.Layout, otherwise FileSystem) FileSystem {
	var st unix.Stat_t
	list, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil || unix.Stat(l.Dispatcher(), &st) != nil {
		return otherwise
	}
	dev := fmt.Sprintf("%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev))
	if kind := mountKind(string(list), dev); kind != "" {
		return byMount(kind)
	}
	return otherwise
}
