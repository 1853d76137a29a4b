package supervise

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"iterion/bots/manifest"
	"iterion/native/atomicfile"
	"iterion/native/run"
)

// planFile is the file in the run's folder that tells the supervisor what to start.
const planFile = "launch.json"

// plan is how a bot is to be started, settled at launch: editing the bundle
// afterwards does not change a run that is under way. It holds no value of a
// pass_env variable, only names.
type plan struct {
	StoreDir string            `json:"store_dir"`
	BotDir   string            `json:"bot_dir"`
	Argv     []string          `json:"argv"`
	Install  string            `json:"install,omitempty"` // how to get its program
	Protocol manifest.Protocol `json:"protocol"`
	Resume   bool              `json:"resume"`
	MaxLog   int64             `json:"max_log"` // bytes
	Timeout  time.Duration     `json:"timeout"` // nanoseconds, 0: none
	Grace    time.Duration     `json:"grace"`   // between TERM and KILL
	Stall    time.Duration     `json:"stall,omitempty"`
	Linger   time.Duration     `json:"linger,omitempty"` // of an agent after its last word
	OverCap  bool              `json:"over_cap,omitempty"`
	Env      map[string]string `json:"env,omitempty"`
	PassEnv  []string          `json:"pass_env,omitempty"`
	Extra    map[string]string `json:"extra,omitempty"` // ITERION_* of whoever launched
	NoFsync  bool              `json:"no_fsync,omitempty"`
	By       string            `json:"by,omitempty"` // who started the run, or goes on with it
	Retry    manifest.Retry    `json:"retry,omitzero"`
}

func newPlan(m manifest.Manifest, botDir string) plan {
	p := plan{
		BotDir: botDir, Argv: m.Run.Command, Install: m.Run.Install, Protocol: m.Run.Protocol, Resume: m.Run.Resume,
		MaxLog: m.Run.MaxLog, Timeout: m.Run.Timeout, Env: m.Run.Env, PassEnv: m.Run.PassEnv,
	}
	if m.Run.Script != "" {
		p.Argv = []string{"/bin/sh", "-c", m.Run.Script}
	}
	if m.Run.Stall != nil {
		p.Stall = *m.Run.Stall
	}
	if p.MaxLog <= 0 {
		p.MaxLog = manifest.DefaultMaxLog
	}
	return p
}

// by says who goes on with the run.
func (p plan) by() string {
	if p.By == "" {
		return ""
	}
	return ", resumed by " + p.By
}

// write replaces the plan of a run.
func (p plan) write(runDir string) error {
	data, err := json.MarshalIndent(p, "", "  ")
	if err == nil {
		err = atomicfile.WriteFile(filepath.Join(runDir, planFile), data, 0o600, atomicfile.Options{NoFsync: p.NoFsync})
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", planFile, err)
	}
	return nil
}

// PlannedRetry returns what the launch of a run said of a used up allowance.
func PlannedRetry(d *run.Dir, id string) (manifest.Retry, error) {
	p, err := readPlan(d.Path(id))
	return p.Retry, err
}

func readPlan(runDir string) (plan, error) {
	var p plan
	data, err := os.ReadFile(filepath.Join(runDir, planFile))
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		return plan{}, fmt.Errorf("read %s: %w", planFile, err)
	}
	return p, nil
}
