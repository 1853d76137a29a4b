package doctor

import "strings"

// FileSystem is what is known of a kind of file system.
type FileSystem struct {
	Name  string // empty: not in the table, taken for a local one
	Locks bool   // flock excludes everyone who has the file system mounted
	Why   string // why not
}

const (
	whyServer = "a lock may hold on this host alone, depending on how it is mounted and on the server"
	whyPassed = "a lock may not reach the machine that the files come from"
	whyFuse   = "whether a lock reaches others is up to the program behind it"
)

// fuseMagic is also what VirtioFS says; the mount's own type tells them apart.
const fuseMagic = 0x65735546

// byMagic is linux/magic.h and the file systems' own sources.
func byMagic(magic uint32) FileSystem {
	switch magic {
	case 0x6969:
		return FileSystem{Name: "NFS", Why: whyServer}
	case 0x01021997:
		return FileSystem{Name: "9P", Why: whyPassed}
	case 0x517b:
		return FileSystem{Name: "SMB", Why: whyServer}
	case 0xff534d42:
		return FileSystem{Name: "CIFS", Why: whyServer}
	case 0xfe534d42:
		return FileSystem{Name: "SMB2", Why: whyServer}
	case fuseMagic:
		return FileSystem{Name: "FUSE", Why: whyFuse}
	case 0x786f4256:
		return FileSystem{Name: "VirtualBox shared folder", Why: whyPassed}
	case 0xbacbacbc:
		return FileSystem{Name: "VMware shared folder", Why: whyPassed}
	case 0x7c7c6673:
		return FileSystem{Name: "Parallels shared folder", Why: whyPassed}
	case 0x5346414f, 0x6b414653:
		return FileSystem{Name: "AFS", Why: whyServer}
	case 0x73757245:
		return FileSystem{Name: "Coda", Why: whyServer}
	case 0x0bd00bd0:
		return FileSystem{Name: "Lustre", Why: whyServer}
	}
	return byLocalMagic(magic)
}

// byLocalMagic names file systems whose locks hold, for the record.
func byLocalMagic(magic uint32) FileSystem {
	names := map[uint32]string{
		0xef53: "ext4", 0x58465342: "XFS", 0x9123683e: "Btrfs", 0x01021994: "tmpfs", 0x794c7630: "overlayfs",
		0x2fc12fc1: "ZFS", 0xf2f52010: "F2FS", 0x00c36400: "CephFS", 0x01161970: "GFS2", 0x7461636f: "OCFS2",
		0xca451a4e: "bcachefs", 0x858458f6: "ramfs",
	}
	return FileSystem{Name: names[magic], Locks: true}
}

// byMount knows a file system by the type of its mount: a FUSE one on Linux, any
// one on macOS.
func byMount(kind string) FileSystem {
	switch name, _, _ := strings.Cut(kind, "."); name {
	case "virtiofs", "AppleVirtIOFS":
		return FileSystem{Name: "VirtioFS", Why: whyPassed}
	case "fuseblk": // a program in front of a local disk; nobody else has it mounted
		return FileSystem{Name: kind, Locks: true}
	case "fuse", "macfuse", "osxfuse", "fskit":
		return FileSystem{Name: "FUSE (" + kind + ")", Why: whyFuse}
	case "nfs", "nfs4":
		return FileSystem{Name: "NFS", Why: whyServer}
	case "smbfs", "cifs", "smb3":
		return FileSystem{Name: "SMB", Why: whyServer}
	case "9p":
		return FileSystem{Name: "9P", Why: whyPassed}
	case "afpfs", "webdav", "ftp":
		return FileSystem{Name: name, Why: whyServer}
	}
	return FileSystem{Name: kind, Locks: true}
}

// mountKind finds the type of the mount of device dev ("major:minor") in the text
// of /proc/self/mountinfo; empty when it is not there.
func mountKind(mountinfo, dev string) string {
	for line := range strings.Lines(mountinfo) {
		mount, kind, ok := strings.Cut(line, " - ")
		fields := strings.Fields(mount)
		if !ok || len(fields) < 3 || fields[2] != dev {
			continue
		}
		if words := strings.Fields(kind); len(words) > 0 {
			return words[0]
		}
	}
	return ""
}
