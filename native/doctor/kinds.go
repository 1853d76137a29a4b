package doctor

import "os"

// kinds looks for files where a folder belongs, and the other way round. Nobody
// can write, or read, past those.
func (x *exam) kinds() {
	for _, path := range []string{x.l.Issues(), x.l.Staging(), x.l.Owners(), x.l.Runs(), x.l.Spend(), x.l.Workspaces()} {
		if present(path) && !isFolder(path) {
			x.wrongKind(path, "there is a file where a folder belongs", func() bool { return !isFolder(path) })
		}
	}
	for _, path := range []string{x.l.WriterLock(), x.l.DaemonLock(), x.in(verbName)} {
		if isFolder(path) {
			x.wrongKind(path, "there is a folder where a file belongs", func() bool { return isFolder(path) })
		}
	}
}

func (x *exam) wrongKind(path, what string, still func() bool) {
	f := Finding{ID: "wrong-kind", Severity: Error, Where: path, What: what,
		Means:  "everything that needs it fails, most likely every change",
		Remedy: "--fix moves it aside; the next write makes a right one"}
	if path == x.l.Issues() {
		f.Means = "no card can be listed, and none be changed"
		f.Remedy = "put the folder back (git, a backup); --fix moves the file aside and notes in the log that the cards are gone"
	}
	x.found(f.mended(byOwner, func(m *mender) error {
		if !present(path) || !still() {
			return nil
		}
		return m.aside(path)
	}))
}

// isFolder follows links: a store may lie in several places.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
