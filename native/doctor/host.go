package doctor

import (
	"fmt"
	"os"
	"syscall"

	"iterion/native"
)

// Host is what the checks need to know of the machine.
type Host struct {
	Name  string
	UID   int // who examines
	Owner int // uid of the store's folder

	// What the kernel grants one user; 0: it does not say.
	Watches, Instances int
	WatchErr           error // why a watch on the store was refused just now

	Disk Disk
	FS   FileSystem
}

// Disk is the room that is left on the store's file system.
type Disk struct {
	Known      bool
	FreeBytes  uint64
	Inodes     uint64 // 0: the file system has no fixed number of them
	FreeInodes uint64
}

// What a daemon needs of the kernel: one instance for the board and one for the
// runs, and a watch for each of three folders.
const (
	needInstances = 2
	needWatches   = 3
)

// Below these a write may fail before anybody has looked again.
const (
	fewBytes  = 100 << 20
	noBytes   = 10 << 20
	fewInodes = 1000
)

// Survey looks at this host with a store in mind. It watches the store's folders
// for an instant, which is the one proof that the kernel lets a daemon do so.
func Survey(l native.Layout) Host {
	h := Host{UID: os.Geteuid(), Owner: os.Geteuid()}
	h.Name, _ = os.Hostname()
	if info, err := os.Stat(l.Root); err == nil {
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			h.Owner = int(st.Uid)
		}
	}
	h.survey(l)
	return h
}

func (x *exam) hosted() {
	for _, f := range x.host.findings(x.l.Root) {
		x.found(f)
	}
}

// findings judges the host of the store at root.
func (h Host) findings(root string) []Finding {
	var all []Finding
	for _, f := range []*Finding{h.watchLimit(), h.watchRefused(root), h.space(root), h.inodes(root), h.locks(root)} {
		if f != nil {
			all = append(all, *f)
		}
	}
	return all
}

func (h Host) watchLimit() *Finding {
	f := Finding{ID: "watch-limit", Severity: Warning,
		Means: "a daemon on this store polls instead of watching: changes are seen later and at a higher cost"}
	switch {
	case h.Instances > 0 && h.Instances < needInstances:
		f.Where, f.What = "fs.inotify.max_user_instances", fmt.Sprintf("the kernel grants %d, a daemon needs %d", h.Instances, needInstances)
		f.Remedy = "`sudo sysctl fs.inotify.max_user_instances=512`"
	case h.Watches > 0 && h.Watches < needWatches:
		f.Where, f.What = "fs.inotify.max_user_watches", fmt.Sprintf("the kernel grants %d, a daemon needs %d", h.Watches, needWatches)
		f.Remedy = "`sudo sysctl fs.inotify.max_user_watches=524288`"
	default:
		return nil
	}
	return &f
}

func (h Host) watchRefused(root string) *Finding {
	if h.WatchErr == nil {
		return nil
	}
	return &Finding{ID: "watch-refused", Severity: Warning, Where: root,
		What:   fmt.Sprintf("the kernel refuses a watch on the store's folders: %v", h.WatchErr),
		Means:  "other programs have used up what you are granted; a daemon on this store polls instead of watching",
		Remedy: "end some of them, or `sudo sysctl fs.inotify.max_user_instances=512 fs.inotify.max_user_watches=524288`"}
}

func (h Host) space(root string) *Finding {
	if !h.Disk.Known || h.Disk.FreeBytes >= fewBytes {
		return nil
	}
	f := Finding{ID: "disk-full", Severity: Warning, Where: root,
		What:   fmt.Sprintf("%d MiB are left on the file system", h.Disk.FreeBytes>>20),
		Means:  "soon no change is accepted, and dispatch pauses; what was acknowledged stays",
		Remedy: "make room; `iterion runs list` shows what old runs there are"}
	if h.Disk.FreeBytes < noBytes {
		f.Severity = Error
	}
	return &f
}

func (h Host) inodes(root string) *Finding {
	if !h.Disk.Known || h.Disk.Inodes == 0 || h.Disk.FreeInodes >= fewInodes {
		return nil
	}
	return &Finding{ID: "inodes-low", Severity: Warning, Where: root,
		What:   fmt.Sprintf("the file system has room for %d more files", h.Disk.FreeInodes),
		Means:  "soon no card and no run can be made, however many bytes are free",
		Remedy: "remove files that you do not need; each run is about ten"}
}

func (h Host) locks(root string) *Finding {
	if h.FS.Name == "" || h.FS.Locks {
		return nil
	}
	return &Finding{ID: "locks-lie", Severity: Warning, Where: root,
		What:   fmt.Sprintf("the store is on %s: %s", h.FS.Name, h.FS.Why),
		Means:  "two hosts may write at the same time and believe that they are alone: claims are lost, seqs repeat",
		Remedy: "keep the store on a local disk, or let one host alone use it"}
}
