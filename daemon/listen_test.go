package daemon

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"iterion/daemon/control"
	"iterion/native/board"
)

func TestListenAddrIsOfTheLoopbackUnlessWrittenOut(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "9090": "127.0.0.1:9090", ":9090": "127.0.0.1:9090", "0": "127.0.0.1:0", "localhost:80": "localhost:80",
		"0.0.0.0:9090": "0.0.0.0:9090", "[::]:9090": "[::]:9090", "10.1.2.3:9090": "10.1.2.3:9090", ":09": "127.0.0.1:9",
	} {
		if got, err := ListenAddr(text); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"here", "1.2.3.4", "host:", "host:http", ":65536", "-1", "::1", "a:b:c"} {
		if got, err := ListenAddr(text); err == nil {
			t.Errorf("%q is taken for %q", text, got)
		}
	}
}

func TestOnlyReadersOfThisHostAreAnswered(t *testing.T) {
	w := &web{names: ownNames("127.0.0.1")}
	h := w.guarded(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { say(rw, http.StatusOK, "in") }))
	for _, tc := range []struct {
		name, method, host string
		header             [2]string
		want               int
	}{
		{"by address", "GET", "127.0.0.1:9090", [2]string{}, 200},
		{"by name", "GET", "localhost:9090", [2]string{}, 200},
		{"by name in capitals", "HEAD", "LOCALHOST", [2]string{}, 200},
		{"by the other family", "GET", "[::1]:9090", [2]string{}, 200},
		{"by a name that points here", "GET", "evil.example:9090", [2]string{}, 403},
		{"by a name that begins like ours", "GET", "localhost.evil.example", [2]string{}, 403},
		{"by no name", "GET", "", [2]string{}, 403},
		{"from our own page", "GET", "localhost:9090", [2]string{"Origin", "http://localhost:9090"}, 200},
		{"from another page", "GET", "localhost:9090", [2]string{"Origin", "http://evil.example"}, 403},
		{"from another port", "GET", "localhost:9090", [2]string{"Origin", "http://localhost:1"}, 403},
		{"from a page of nowhere", "GET", "localhost:9090", [2]string{"Origin", "null"}, 403},
		{"into another page", "GET", "localhost:9090", [2]string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"typed by a person", "GET", "localhost:9090", [2]string{"Sec-Fetch-Site", "none"}, 200},
		{"a write", "POST", "localhost:9090", [2]string{}, 405},
		{"a question of a browser", "OPTIONS", "localhost:9090", [2]string{"Origin", "http://evil.example"}, 405},
		{"a removal", "DELETE", "localhost:9090", [2]string{}, 405},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := httptest.NewRequest(tc.method, "/metrics", nil)
			r.Host = tc.host
			if tc.header[0] != "" {
				r.Header.Set(tc.header[0], tc.header[1])
			}
			rw := httptest.NewRecorder()
			h.ServeHTTP(rw, r)
			if rw.Code != tc.want || rw.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("answered %d %s", rw.Code, rw.Body)
			}
			if rw.Code == http.StatusMethodNotAllowed && rw.Header().Get("Allow") != "GET, HEAD" {
				t.Errorf("allows %q", rw.Header().Get("Allow"))
			}
		})
	}
}

