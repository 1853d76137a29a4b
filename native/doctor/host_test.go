package doctor

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestHostFindings(t *testing.T) {
	room := Disk{Known: true, FreeBytes: 1 << 40, Inodes: 1 << 20, FreeInodes: 1 << 19}
	for name, c := range map[string]struct {
		host Host
		want []string
	}{
		"nothing known":      {Host{}, nil},
		"plenty":             {Host{Watches: 8192, Instances: 128, Disk: room, FS: byMagic(0xef53)}, nil},
		"as much as needed":  {Host{Watches: needWatches, Instances: needInstances, Disk: room}, nil},
		"one instance":       {Host{Watches: 8192, Instances: 1}, []string{"watch-limit warning"}},
		"two watches":        {Host{Watches: 2, Instances: 128}, []string{"watch-limit warning"}},
		"refused":            {Host{Watches: 8192, Instances: 128, WatchErr: errors.New("too many open files")}, []string{"watch-refused warning"}},
		"little room":        {Host{Disk: Disk{Known: true, FreeBytes: 50 << 20}}, []string{"disk-full warning"}},
		"no room":            {Host{Disk: Disk{Known: true, FreeBytes: 1 << 20}}, []string{"disk-full error"}},
		"few inodes":         {Host{Disk: Disk{Known: true, FreeBytes: 1 << 40, Inodes: 5000, FreeInodes: 12}}, []string{"inodes-low warning"}},
		"inodes without end": {Host{Disk: Disk{Known: true, FreeBytes: 1 << 40}}, nil},
		"NFS":                {Host{FS: byMagic(0x6969)}, []string{"locks-lie warning"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range c.host.findings("/store") {
				got = append(got, f.ID+" "+string(f.Severity))
				if f.What == "" || f.Where == "" || f.Means == "" || f.Remedy == "" {
					t.Errorf("an empty part: %+v", f)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("found %v, want %v", got, c.want)
			}
		})
	}
}

func TestFileSystemsThatLie(t *testing.T) {
	for magic, want := range map[uint32]string{
		0x6969: "NFS", 0x01021997: "9P", 0x517b: "SMB", 0xff534d42: "CIFS", 0xfe534d42: "SMB2", 0x65735546: "FUSE",
		0x786f4256: "VirtualBox shared folder", 0x0bd00bd0: "Lustre",
	} {
		if fs := byMagic(magic); fs.Name != want || fs.Locks || fs.Why == "" {
			t.Errorf("%#x is %+v, want %s, whose locks lie", magic, fs, want)
		}
	}
	for _, magic := range []uint32{0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0, 1} {
		if fs := byMagic(magic); !fs.Locks {
			t.Errorf("%#x is %+v: its locks hold", magic, fs)
		}
	}
	for kind, want := range map[string]FileSystem{
		"virtiofs":   {"VirtioFS", false, whyPassed},
		"fuse.sshfs": {"FUSE (fuse.sshfs)", false, whyFuse},
		"fuseblk":    {"fuseblk", true, ""},
		"nfs":        {"NFS", false, whyServer},
		"smbfs":      {"SMB", false, whyServer},
		"apfs":       {"apfs", true, ""},
	} {
		if got := byMount(kind); got != want {
			t.Errorf("%s is %+v, want %+v", kind, got, want)
		}
	}
}

func TestMountKind(t *testing.T) {
	const list = `22 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw
30 22 0:48 / /mnt/host rw,relatime shared:3 master:1 - virtiofs host rw
31 22 0:49 / /home/a\040b rw - fuse.sshfs me@there: rw
broken line
`
	for dev, want := range map[string]string{"254:1": "ext4", "0:48": "virtiofs", "0:49": "fuse.sshfs", "9:9": "", "0:4": ""} {
		if got := mountKind(list, dev); got != want {
			t.Errorf("%s: %q, want %q", dev, got, want)
		}
	}
}

// A real host says something of itself, and a store in a temporary folder of it
// is not somebody else's.
func TestSurveySeesThisHost(t *testing.T) {
	b := newLab(t)
	h := Survey(b.l)
	name, _ := os.Hostname()
	if h.Name != name || h.UID != os.Geteuid() || h.Owner != h.UID || !h.Disk.Known || h.Disk.FreeBytes == 0 {
		t.Errorf("%+v", h)
	}
	if strings.TrimSpace(h.FS.Name) != h.FS.Name {
		t.Errorf("file system %q", h.FS.Name)
	}
}

func TestForeignOwnerIsANote(t *testing.T) {
	b := newLab(t)
	b.host.UID++
	rep := b.examine()
	checkFound(t, rep, breakage{want: "store-of-another-user", sev: Note, stays: true})
	if !rep.Healthy() {
		t.Error("a note makes the store ill")
	}
}
