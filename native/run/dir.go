package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"iterion/native/atomicfile"
	"iterion/native/filelock"
)

// Names of the files in a run's folder.
const (
	RecordFile  = "run.json"
	LockFile    = ".lock"
	EventsFile  = "events.jsonl"
	LogFile     = "run.log"
	VarsFile    = "vars.json"
	ReportsFile = "reports.jsonl"
	OutputFile  = "output.json"
	IntentFile  = "intent.json"
	// AnswersFile holds the answers to what the bot asked last, by the names of the
	// fields. ITERION_ANSWERS points at it.
	AnswersFile = "answers.json"
	// StreamFile holds what an agent command line printed, as it printed it; run.log
	// holds what it means then.
	StreamFile = "stream.jsonl"
)

const (
	stagingDir      = ".staging"
	trashName       = "trash" // in stagingDir, see Prune
	interactionsDir = "interactions"
)

// Options tune a Dir.
type Options struct {
	NoFsync bool // leave out every fsync: faster, and a power cut may lose what was acknowledged
}

// Dir is the runs folder of a store. It is safe for concurrent use.
type Dir struct {
	root string
	o    Options

	mu    sync.Mutex
	final map[string]settled // records that had ended when they were last read
}

// Open returns the runs in a folder, which is made by the first Create.
func Open(runsDir string, o Options) *Dir {
	return &Dir{root: runsDir, o: o, final: map[string]settled{}}
}

// Path returns the folder of a run, whether it exists or not.
func (d *Dir) Path(id string) string { return filepath.Join(d.root, id) }

// LogPath returns the file that holds what the bot printed.
func (d *Dir) LogPath(id string) string { return filepath.Join(d.root, id, LogFile) }

func (d *Dir) file(id, name string) string { return filepath.Join(d.root, id, name) }

func (d *Dir) durable() atomicfile.Options { return atomicfile.Options{NoFsync: d.o.NoFsync} }

// Get returns the record of a run. Errors: ErrNotFound, *UnreadableError.
func (d *Dir) Get(id string) (Record, error) {
	if !plainName(id) {
		return Record{}, fmt.Errorf("run %q: %w", id, ErrNotFound)
	}
	return d.read(id)
}

// plainName refuses what would lead out of the runs folder.
func plainName(id string) bool {
	return id != "" && id[0] != '.' && filepath.Base(id) == id
}

func (d *Dir) read(id string) (Record, error) {
	path := d.file(id, RecordFile)
	info, err := os.Stat(path)
	if err != nil {
		return Record{}, d.whyUnread(id, err)
	}
	if rec, ok := d.cached(id, info); ok {
		return rec, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Record{}, d.whyUnread(id, err)
	}
	rec, err := Decode(data)
	if err == nil && rec.ID != id {
		err = fmt.Errorf("it says that it is run %s", rec.ID)
	}
	if err != nil {
		return Record{}, &UnreadableError{ID: id, Err: err}
	}
	d.remember(id, info, rec)
	return rec, nil
}

// whyUnread tells a run that is not there from one whose record is missing.
func (d *Dir) whyUnread(id string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		if _, serr := os.Stat(d.Path(id)); errors.Is(serr, fs.ErrNotExist) {
			return fmt.Errorf("run %s: %w", id, ErrNotFound)
		}
	}
	return &UnreadableError{ID: id, Err: err}
}

// Save replaces the record durably. The caller holds the run's lock.
func (d *Dir) Save(rec Record) error { return d.save(rec, d.durable()) }

// SaveSoft replaces the record without fsync, for what may be lost in a power
// cut: how far a run has come. The caller holds the run's lock.
func (d *Dir) SaveSoft(rec Record) error {
	return d.save(rec, atomicfile.Options{NoFsync: true})
}

func (d *Dir) save(rec Record, o atomicfile.Options) error {
	data, err := rec.Encode()
	if err != nil {
		return fmt.Errorf("encode run %s: %w", rec.ID, err)
	}
	if err := atomicfile.WriteFile(d.file(rec.ID, RecordFile), data, 0o600, o); err != nil {
		return fmt.Errorf("save run %s: %w", rec.ID, err)
	}
	return nil
}

// Locked reports whether the run has a supervisor (or a launcher about to start
// one, or somebody who settles it).
func (d *Dir) Locked(id string) (bool, error) {
	return filelock.Probe(d.file(id, LockFile))
}

// TryLock takes the run's lock or returns a *filelock.HeldError at once.
func (d *Dir) TryLock(id string) (*filelock.Lock, error) {
	return filelock.TryAcquire(d.file(id, LockFile))
}

// Lock waits for the run's lock a little while, since whoever looks at a run or
// ends it holds the lock for moments. Then it returns a *filelock.HeldError.
func (d *Dir) Lock(ctx context.Context, id string) (*filelock.Lock, error) {
	return filelock.Acquire(ctx, d.file(id, LockFile), filelock.Options{})
}

// Output returns what the bot reported as its results; nil when it reported none.
func (d *Dir) Output(id string) (map[string]any, error) {
	var out map[string]any
	if err := d.readJSON(id, OutputFile, &out); err != nil {
		return nil, err
	}
	return out, nil
}

// SetOutput replaces the bot's results. The caller holds the run's lock and saves
// the record durably afterwards, which is why this does without fsync.
func (d *Dir) SetOutput(id string, out map[string]any) error {
	data, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return fmt.Errorf("encode output of run %s: %w", id, err)
	}
	err = atomicfile.WriteFile(d.file(id, OutputFile), data, 0o600, atomicfile.Options{NoFsync: true})
	if err != nil {
		return fmt.Errorf("save output of run %s: %w", id, err)
	}
	return nil
}

// readJSON leaves v as it is when the file does not exist.
func (d *Dir) readJSON(id, name string, v any) error {
	data, err := os.ReadFile(d.file(id, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = decodeExact(data, v)
	}
	if err != nil {
		return fmt.Errorf("read %s of run %s: %w", name, id, err)
	}
	return nil
}
