package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"iterion/native/run"
)

func TestEveryRunEventIsToldInWords(t *testing.T) {
	for _, c := range []struct{ kind, data, want string }{
		{"run_started", `{"attempt":2}`, "attempt 2"},
		{"run_progress", `{"text":"half\nway","percent":40}`, "40% half way"},
		{"run_progress", `{"percent":12.5}`, "12.5%"},
		{"run_cost", `{"cost_usd":1.5,"tokens_in":8400,"tokens_out":0}`, "$1.50 so far, 8400 tokens in"},
		{"run_output", `{"names":["a","b"]}`, "a, b"},
		{"human_input_requested", `{"interaction_id":"x","questions":{"question":"Ship?","fields":[{"name":"env","choices":["a","b"]}]}}`,
			"Ship? | env (one of a, b)"},
		{"human_input_requested", `{"questions":7}`, "questions=7"},
		{"human_answers_recorded", `{"interaction_id":"x","by":"ana","names":["a"],"replaced":true}`,
			"a, by ana, in place of what was answered before"},
		{"run_paused", `{"status":"paused_operator","reason":"cost_cap_daily","paused_at":"2026-11-30T00:00:00Z"}`, "paused_operator, cost_cap_daily"},
		{"run_resumed", `{"from":"failed_resumable","by":"ana","attempt":2}`, "from failed_resumable, by ana, attempt 2"},
		{"run_finished", `{"status":"finished","outcome_seq":1,"exit_code":0}`, "finished, exit code 0"},
		{"run_failed", `{"status":"failed","outcome_seq":1,"failure_code":"EXIT","error":"exit 3","exit_code":3}`, "failed (EXIT), exit code 3, exit 3"},
		{"run_cancelled", `{"status":"cancelled","outcome_seq":1,"error":"cancelled by ana"}`, "cancelled, cancelled by ana"},
		{"run_interrupted", `{"status":"failed_resumable","failure_code":"PROCESS_ORPHANED","outcome_seq":2}`, "failed_resumable (PROCESS_ORPHANED)"},
		{"log_truncated", `{"limit":1048576}`, "the log is full: what came past 1048576 bytes was left out"},
		{"run_failed", `{"status":"failed","outcome_seq":1,"of":"tomorrow"}`, "failed, of=tomorrow"},
		{"from_the_future", `{"b":[1],"a":"x"}`, "a=x b=[1]"},
		{"run_started", `null`, ""},
	} {
		e := run.Event{Type: run.EventType(c.kind)}
		if err := json.Unmarshal([]byte(c.data), &e.Data); err != nil {
			t.Fatal(err)
		}
		before, _ := json.Marshal(e.Data)
		_, got, _ := strings.Cut(runEventLine(e), c.kind)
		if strings.TrimSpace(got) != c.want {
			t.Errorf("%s %s: %q, want %q", c.kind, c.data, strings.TrimSpace(got), c.want)
		}
		if after, _ := json.Marshal(e.Data); string(after) != string(before) {
			t.Errorf("%s: printing took the event apart: %s", c.kind, after)
		}
	}
}

func TestSizesAreReadable(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 5 << 20: "5.0 MiB", 3 << 30: "3.0 GiB", 5 << 50: "5120.0 TiB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
