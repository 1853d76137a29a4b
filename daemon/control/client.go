package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"syscall"
	"time"

	"iterion/daemon/dispatch"
	"iterion/native/board"
	"iterion/native/run"
)

// dialWait bounds the connect; a daemon of the same host accepts at once.
const dialWait = 2 * time.Second

// answerWait bounds the wait for what is only read. A daemon answers that at once,
// unless it is suspended: its socket takes connections all the same.
const answerWait = 10 * time.Second

// Client speaks to a daemon. It is safe for concurrent use; Close it when done.
type Client struct {
	path     string
	http     *http.Client
	patience time.Duration // answerWait, less in tests
}

var _ API = (*Client)(nil)

// Dial finds the store's daemon. Nobody there: ErrNoDaemon.
func Dial(l Layout) (*Client, error) { return DialPlace(PlaceOf(l)) }

// DialPlace finds the daemon whose socket is at p. Nobody there: ErrNoDaemon.
func DialPlace(p Place) (*Client, error) {
	path, err := p.locate()
	if err != nil {
		return nil, err
	}
	c := &Client{path: path, patience: answerWait}
	c.http = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return c.connect(ctx) },
	}}
	probe, err := c.connect(context.Background())
	if err != nil {
		return nil, err
	}
	return c, probe.Close()
}

// Close lets go of idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// connect opens one connection and checks that the daemon at its other end is
// this user's.
func (c *Client) connect(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", c.path)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT) {
		return nil, ErrNoDaemon
	}
	if err != nil {
		return nil, fmt.Errorf("connect to daemon: %w", err)
	}
	if err := checkPeer(conn.(*net.UnixConn), os.Getuid()); err != nil {
		return nil, errors.Join(fmt.Errorf("control socket %s: %w", c.path, err), conn.Close())
	}
	return conn, nil
}

// Status returns the daemon's state.
func (c *Client) Status(ctx context.Context) (Status, error) {
	return get[Status](ctx, c, "/v1/status")
}

// Issue returns one card, whole.
func (c *Client) Issue(ctx context.Context, ref string) (board.Issue, error) {
	return get[board.Issue](ctx, c, issuePath(ref, ""))
}

// Why returns every row of the dispatch guard table as it stands for a card.
func (c *Client) Why(ctx context.Context, ref string) ([]dispatch.Verdict, error) {
	return get[[]dispatch.Verdict](ctx, c, issuePath(ref, "/why"))
}

// Create files a card.
func (c *Client) Create(ctx context.Context, in CreateIssue) (board.Issue, error) {
	return post[board.Issue](ctx, c, "/v1/issues", in)
}

// Move refiles a card.
func (c *Client) Move(ctx context.Context, ref string, in MoveIssue) (board.Issue, error) {
	return post[board.Issue](ctx, c, issuePath(ref, "/move"), in)
}

// Comment appends a remark to a card.
func (c *Client) Comment(ctx context.Context, ref string, in AddComment) (board.Comment, error) {
	return post[board.Comment](ctx, c, issuePath(ref, "/comment"), in)
}

// ClearLastRun drops a card's pointer to its last run.
func (c *Client) ClearLastRun(ctx context.Context, ref string, by By) (board.Issue, error) {
	return post[board.Issue](ctx, c, issuePath(ref, "/clear-last-run"), by)
}

// Bots lists the bots that the daemon knows.
func (c *Client) Bots(ctx context.Context) ([]BotInfo, error) {
	return get[[]BotInfo](ctx, c, "/v1/bots")
}

// Run returns one run's record.
func (c *Client) Run(ctx context.Context, ref string) (run.Record, error) {
	return get[run.Record](ctx, c, runPath(ref, ""))
}

// Log returns a piece of a run's log, see API.
func (c *Client) Log(ctx context.Context, ref string, offset, limit int64) (LogChunk, error) {
	q := url.Values{"offset": {strconv.FormatInt(offset, 10)}, "limit": {strconv.FormatInt(limit, 10)}}
	return get[LogChunk](ctx, c, runPath(ref, "/log?"+q.Encode()))
}

// CancelRun asks a run's supervisor to end it.
func (c *Client) CancelRun(ctx context.Context, ref string, by By) (run.Record, error) {
	return post[run.Record](ctx, c, runPath(ref, "/cancel"), by)
}

// PauseRun asks a live run's supervisor to stop its bot and keep the run.
func (c *Client) PauseRun(ctx context.Context, ref string, by By) (run.Record, error) {
	return post[run.Record](ctx, c, runPath(ref, "/pause"), by)
}

