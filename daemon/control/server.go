package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// drainWait is how long answers under way may take once the server stops.
const drainWait = 500 * time.Millisecond

// Serve answers clients on ln from api until ctx ends. It ends all streams,
// closes ln and returns when every handler has returned.
func Serve(ctx context.Context, ln net.Listener, api API, log *slog.Logger) error {
	var handlers sync.WaitGroup
	srv := &http.Server{
		Handler:           counted(&handlers, NewHandler(api)),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       5 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	unwatch := context.AfterFunc(ctx, func() { shutdown(srv) })
	err := srv.Serve(ln)
	if !unwatch() {
		shutdown(srv) // returns when the one under way has
	}
	err = errors.Join(ignoreClosed(err), ignoreClosed(ln.Close()))
	handlers.Wait()
	return err
}

// shutdown ends the server, with force where an answer is stuck in a reader that
// does not read.
func shutdown(srv *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), drainWait)
	defer cancel()
	if srv.Shutdown(ctx) != nil {
		_ = srv.Close() // the listener is closed already; connections just go
	}
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func counted(wg *sync.WaitGroup, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wg.Add(1)
		defer wg.Done()
		next.ServeHTTP(w, r)
	})
}

// NewHandler routes the requests of the control API to api.
func NewHandler(api API) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /v1/status", plain(api.Status))
	mux.Handle("GET /v1/watch", watch(api))
	mux.Handle("GET /v1/issues/{ref}", named(api.Issue))
	mux.Handle("GET /v1/issues/{ref}/why", named(api.Why))
	mux.Handle("POST /v1/issues", verb(api.Create))
	mux.Handle("POST /v1/issues/{ref}/move", namedVerb(api.Move))
	mux.Handle("POST /v1/issues/{ref}/comment", namedVerb(api.Comment))
	mux.Handle("POST /v1/issues/{ref}/clear-last-run", namedVerb(api.ClearLastRun))
	mux.Handle("GET /v1/bots", plain(api.Bots))
	mux.Handle("GET /v1/runs/{ref}", named(api.Run))
	mux.Handle("GET /v1/runs/{ref}/log", logs(api))
	mux.Handle("POST /v1/runs/{ref}/cancel", namedVerb(api.CancelRun))
	mux.Handle("POST /v1/runs/{ref}/pause", namedVerb(api.PauseRun))
	mux.Handle("POST /v1/runs/{ref}/resume", namedVerb(api.ResumeRun))
	mux.Handle("POST /v1/pause", verb(api.Pause))
	mux.Handle("POST /v1/unpause", verb(api.Unpause))
	mux.Handle("POST /v1/refresh", verb(api.Refresh))
	mux.Handle("POST /v1/reload", verb(api.Reload))
	mux.Handle("POST /v1/workspaces/prune", verb(api.Prune))
	mux.Handle("POST /v1/stop", verb(api.Stop))
	routeClocks(mux, api)
	routeTriggers(mux, api)
	routeEditing(mux, api)
	mux.Handle("/", unknown())
	return mux
}

func plain[Out any](f func(context.Context) (Out, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(w)(f(r.Context()))
	})
}

func named[Out any](f func(context.Context, string) (Out, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(w)(f(r.Context(), r.PathValue("ref")))
	})
}

func verb[In, Out any](f func(context.Context, In) (Out, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in, err := decode[In](w, r)
		if err != nil {
			refuse(w, err)
			return
		}
		answer(w)(f(r.Context(), in))
	})
}

func namedVerb[In, Out any](f func(context.Context, string, In) (Out, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in, err := decode[In](w, r)
		if err != nil {
			refuse(w, err)
			return
		}
		answer(w)(f(r.Context(), r.PathValue("ref"), in))
	})
}

func logs(api API) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		offset, err := number(r, "offset")
		if err != nil {
			refuse(w, err)
			return
		}
		limit, err := number(r, "limit")
		if err != nil {
			refuse(w, err)
			return
		}
		answer(w)(api.Log(r.Context(), r.PathValue("ref"), offset, limit))
	})
}

// watch streams frames, each flushed as it comes. A reader that does not read
// blocks nobody but this handler.
func watch(api API) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		flush := http.NewResponseController(w)
		_ = api.Watch(r.Context(), func(f Frame) error {
			if err := writeFrame(w, f); err != nil {
				return err
			}
			return flush.Flush()
		}) // the end of the stream is all that a client needs to see
	})
}

func unknown() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse(w, &Error{Code: CodeNotFound, Message: fmt.Sprintf("this daemon does not know %s %s", r.Method, r.URL.Path)})
	})
}

// decode reads a request's body. Unknown keys are refused: half a request is not
// done.
func decode[In any](w http.ResponseWriter, r *http.Request) (in In, err error) {
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, BodyMax))
	body.DisallowUnknownFields()
	if err := body.Decode(&in); err != nil {
		return in, &Error{Code: CodeInvalid, Message: "read request: " + err.Error()}
	}
	return in, nil
}

// number reads an optional number of the query.
func number(r *http.Request, name string) (int64, error) {
	s := r.URL.Query().Get(name)
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, &Error{Code: CodeInvalid, Message: fmt.Sprintf("%s %q is not a number", name, s)}
	}
	return n, nil
}

// answer returns a function that takes the two results of a verb.
func answer(w http.ResponseWriter) func(out any, err error) {
	return func(out any, err error) {
		if err != nil {
			refuse(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out) // a client that went away needs no answer
	}
}

func refuse(w http.ResponseWriter, err error) {
	e := errorOf(err)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.Code.httpStatus())
	_ = json.NewEncoder(w).Encode(e)
}
