package doctor

import (
	"golang.org/x/sys/unix"

	"iterion/native"
)

// survey knows no limits here: kqueue watches cost descriptors, of which a daemon
// needs a handful.
func (h *Host) survey(l native.Layout) {
	var fs unix.Statfs_t
	if unix.Statfs(l.Dispatcher(), &fs) != nil {
		return
	}
	h.Disk = Disk{Known: true, FreeBytes: fs.Bavail * uint64(fs.Bsize), Inodes: fs.Files, FreeInodes: fs.Ffree}
	h.FS = byMount(unix.ByteSliceToString(fs.Fstypename[:]))
}