// ResumeRun lets a paused or failed_resumable run go on, see API.
func (c *Client) ResumeRun(ctx context.Context, ref string, by By) (run.Record, error) {
	return post[run.Record](ctx, c, runPath(ref, "/resume"), by)
}

// Pause stops the start of new runs.
func (c *Client) Pause(ctx context.Context, p Pause) (Status, error) {
	return post[Status](ctx, c, "/v1/pause", p)
}

// Unpause starts runs again.
func (c *Client) Unpause(ctx context.Context, p Pause) (Status, error) {
	return post[Status](ctx, c, "/v1/unpause", p)
}

// Refresh makes the daemon look at the whole board now.
func (c *Client) Refresh(ctx context.Context, by By) (Status, error) {
	return post[Status](ctx, c, "/v1/refresh", by)
}

// Reload makes the daemon read its config file again.
func (c *Client) Reload(ctx context.Context, by By) (Status, error) {
	return post[Status](ctx, c, "/v1/reload", by)
}

// Prune removes working folders that nobody needs any more.
func (c *Client) Prune(ctx context.Context, p Prune) (PruneReport, error) {
	return post[PruneReport](ctx, c, "/v1/workspaces/prune", p)
}

// Stop ends the daemon.
func (c *Client) Stop(ctx context.Context, s Stop) (StopReport, error) {
	return post[StopReport](ctx, c, "/v1/stop", s)
}

// Watch calls send for each frame of the stream. It returns ctx's error, send's
// error, ErrNoDaemon, or ErrStopped when the daemon ended the stream.
func (c *Client) Watch(ctx context.Context, send func(Frame) error) error {
	body, err := c.do(ctx, http.MethodGet, "/v1/watch", nil)
	if err != nil {
		return err
	}
	defer body.Close()
	for in := json.NewDecoder(body); ; {
		var f Frame
		if err := in.Decode(&f); err != nil {
			return watchEnd(ctx, err)
		}
		if err := send(f); err != nil {
			return err
		}
	}
}

// watchEnd says why a stream has no next frame.
func watchEnd(ctx context.Context, err error) error {
	var syntax *json.SyntaxError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &syntax):
		return fmt.Errorf("read watch stream: %w", err)
	}
	return ErrStopped
}

func issuePath(ref, verb string) string { return "/v1/issues/" + url.PathEscape(ref) + verb }

func runPath(ref, verb string) string { return "/v1/runs/" + url.PathEscape(ref) + verb }

func get[T any](ctx context.Context, c *Client, path string) (T, error) {
	silent := fmt.Errorf("the daemon has not answered for %s; if it is suspended, `fg` or SIGCONT lets it go on", c.patience)
	ctx, cancel := context.WithTimeoutCause(ctx, c.patience, silent)
	defer cancel()
	out, err := call[T](ctx, c, http.MethodGet, path, nil)
	if err != nil && context.Cause(ctx) == silent {
		return out, silent
	}
	return out, err
}

func post[T any](ctx context.Context, c *Client, path string, in any) (T, error) {
	body, err := json.Marshal(in)
	if err != nil {
		var zero T
		return zero, fmt.Errorf("encode request: %w", err)
	}
	return call[T](ctx, c, http.MethodPost, path, body)
}

// call makes one request and decodes its answer.
func call[T any](ctx context.Context, c *Client, method, path string, in []byte) (out T, err error) {
	body, err := c.do(ctx, method, path, in)
	if err != nil {
		return out, err
	}
	defer body.Close()
	if err := json.NewDecoder(body).Decode(&out); err != nil {
		return out, fmt.Errorf("read answer of daemon: %w", err)
	}
	return out, nil
}

// do makes one request and returns the body of a good answer; the caller closes
// it. A refusal is an *Error.
func (c *Client) do(ctx context.Context, method, path string, in []byte) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://iterion"+path, bytes.NewReader(in))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if errors.Is(err, ErrNoDaemon) {
		return nil, ErrNoDaemon
	}
	if err != nil {
		return nil, fmt.Errorf("ask daemon: %w", err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	return nil, refusal(resp)
}

// refusal decodes the error of an answer.
func refusal(resp *http.Response) error {
	e := &Error{}
	err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(e)
	if err != nil || e.Code == "" {
		return &Error{Code: CodeInternal, Message: "the daemon answered " + resp.Status}
	}
	return e
}
