package native

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// DirName is the name of a store's folder.
const DirName = ".iterion"

// Layout names the files of one store.
type Layout struct {
	Root string // the store's folder
}

// NoStoreError says that no store was found.
type NoStoreError struct {
	Tried string // the folder that was named, or where the search began
}

func (e *NoStoreError) Error() string {
	return fmt.Sprintf("no store at or above %s: `iterion init` makes one", e.Tried)
}

// Is makes a NoStoreError an fs.ErrNotExist.
func (e *NoStoreError) Is(target error) bool { return target == fs.ErrNotExist }

// Find returns the store that flagDir names, else the one that envDir names,
// else the nearest .iterion folder in cwd or above it. Errors: *NoStoreError.
func Find(flagDir, envDir, cwd string) (Layout, error) {
	for _, named := range []string{flagDir, envDir} {
		if named != "" {
			return at(named, cwd)
		}
	}
	for dir := filepath.Clean(cwd); ; dir = filepath.Dir(dir) {
		l, err := at(filepath.Join(dir, DirName), cwd)
		var none *NoStoreError
		if !errors.As(err, &none) {
			return l, err
		}
		if dir == filepath.Dir(dir) {
			return Layout{}, &NoStoreError{Tried: cwd}
		}
	}
}

// at takes a store by its dispatcher folder: other programs also keep things
// under a folder of this name (a home folder's .iterion is no store).
func at(dir, cwd string) (Layout, error) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(cwd, dir)
	}
	l := Layout{Root: filepath.Clean(dir)}
	info, err := os.Stat(l.Dispatcher())
	switch {
	case errors.Is(err, fs.ErrNotExist) || isNotDir(err):
		return Layout{}, &NoStoreError{Tried: dir}
	case err != nil:
		return Layout{}, fmt.Errorf("look for the store: %w", err)
	case !info.IsDir():
		return Layout{}, &NoStoreError{Tried: dir}
	}
	return l, nil
}

// Dispatcher is the folder of the board and of the dispatcher's own files.
func (l Layout) Dispatcher() string { return filepath.Join(l.Root, "dispatcher") }

func (l Layout) in(name string) string { return filepath.Join(l.Dispatcher(), name) }

// Board is the file of the columns, fields and views.
func (l Layout) Board() string { return l.in("board.json") }

// Issues is the folder of the cards.
func (l Layout) Issues() string { return l.in("issues") }

// IssueFile is the file of one card.
func (l Layout) IssueFile(id string) string {
	return filepath.Join(l.Issues(), encodeID(id)+cardSuffix)
}

// Events is the board's log.
func (l Layout) Events() string { return l.in("events.jsonl") }

// archive is the file of the events from first to last, when they have left the
// log.
func (l Layout) archive(first, last int64) string {
	return l.in(fmt.Sprintf("events-%d-%d.jsonl.gz", first, last))
}

// Claims is the dispatcher's claim journal.
func (l Layout) Claims() string { return l.in("claims.json") }

// Runtime is the file of the operator's intent.
func (l Layout) Runtime() string { return l.in("runtime.json") }

// Retries is the retry ledger.
func (l Layout) Retries() string { return l.in("retries.json") }

// ScheduleIntents is the resident scheduler's calendar and what it is about to do.
func (l Layout) ScheduleIntents() string { return l.in("schedule-intents.json") }

// ScheduleLock is held by who decides a slot of one schedule, until the run exists
// that it starts. Ids are escaped, so that any of them names a file.
func (l Layout) ScheduleLock(id string) string {
	return filepath.Join(l.in("schedules"), url.PathEscape(id)+".lock")
}

// TriggerEffects is the snapshot of the local outbox: its rows and cursors.
func (l Layout) TriggerEffects() string { return l.in("trigger-effects.json") }

// TriggerEffectsLog holds the outbox's changes since the snapshot.
func (l Layout) TriggerEffectsLog() string { return l.in("trigger-effects.log") }

// TriggerInbox takes run outcomes, manual and custom events.
func (l Layout) TriggerInbox() string { return l.in("trigger-inbox.jsonl") }

// Triggers holds the subscriptions that the operator made.
func (l Layout) Triggers() string { return l.in("triggers.yaml") }

// ConfigFile is the effective config of the dispatcher's last start.
func (l Layout) ConfigFile() string { return l.in("dispatcher.json") }

// Owners is the folder of the lock files of live daemons.
func (l Layout) Owners() string { return l.in("owners") }

// WriterLock serializes the writers of the store.
func (l Layout) WriterLock() string { return l.in(".lock") }

// DaemonLock is held by the daemon that owns the store's singletons.
func (l Layout) DaemonLock() string { return l.in(".daemon.lock") }

// Socket is the control socket's usual place.
func (l Layout) Socket() string { return l.in("control.sock") }

// ControlPath is the file that names the control socket where Socket would be
// too long a path.
func (l Layout) ControlPath() string { return l.in("control.path") }

// Staging is the folder of writes on their way. Whoever takes the writer lock
// removes what it does not know there, so only a holder of it may use the
// folder.
func (l Layout) Staging() string { return l.in(".staging") }

// Runs is the folder of the run folders.
func (l Layout) Runs() string { return filepath.Join(l.Root, "runs") }

// Spend is the folder of the day ledgers.
func (l Layout) Spend() string { return filepath.Join(l.Root, "spend") }

// Workspaces is the default workspace root.
func (l Layout) Workspaces() string { return filepath.Join(l.Root, "workspaces") }

// Index is the disposable index of the cards.
func (l Layout) Index() string { return l.in(".index") }

func (l Layout) verb() string { return l.in(".verb.json") }

func (l Layout) logMark() string { return l.in(".events.mark") }

const cardSuffix = ".json"

// encodeID turns a card's id into a file name; ':' is not allowed everywhere.
func encodeID(id string) string { return strings.ReplaceAll(id, ":", "__") }

// decodeID undoes encodeID. The id inside the card is what counts.
func decodeID(name string) string { return strings.ReplaceAll(name, "__", ":") }

// isCard reports whether a file of that name in the folder of the cards is one.
func isCard(name string) bool {
	return strings.HasSuffix(name, cardSuffix) && name[0] != '.'
}

// cardID returns the id that a file in the folder of the cards stands for; ok is
// false for a file that is no card.
func cardID(name string) (id string, ok bool) {
	return decodeID(strings.TrimSuffix(name, cardSuffix)), isCard(name)
}
