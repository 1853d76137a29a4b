package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"iterion/bots"
	"iterion/bots/agent"
	"iterion/bots/agent/claude"
	"iterion/bots/agent/codex"
	"iterion/bots/agent/gemini"
	"iterion/bots/agent/opencode"
	"iterion/bots/manifest"
)

// noSession is a session that no program knows.
const noSession = "0b8e7c1e-7f0d-4a52-9d3c-5f1c64a0d001"

// agentPrograms are the command lines that the built-in bots drive, in the versions
// that their engines were written against.
var agentPrograms = []struct {
	bot, pkg, version string
	help              [][]string // what prints the flags
	engine            func(agent.Start) agent.Engine
	begun             string // code of a run without a login; empty: it would ask the service
}{
	{"claude", "@anthropic-ai/claude-code", "2.1.332", [][]string{{"--help"}}, claude.New, agent.CodeAuth},
	{"codex", "@openai/codex", "0.171.0", [][]string{{"exec", "--help"}, {"exec", "resume", "--help"}}, codex.New, ""},
	{"gemini", "@google/gemini-cli", "0.61.0", [][]string{{"--help"}}, gemini.New, agent.CodeAuth},
	{"opencode", "opencode-ai", "1.18.33", [][]string{{"run", "--help"}}, opencode.New, ""},
}

// The programs themselves are asked whether they take what the bots call them with.
// Nobody is logged in, so no model is asked.
func TestAgentProgramsTakeWhatTheirBotsCallThemWith(t *testing.T) {
	if os.Getenv("ITERION_TEST_AGENT_CLIS") != "1" {
		t.Skip("SKIPPED: set ITERION_TEST_AGENT_CLIS=1 to install the agent programs (1 GB) from the npm registry and to ask them")
	}
	for _, p := range agentPrograms {
		t.Run(p.bot, func(t *testing.T) {
			bot, err := bots.NewRegistry(nil).Resolve(p.bot)
			if err != nil {
				t.Fatal(err)
			}
			cli := installAgent(t, p.pkg+"@"+p.version, p.bot)
			version := cli.run(t, "--version")
			t.Logf("%s --version: %s", p.bot, strings.TrimSpace(version))
			if !strings.Contains(version, p.version) {
				t.Errorf("installed %s, it says it is %q", p.version, version)
			}
			var help string
			for _, args := range p.help {
				help += cli.run(t, args...)
			}
			argv := p.engine(agent.Start{RunDir: "/r"}).Argv(bot.Manifest.Run.Command, noSession)
			checkFlags(t, argv, help)
			cli.wantCode(t, bot.Manifest, p.engine, "", p.begun)
			cli.wantCode(t, bot.Manifest, p.engine, noSession, agent.CodeSession)
		})
	}
}

// word is a value of a flag that the program chooses from.
var word = regexp.MustCompile(`^[A-Za-z_-]+$`)

func checkFlags(t *testing.T, argv []string, help string) {
	t.Helper()
	checked := 0
	for _, arg := range argv {
		if !strings.HasPrefix(arg, "--") {
			continue
		}
		flag, value, _ := strings.Cut(arg, "=")
		checked++
		if !regexp.MustCompile(`(?m)(^|[\s,])` + flag + `($|[\s,=])`).MatchString(help) {
			t.Errorf("%s is not in the help:\n%s", flag, help)
		}
		if word.MatchString(value) && !strings.Contains(help, value) {
			t.Errorf("%s: %q is not in the help", flag, value)
		}
	}
	t.Logf("%d flags of %q are in the help", checked, argv)
	if checked < 2 {
		t.Errorf("%q has %d flags", argv, checked)
	}
}

// agentCLI is one installed program with a home of its own.
type agentCLI struct {
	bin, home string
}

func installAgent(t *testing.T, pkg, program string) agentCLI {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skipf("SKIPPED: no npm on this machine: %v", err)
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-fund", "--no-audit", "--prefix", dir, pkg)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: %s cannot be installed here: %v\n%s", pkg, err, out)
	}
	c := agentCLI{bin: filepath.Join(dir, "node_modules", ".bin", program), home: t.TempDir()}
	if err := exec.CommandContext(ctx, c.bin, "--version").Run(); err != nil {
		t.Skipf("SKIPPED: %s was installed and does not start here: %v", pkg, err)
	}
	return c
}

// command has nothing of this environment but PATH.
func (c agentCLI) command(t *testing.T, env map[string]string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, c.bin, args...)
	cmd.Dir, cmd.WaitDelay = c.home, 10*time.Second
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.home, "TZ=UTC"}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

func (c agentCLI) run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := c.command(t, nil, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", c.bin, args, err, out)
	}
	return string(out)
}

// wantCode calls the program as its bot does and has the engine judge what it says.
func (c agentCLI) wantCode(t *testing.T, m manifest.Manifest, engine func(agent.Start) agent.Engine, session, want string) {
	t.Helper()
	if want == "" {
		return
	}
	start := agent.Start{Session: session}
	e := engine(start)
	cmd := c.command(t, m.Run.Env, e.Argv(m.Run.Command, session)[1:]...)
	cmd.Stdin = strings.NewReader(e.Prompt(agent.Prompt{Task: "Say hello.", Resume: session != ""}))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // it fails, and the exit is looked at
	for line := range bytes.Lines(stdout.Bytes()) {
		e.Read(bytes.TrimRight(line, "\n"))
	}
	for line := range bytes.Lines(stderr.Bytes()) {
		e.Note(bytes.TrimRight(line, "\n"))
	}
	v := e.End(agent.Exit{Code: cmd.ProcessState.ExitCode()})
	t.Logf("session %q, exit %d: %s %s: %s", session, cmd.ProcessState.ExitCode(), v.Class, v.Code, v.Message)
	if v.Code != want {
		t.Errorf("verdict %s, want %s\nstdout: %s\nstderr: %s", v.Code, want, &stdout, &stderr)
	}
}
