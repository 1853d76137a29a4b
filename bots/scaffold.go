package bots

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"iterion/bots/catalog"
	"iterion/bots/manifest"
)

//go:embed scaffold
var scaffold embed.FS

// NameError is a name that no bot can have.
type NameError struct{ Name string }

func (e *NameError) Error() string {
	return fmt.Sprintf("%q is no bot name, want %s", e.Name, manifest.NameRule)
}

// Unwrap makes every NameError a manifest.ErrInvalid.
func (e *NameError) Unwrap() error { return manifest.ErrInvalid }

// Recipe says what kind of bot Scaffold makes.
type Recipe struct {
	Name     string
	Protocol manifest.Protocol // an agent's makes a copy of the built-in bot of that name
	Lang     string            // one of Langs; means nothing for an agent
}

// Langs returns the languages that there are scaffolds for.
func Langs() []string { return []string{"sh", "python", "go"} }

// Scaffold makes the bundle dir/<name>: a bot that runs as it is and shows in its
// comments how the rest is said. The bundle appears whole or not at all. Errors:
// *NameError, and fs.ErrExist (wrapped) when something of that name is there.
func Scaffold(dir string, r Recipe) (string, error) {
	if !manifest.ValidName(r.Name) {
		return "", &NameError{Name: r.Name}
	}
	target := filepath.Join(dir, r.Name)
	switch _, err := os.Lstat(target); {
	case err == nil:
		return "", fmt.Errorf("make bot %s: %s: %w", r.Name, target, fs.ErrExist)
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("make bot %s: %w", r.Name, err)
	}
	files, err := r.files(target)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		// Bundles are source code, shared like the rest of a repository.
		err = stage(target, 0o755, func(tmp string) error { return writeAll(tmp, files) })
	}
	if err != nil {
		return "", fmt.Errorf("make bot %s: %w", r.Name, err)
	}
	return target, nil
}

// files returns the content of the bundle by name.
func (r Recipe) files(target string) (map[string][]byte, error) {
	if r.Protocol.Agent() {
		return r.agent(target)
	}
	if !slices.Contains(Langs(), r.Lang) {
		return nil, fmt.Errorf("there is no scaffold for %q, want one of %s", r.Lang, strings.Join(Langs(), ", "))
	}
	files := map[string][]byte{}
	for _, part := range []string{"all", r.Lang} {
		if err := r.fill(files, "scaffold/"+part, target); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// agent is the built-in bot of the protocol under another name.
func (r Recipe) agent(target string) (map[string][]byte, error) {
	files := map[string][]byte{}
	if err := r.fill(files, "scaffold/all", target); err != nil {
		return nil, err
	}
	from := string(r.Protocol)
	err := fs.WalkDir(catalog.FS(), from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "README.md" {
			return err
		}
		files[strings.TrimPrefix(name, from+"/")], err = fs.ReadFile(catalog.FS(), name)
		return err
	})
	files[manifest.FileName] = r.rename(files[manifest.FileName])
	return files, err
}

// nameLines matches the lines of a manifest that say who the bot is.
var nameLines = regexp.MustCompile(`(?m)^(name|display_name|icon|version):.*\n`)

func (r Recipe) rename(m []byte) []byte {
	return append([]byte("name: "+r.Name+"\nversion: 0.1.0\n"), nameLines.ReplaceAll(m, nil)...)
}

// fill adds the files of one folder of scaffolds.
func (r Recipe) fill(files map[string][]byte, from, target string) error {
	parts, err := template.ParseFS(scaffold, from+"/*.txt")
	if err != nil {
		return err
	}
	data := struct {
		Recipe
		Dir, Program string
		Agent        bool
	}{r, filepath.Join(filepath.Base(filepath.Dir(target)), r.Name), map[string]string{"sh": "run.sh", "python": "run.py", "go": "main.go"}[r.Lang], r.Protocol.Agent()}
	for _, part := range parts.Templates() {
		var out bytes.Buffer
		if err := part.Execute(&out, data); err != nil {
			return err
		}
		files[strings.TrimSuffix(part.Name(), ".txt")] = out.Bytes()
	}
	return nil
}

func writeAll(into string, files map[string][]byte) error {
	for name, data := range files {
		path := filepath.Join(into, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if isScript(data) {
			mode = 0o755
		}
		if err := os.WriteFile(path, data, mode); err != nil {
			return err
		}
	}
	return nil
}
