package bots

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"iterion/bots/manifest"
)

// maxManifest bounds how much of a manifest is read.
const maxManifest = 1 << 20

// Load reads the bundle in a folder. Problems of the manifest come as a
// *manifest.Error.
func Load(dir string) (Bot, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Bot{}, fmt.Errorf("load bot %s: %w", dir, err)
	}
	m, err := read(os.DirFS(abs), filepath.Join(dir, manifest.FileName), filepath.Base(abs))
	return Bot{Manifest: m, Dir: abs, Tier: TierFolder}, err
}

// read parses the manifest in files. shown is its path for messages, folder the
// name that it must carry.
func read(files fs.FS, shown, folder string) (manifest.Manifest, error) {
	data, err := content(files, manifest.FileName)
	if err != nil {
		return manifest.Manifest{}, fmt.Errorf("read %s: %w", shown, err)
	}
	m, err := manifest.Parse(shown, data)
	if err != nil {
		return m, err
	}
	return m, m.CheckName(shown, "folder", folder)
}

// content returns what is in a file of at most maxManifest bytes. Anything but a
// file is not opened: a pipe would be waited for without end.
func content(files fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is no file")
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err == nil && len(data) > maxManifest {
		err = fmt.Errorf("larger than %d bytes", maxManifest)
	}
	return data, err
}
