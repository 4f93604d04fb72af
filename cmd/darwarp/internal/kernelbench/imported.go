package kernelbench

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/importer"
	"darwarp/eval/module"
)

// checkProblems refuses settings of an import where modules were imported before, with settings that nobody knows.
func (b Bench) checkProblems() error {
	switch {
	case b.Problems == "":
		return nil
	case b.Import.Scale != 1 || b.Import.Eval || b.Import.Precision != "":
		return exit.Usagef("--problems %s: what is there was imported before: leave out --scale, --eval and --precision",
			b.Problems)
	}
	if about, err := os.Stat(b.Problems); err != nil || !about.IsDir() {
		return exit.Usagef("--problems %s: expected a folder of problem folders", b.Problems)
	}
	return nil
}

// imported copies the problem folder that was made of a module before. It is not ok where there is none, or one of
// another text.
func (b Bench) imported(source, dir string) (ok bool, err error) {
	if b.Problems == "" {
		return false, nil
	}
	folder := filepath.Join(b.Problems, filepath.Base(dir))
	text, err := files.Read(filepath.Join(folder, importer.ModuleFile), module.MaxSource)
	if err != nil || string(text) != source {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return false, err
	}
	return true, os.CopyFS(dir, os.DirFS(folder))
}
