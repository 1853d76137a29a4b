package supervise

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"iterion/bots/manifest"
	"iterion/native/run"
)

// maxVar is the longest value that travels in the environment; Linux refuses an
// exec with a single string of 128 KiB. Longer ones are in vars.json alone.
const maxVar = 32 << 10

// allowed reports whether a variable of the caller reaches every bot. All others
// stay outside unless the bot asks for them by name.
func allowed(name string) bool {
	switch strings.ToUpper(name) {
	case "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY":
		return true
	}
	switch name {
	case "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TERM", "TMPDIR", "SSH_AUTH_SOCK":
		return true
	}
	return strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_")
}

// environ is the whole environment of the bot, sorted. Later layers win: what is
// let through, the manifest's literals, what describes the run.
func (p plan) environ(rec run.Record, runDir string, goesOn bool, outside []string) []string {
	env := map[string]string{}
	for _, kv := range outside {
		name, value, _ := strings.Cut(kv, "=")
		if allowed(name) || slices.Contains(p.PassEnv, name) {
			env[name] = value
		}
	}
	if p.Protocol.Agent() && !slices.Contains(p.PassEnv, "TZ") {
		env["TZ"] = "UTC" // reset times are said by the local clock
	}
	for name, value := range p.Env {
		env[name] = value
	}
	p.describe(env, rec, runDir, goesOn)
	env["PATH"] = withOwnFolder(env["PATH"])
	list := make([]string, 0, len(env))
	for name, value := range env {
		if !strings.Contains(value, "\x00") {
			list = append(list, name+"="+value)
		}
	}
	slices.Sort(list)
	return list
}

func (p plan) describe(env map[string]string, rec run.Record, runDir string, goesOn bool) {
	for name, value := range rec.Inputs {
		if len(value) <= maxVar {
			env[manifest.EnvName(name)] = value
		}
	}
	for name, value := range p.Extra {
		env[name] = value
	}
	if rec.Source.IssueID != "" {
		env["ITERION_ISSUE_ID"] = rec.Source.IssueID
	}
	env["ITERION_RUN_ID"] = rec.ID
	env["ITERION_RUN_DIR"] = runDir
	env["ITERION_STORE_DIR"] = p.StoreDir
	env["ITERION_WORKSPACE"] = rec.Workdir
	env["ITERION_BOT"] = rec.Bot
	env["ITERION_BOT_DIR"] = p.BotDir
	env["ITERION_ATTEMPT"] = strconv.Itoa(rec.Attempt)
	env["ITERION_RESUME"] = "0"
	if goesOn {
		env["ITERION_RESUME"] = "1"
	}
	if rec.Session != "" {
		env["ITERION_SESSION"] = rec.Session
	}
	if answers := filepath.Join(runDir, run.AnswersFile); isFile(answers) {
		env["ITERION_ANSWERS"] = answers
	}
	env["ITERION_VARS"] = filepath.Join(runDir, run.VarsFile)
	env["ITERION_EVENTS"] = filepath.Join(runDir, run.ReportsFile)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// withOwnFolder lets the bot call iterion, after whatever the user has on PATH.
func withOwnFolder(path string) string {
	exe, err := os.Executable()
	if err != nil {
		return path
	}
	if path == "" {
		path = "/usr/local/bin:/usr/bin:/bin"
	}
	return path + string(os.PathListSeparator) + filepath.Dir(exe)
}

// secrets returns the values that must not be stored.
func (p plan) secrets(outside []string) []string {
	var values []string
	for _, kv := range outside {
		if name, value, _ := strings.Cut(kv, "="); slices.Contains(p.PassEnv, name) {
			values = append(values, value)
		}
	}
	return values
}
