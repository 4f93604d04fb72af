package files

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// WriteFolder writes files, by slash-separated names, into a folder that may or may not exist. Where one cannot be
// written, as on a full disk, what was written before is removed again: half a folder looks like a whole one.
// Its errors name the file.
func WriteFolder(dir string, all map[string][]byte) (err error) {
	var made []string
	defer func() {
		for _, path := range slices.Backward(made) {
			if err != nil {
				_ = os.Remove(path) // a folder stays if somebody else put something into it
			}
		}
	}()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		above, err := makeFolders(filepath.Dir(path))
		made = append(made, above...)
		if err != nil {
			return fmt.Errorf("cannot make the folder %s: %w", filepath.Dir(path), Reason(err))
		}
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			made = append(made, path)
		}
		if err := os.WriteFile(path, all[name], 0o644); err != nil {
			return fmt.Errorf("cannot write %s: %w", path, Reason(err))
		}
	}
	return nil
}

// makeFolders makes a folder with those above it that are missing, and names those that it made, outermost first.
func makeFolders(dir string) (made []string, err error) {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return nil, os.MkdirAll(dir, 0o755) // says what is there in place of a folder
	}
	if made, err = makeFolders(filepath.Dir(dir)); err != nil {
		return made, err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return made, err
	}
	return append(made, dir), nil
}