// get reads a page of a daemon.
func (b *lab) get(addr, path string) (int, string) {
	b.Helper()
	res, err := http.Get("http://" + addr + path)
	b.must(err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	b.must(err)
	if want := expositionType; path == "/metrics" && res.Header.Get("Content-Type") != want {
		b.Errorf("content type %q", res.Header.Get("Content-Type"))
	}
	return res.StatusCode, string(body)
}

// listens starts a daemon that serves metrics, and returns where.
func (b *lab) listens() (addr string, stop func()) {
	b.Helper()
	o := b.options()
	o.Listen = "0"
	c, stop := b.start(o)
	st, err := c.Status(b.Context())
	b.must(err)
	if host, _, err := net.SplitHostPort(st.Listen); err != nil || host != loopback {
		b.Fatalf("it listens at %q", st.Listen)
	}
	return st.Listen, stop
}

func TestMetricsTellWhatTheDaemonDid(t *testing.T) {
	b := newLab(t)
	addr, stop := b.listens()
	if code, body := b.get(addr, "/healthz"); code != 200 || body != "ok\n" {
		t.Errorf("health: %d %q", code, body)
	}
	if code, body := b.get(addr, "/readyz"); code != 200 || body != "ready\n" {
		t.Errorf("readiness: %d %q", code, body)
	}
	if code, _ := b.get(addr, "/debug"); code != 404 {
		t.Errorf("a page that there is not: %d", code)
	}
	before := b.samples(addr)
	b.settled(b.card("true"), board.StateReview)
	b.until("the settlement is counted", func() bool {
		return b.samples(addr)[`iterion_dispatches_total{disposition="completed"}`] == 1
	})
	if before["iterion_tick_seconds_count"] < 1 || before["iterion_tick_seconds_sum"] <= 0 {
		t.Errorf("ticks took %v s, %v of them", before["iterion_tick_seconds_sum"], before["iterion_tick_seconds_count"])
	}
	for name, want := range map[string]float64{
		"iterion_schedules_armed": 0, `iterion_schedule_decisions_total{decision="fired"}`: 0,
		"iterion_slots": 4, "iterion_slots_in_use": 0, "iterion_cards_ready": 0, "iterion_ready": 1, "iterion_paused": 0,
		`iterion_dispatches_total{disposition="gave_up"}`: 0, "iterion_spend_cap_usd": 0, "iterion_parked_cards": 0,
	} {
		if got, there := before[name]; !there || got != want {
			t.Errorf("%s is %v (there: %t), want %v", name, got, there, want)
		}
	}
	stop()
	if c, err := net.Dial("tcp", addr); err == nil {
		c.Close()
		t.Error("the daemon has ended and somebody still listens")
	}
}

// samples reads a page of metrics as Prometheus does: every value belongs to a
// family that was told before it, whole and once.
func (b *lab) samples(addr string) map[string]float64 {
	b.Helper()
	_, body := b.get(addr, "/metrics")
	found, told := map[string]float64{}, map[string]bool{}
	lines := bufio.NewScanner(strings.NewReader(body))
	for help := ""; lines.Scan(); {
		words := strings.SplitN(lines.Text(), " ", 4)
		switch {
		case words[0] == "#" && words[1] == "HELP" && len(words) == 4:
			help = words[2]
		case words[0] == "#" && words[1] == "TYPE" && words[2] == help && !told[help] && (words[3] == "gauge" || words[3] == "counter"):
			told[help] = true
		case words[0] == "#" && words[1] == "TYPE" && words[2] == help && !told[help+"_sum"] && words[3] == "summary":
			told[help+"_sum"], told[help+"_count"] = true, true
		case len(words) < 2 || !told[strings.SplitN(words[0], "{", 2)[0]]:
			b.Fatalf("line %q in\n%s", lines.Text(), body)
		default:
			cut := strings.LastIndexByte(lines.Text(), ' ')
			v, err := strconv.ParseFloat(lines.Text()[cut+1:], 64)
			b.must(err)
			found[lines.Text()[:cut]] = v
		}
	}
	return found
}

func TestLabelsOfMetricsAreEscaped(t *testing.T) {
	var x exposition
	x.gauge("m", "one\\two\nthree", 1.5, "a", "q\"b\\n\n", "b", "plain")
	want := "# HELP m one\\\\two\\nthree\n# TYPE m gauge\nm{a=\"q\\\"b\\\\n\\n\",b=\"plain\"} 1.5\n"
	if got := string(x.bytes()); got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

func TestAddressInUseEndsTheStartAndIsNamed(t *testing.T) {
	b := newLab(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	b.must(err)
	defer ln.Close()
	o := b.options()
	o.Listen = ln.Addr().String()
	d, err := New(o)
	b.must(err)
	err = d.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), o.Listen+" is in use") || !strings.Contains(err.Error(), "server.listen") {
		t.Errorf("started: %v", err)
	}
	if _, err := control.Dial(b.l); err == nil {
		t.Error("it left its socket")
	}
}

// Clients that say nothing hold a place each for a few seconds only, and none of
// them keeps the daemon from ending.
func TestSilentClientsDoNotKeepTheDaemonFromEnding(t *testing.T) {
	b := newLab(t)
	addr, stop := b.listens()
	for range webClients + 4 {
		c, err := net.Dial("tcp", addr)
		b.must(err)
		defer c.Close()
		fmt.Fprint(c, "GET /metrics HT")
	}
	began := time.Now()
	stop()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s to end", took)
	}
}
