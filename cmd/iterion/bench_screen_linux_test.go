package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"golang.org/x/sys/unix"

	"iterion/daemon/control"
	"iterion/native"
	"iterion/native/board"
)

// BenchmarkScreen measures the screen as a person has it before their eyes: the built
// program in a pseudo-terminal, on a board of 10,000 cards with 1,000 in one column. It
// takes its own samples: go test -run '^$' -bench Screen -benchtime 1x.
func BenchmarkScreen(b *testing.B) {
	w := benchWorld(b, buildProgram(b))
	fillBoard(b, w, boardSize{cards: 10_000})
	big := w.path("body.md")
	body := "Alpha is where it begins.\n\n" + strings.Repeat("Some *words* and `code` of a long text, with a [link](https://example.org).\n\n", 14_000)
	if err := os.WriteFile(big, []byte(body[:1<<20]), 0o600); err != nil {
		b.Fatal(err)
	}
	w.ok("issue", "create", "--title", "the big body", "--body-file", big, "--state", "inbox")
	d := w.daemon()
	longLog(b, w)

	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\nwhat\tfigure\tbar\t\t")
	for _, r := range screenRows(b, w) {
		fmt.Fprintln(table, r)
	}
	table.Flush()
	b.ReportMetric(0, "ns/op")
	d.term()
}

// screenRow is one line of the table: a figure that must stay below a bar.
type screenRow struct {
	what        string
	figure, bar float64
	unit        string
}

func (r screenRow) String() string {
	verdict := "holds"
	if r.figure > r.bar {
		verdict = "MISSED"
	}
	return fmt.Sprintf("%s\t%.1f %s\t%g %s\t%s\t", r.what, r.figure, r.unit, r.bar, r.unit, verdict)
}

func msRow(what string, took time.Duration, bar float64) screenRow {
	return screenRow{what, float64(took) / float64(time.Millisecond), bar, "ms"}
}

// logMB is the size of the log.
const logMB = 100

// longLog makes a run whose log is long, with one line near its beginning that occurs
// nowhere else.
func longLog(b *testing.B, w *world) {
	w.shell("the long log", fmt.Sprintf("echo needle; yes 'a line of a log that is neither short nor long, as logs have them' | head -c %d; echo; echo the very end", logMB<<20))
	w.eventually("the long log is written", func() bool { return w.inState(board.StateReview) > 1000 })
}

func screenRows(b *testing.B, w *world) (rows []screenRow) {
	var paints []time.Duration
	for range 5 {
		began := time.Now()
		s := w.pty(160, 50, "tui", "--attach")
		s.until("Backlog", 0)
		paints = append(paints, time.Since(began))
		s.end()
	}
	defer func() {
		if b.Failed() { // what was measured until then
			b.Logf("%v", rows)
		}
	}()
	rows = append(rows, msRow("first paint after the start (median)", quantile(paints, 0.5), 150))

	s := w.pty(160, 50, "tui", "--attach")
	defer s.end()
	s.until("Backlog", 0)
	time.Sleep(time.Second)
	s.key("l") // to the column of a thousand
	s.key("l")
	stop := w.edits(200)
	time.Sleep(time.Second)
	var took []time.Duration
	for n := range 300 {
		from := s.seen()
		began := time.Now()
		s.key([]string{"j", "j", "j", "k", "k", "k"}[n%6])
		s.until("▌", from)
		took = append(took, time.Since(began))
		time.Sleep(7 * time.Millisecond)
	}
	shown := stop()
	rows = append(rows, msRow("key to frame (median)", quantile(took, 0.5), 10),
		msRow(fmt.Sprintf("key to frame (p95), %.0f events/s", shown), quantile(took, 0.95), 20))

	from := s.seen()
	began := time.Now()
	s.key(":")
	s.until("screen 1", from)
	for _, k := range "card 9998" {
		s.key(string(k))
	}
	s.until("card 9998 of a", from)
	rows = append(rows, msRow("palette opened and nine keys typed", time.Since(began), 10*20))
	s.key("\x1b")
	time.Sleep(300 * time.Millisecond)

	rows = append(rows, s.opens("the big body", "1 MB body, first screen", "\r", "Alpha"))
	for range 2 { // from the card, and the filter
		s.key("\x1b")
		time.Sleep(300 * time.Millisecond)
	}
	rows = append(rows, s.opens("the long log", fmt.Sprintf("%d MB log, opened at its end", logMB), "o", "the very end"))
	from, began = s.seen(), time.Now()
	s.key("/")
	s.key("needle")
	s.key("\r")
	s.until("searching", from)
	s.until("at a match", from)
	rows = append(rows, msRow(fmt.Sprintf("%d MB searched to its beginning, with progress", logMB), time.Since(began), 5000))

	s.key("\x1b")
	s.key("1")
	time.Sleep(2 * time.Second)
	before := cpuOf(b, s.cmd.Process.Pid)
	time.Sleep(5 * time.Second)
	rows = append(rows, screenRow{"idle CPU", float64(cpuOf(b, s.cmd.Process.Pid)-before) / float64(5*time.Second) * 100, 1, "%"},
		screenRow{"most memory", float64(peakOf(s.cmd.Process.Pid)) / (1 << 20), 120, "MB"})
	return rows
}

