package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// web serves health and metrics over TCP to whoever can reach the address. It only
// reads, and it gives no web page of elsewhere a look at this host: names that the
// address does not have, and requests that come from another site, are refused.
type web struct {
	ln    net.Listener
	names []string // that a request may call it by, besides IP addresses
	d     *Daemon
}

// Bounds of the server. Answers are a few kB, made from memory.
const (
	webTimeout = 5 * time.Second
	webHeader  = 16 << 10
	webClients = 16 // at once; more wait
	webEnd     = time.Second
)

// openWeb listens where the operator wants it, if anywhere.
func (d *Daemon) openWeb() (*web, error) {
	addr, err := ListenAddr(cmp.Or(d.o.Listen, d.cfg.Server.Listen))
	if addr == "" || err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("serve health and metrics: %s is in use by another process; set another server.listen or --listen, or leave it out", addr)
	}
	if err != nil {
		return nil, fmt.Errorf("serve health and metrics (server.listen): %w", err)
	}
	host, _, err := net.SplitHostPort(addr)
	d.log.Info("health and metrics are served", "addr", ln.Addr().String())
	return &web{ln: ln, names: ownNames(host), d: d}, err
}

// addr is where it listens; nobody listens at nil.
func (w *web) addr() string {
	if w == nil {
		return ""
	}
	return w.ln.Addr().String()
}

// Run serves until ctx ends.
func (w *web) Run(ctx context.Context) error {
	if w == nil {
		<-ctx.Done()
		return nil
	}
	s := &http.Server{
		Handler: w.guarded(w.routes()), MaxHeaderBytes: webHeader,
		ReadTimeout: webTimeout, WriteTimeout: webTimeout, IdleTimeout: webTimeout,
		ErrorLog: slog.NewLogLogger(w.d.log.Handler(), slog.LevelDebug),
	}
	s.SetKeepAlivesEnabled(false) // nobody keeps one of the few places
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(limit(w.ln, webClients)) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve health and metrics: %w", err)
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), webEnd)
	defer cancel()
	if s.Shutdown(end) != nil {
		_ = s.Close()
	}
	<-ended
	return nil
}

func (w *web) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(rw http.ResponseWriter, _ *http.Request) { say(rw, http.StatusOK, "ok") })
	mux.HandleFunc("/readyz", w.ready)
	mux.HandleFunc("/metrics", w.metrics)
	return mux
}

func (w *web) ready(rw http.ResponseWriter, _ *http.Request) {
	if !w.d.disp.Snapshot().Ready {
		say(rw, http.StatusServiceUnavailable, "starting")
		return
	}
	say(rw, http.StatusOK, "ready")
}

func say(rw http.ResponseWriter, status int, text string) {
	rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
	rw.WriteHeader(status)
	fmt.Fprintln(rw, text)
}

// guarded refuses what does not read, and what a web page may have sent.
func (w *web) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		h := rw.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			say(rw, http.StatusMethodNotAllowed, "this address is only read: GET or HEAD")
		case !w.called(r.Host):
			say(rw, http.StatusForbidden, fmt.Sprintf("%q is not a name of this server", r.Host))
		case foreign(r):
			say(rw, http.StatusForbidden, "requests from other sites are not answered")
		default:
			next.ServeHTTP(rw, r)
		}
	})
}

// called reports whether a request's Host is one of this server. An IP address is
// always: what a web page of elsewhere can make point here is a name.
func (w *web) called(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if net.ParseIP(host) != nil {
		return true
	}
	for _, name := range w.names {
		if strings.EqualFold(name, host) {
			return true
		}
	}
	return false
}

// foreign reports whether a browser sent the request for a page of another site.
func foreign(r *http.Request) bool {
	if o := r.Header.Get("Origin"); o != "" && !strings.EqualFold(o, "http://"+r.Host) {
		return true
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "cross-site" || site == "same-site"
}
