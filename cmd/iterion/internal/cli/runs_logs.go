package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"iterion/native/run"
)

type runsLogsOptions struct {
	follow bool
	tail   int
	raw    bool
}

func newRunsLogs(f *Factory) *cobra.Command {
	var o runsLogsOptions
	c := &cobra.Command{
		Use: "logs RUN", Aliases: []string{"log"}, Short: "Print what a run's bot printed", Args: exactly("RUN"),
		Long: "Print what a run's bot printed, byte for byte. On a terminal, control sequences are shown and\n" +
			"not executed. With --follow it goes on until the run ends or pauses. Of a bot that drives an agent\n" +
			"command line, this is what the agent said and did; --raw prints the stream that it came from.",
		ValidArgsFunction: f.completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("tail") && o.tail < 0 {
				return Usagef("--tail %d: want 0 or more lines", o.tail)
			}
			return runRunsLogs(c.Context(), f, o, args[0])
		},
	}
	c.Flags().BoolVarP(&o.follow, "follow", "f", false, "go on with what comes until the run ends")
	c.Flags().BoolVar(&o.raw, "raw", false, "the agent's own stream of JSON lines, as it came")
	c.Flags().IntVarP(&o.tail, "tail", "n", -1, "only the last so many lines")
	return c
}

func runRunsLogs(ctx context.Context, f *Factory, o runsLogsOptions, ref string) error {
	runs, id, err := f.findRun(ref)
	if err != nil {
		return err
	}
	if f.Global.JSON {
		return Usagef("runs logs: a log is not JSON; `iterion runs events --json` is")
	}
	path, err := o.file(runs, id)
	if err != nil {
		return err
	}
	from, err := tailStart(path, o.tail)
	if err != nil {
		return fmt.Errorf("read log of run %s: %w", run.Short(id), err)
	}
	out := f.logOutput()
	log := newLogReader(path, from)
	defer log.close()
	if o.follow {
		err = followLog(ctx, runs, id, log, out)
	}
	copyLog(out, log)
	if v, ok := out.(*visibleWriter); ok {
		v.flush()
	}
	return err
}

// file is the file that is asked for. An agent's stream is there from the start of
// its bot on, so a run that was not started yet has none.
func (o runsLogsOptions) file(runs *run.Dir, id string) (string, error) {
	if !o.raw {
		return runs.LogPath(id), nil
	}
	path := filepath.Join(runs.Path(id), run.StreamFile)
	if _, err := os.Stat(path); err != nil {
		return "", &ExitError{Code: ExitNotFound, Err: fmt.Errorf("run %s has no stream of an agent", run.Short(id)),
			Hint: "leave out --raw: the log holds what the bot printed"}
	}
	return path, nil
}

func (f *Factory) logOutput() io.Writer {
	if f.IO.OutTTY {
		return &visibleWriter{w: f.IO.Out}
	}
	return f.IO.Out
}

// followLog returns when the run has ended; what came last may be uncopied.
func followLog(ctx context.Context, runs *run.Dir, id string, log *logReader, out io.Writer) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	ended := awaitRun(ctx, runs, id)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case e := <-ended:
			return e.err
		case <-tick.C:
			copyLog(out, log)
		}
	}
}

func copyLog(out io.Writer, log *logReader) {
	for {
		chunk := log.next()
		if len(chunk) == 0 {
			return
		}
		if _, err := out.Write(chunk); err != nil {
			return // Main looks at failed writes of the result
		}
	}
}

// tailStart returns where the last n lines of a file begin; n below 0 means all.
func tailStart(path string, n int) (int64, error) {
	if n < 0 {
		return 0, nil
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	return lineStart(file, size, n)
}

// lineStart walks back from the end by blocks. The newline that ends the last
// line begins no line of its own.
func lineStart(file io.ReaderAt, size int64, n int) (int64, error) {
	if n == 0 {
		return size, nil
	}
	block := make([]byte, 64<<10)
	for end := size; end > 0; {
		from := max(0, end-int64(len(block)))
		part := block[:end-from]
		if _, err := file.ReadAt(part, from); err != nil {
			return 0, err
		}
		if end == size && part[len(part)-1] == '\n' {
			part = part[:len(part)-1]
		}
		for i := bytes.LastIndexByte(part, '\n'); i >= 0; i = bytes.LastIndexByte(part[:i], '\n') {
			if n--; n == 0 {
				return from + int64(i) + 1, nil
			}
		}
		end = from
	}
	return 0, nil
}