// opens measures from the key that opens a card until its text is there.
func (s *ptyScreen) opens(card, what, key, text string) screenRow {
	s.key("/")
	s.key(card)
	s.key("\r")
	time.Sleep(time.Second)
	from, began := s.seen(), time.Now()
	s.key(key)
	s.until(text, from)
	r := msRow(what, time.Since(began), 300)
	return r
}

// edits changes cards that are out of sight, so many a second, until stop is called,
// which returns how many a second it were.
func (w *world) edits(perSecond int) (stop func() float64) {
	c, err := control.Dial(native.Layout{Root: w.path(".iterion")})
	if err != nil {
		w.t.Fatal(err)
	}
	var ids []string
	for _, is := range w.issues() {
		if is.State == board.StateDone && is.Priority == 0 {
			ids = append(ids, is.ID)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	var mu sync.Mutex
	done, began := 0, time.Now()
	const writers = 8
	for i := range writers {
		all.Go(func() {
			beat := time.NewTicker(time.Second * writers / time.Duration(perSecond))
			defer beat.Stop()
			for n := i; ctx.Err() == nil; n += writers {
				<-beat.C
				title := fmt.Sprintf("changed %d", n)
				if _, err := c.Update(ctx, ids[n%len(ids)], control.UpdateIssue{Title: &title}); err == nil {
					mu.Lock()
					done++
					mu.Unlock()
				}
			}
		})
	}
	return func() float64 {
		cancel()
		all.Wait()
		c.Close()
		return float64(done) / time.Since(began).Seconds()
	}
}

// ptyScreen is the program in a pseudo-terminal.
type ptyScreen struct {
	w    *world
	cmd  *exec.Cmd
	file *os.File

	mu    sync.Mutex
	out   []byte
	news  chan struct{} // something was drawn
	ended chan struct{}
}

// pty starts the program in a pseudo-terminal of a size.
func (w *world) pty(width, height int, args ...string) *ptyScreen {
	w.t.Helper()
	file, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		w.t.Skipf("SKIPPED: no pseudo-terminal here: %v", err)
	}
	fd := int(file.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(width), Row: uint16(height)})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	child, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	defer child.Close()
	s := &ptyScreen{w: w, cmd: w.command(args...), file: file, news: make(chan struct{}, 1), ended: make(chan struct{})}
	s.cmd.Env = append(s.cmd.Env, "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8")
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = child, child, child
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go s.read()
	return s
}

// read keeps what is drawn, and answers as terminals do when they are asked for their
// colours.
func (s *ptyScreen) read() {
	defer close(s.ended)
	buf := make([]byte, 64<<10)
	for {
		n, err := s.file.Read(buf)
		if bytes.Contains(buf[:n], []byte("\x1b]11;?")) {
			_, _ = s.file.WriteString("\x1b]11;rgb:1000/1000/1000\x1b\\\x1b[?62;22c")
		}
		s.mu.Lock()
		s.out = append(s.out, buf[:n]...)
		s.mu.Unlock()
		select {
		case s.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (s *ptyScreen) key(k string) {
	s.w.t.Helper()
	if _, err := s.file.WriteString(k); err != nil {
		s.w.t.Fatal(err)
	}
}

// seen is how much was drawn so far.
func (s *ptyScreen) seen() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.out)
}

// until waits for a text in what is drawn from some point on.
func (s *ptyScreen) until(text string, from int) {
	s.w.t.Helper()
	deadline := time.After(patience)
	for {
		s.mu.Lock()
		found := bytes.Contains(s.out[from:], []byte(text))
		s.mu.Unlock()
		if found {
			return
		}
		select {
		case <-s.news:
		case <-deadline:
			s.w.t.Fatalf("%q is never drawn; the end of what is: %q", text, s.out[max(from, len(s.out)-3000):])
		}
	}
}

// end leaves the screen.
func (s *ptyScreen) end() {
	s.w.t.Helper()
	if s.w.t.Failed() {
		_ = s.cmd.Process.Kill()
	}
	s.key("q")
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			s.w.t.Errorf("the screen ended with %v", err)
		}
	case <-time.After(patience):
		_ = s.cmd.Process.Kill()
		s.w.t.Errorf("the screen does not end: %q", filepath.Base(s.cmd.Path))
	}
	s.file.Close()
	<-s.ended
}
