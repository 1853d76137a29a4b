package bots

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"iterion/bots/catalog"
	"iterion/bots/manifest"
)

func TestScaffoldOfAnAgentIsTheBuiltInBotUnderItsOwnName(t *testing.T) {
	for _, p := range manifest.Protocols() {
		if !p.Agent() {
			continue
		}
		t.Run(string(p), func(t *testing.T) {
			built, err := NewRegistry(nil).Resolve(string(p))
			if err != nil {
				t.Fatal(err)
			}
			b := scaffolded(t, Recipe{Name: "reviewer", Protocol: p})
			was, is := strings.Join(built.Manifest.Run.Command, " "), strings.Join(b.Manifest.Run.Command, " ")
			if was != is || built.Manifest.Run.Install != b.Manifest.Run.Install || len(b.Manifest.Vars) != len(built.Manifest.Vars) {
				t.Errorf("runs %q, the built-in bot %q", is, was)
			}
			files, err := fs.ReadDir(catalog.FS(), string(p))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if _, err := os.Stat(filepath.Join(b.Dir, f.Name())); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
