package templates

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"darwarp/kernels"
)

// readFlat reads the files of a folder that may belong to a problem.
func readFlat(dir fs.FS, into map[string][]byte) error {
	names, err := readNames(dir)
	if err != nil {
		return err
	}
	total := 0
	for _, name := range names {
		if into[name], err = readFile(dir, name); err != nil {
			return err
		}
		if total += len(into[name]); total > maxTotal || len(into) > maxFiles {
			return tooMany(len(names))
		}
	}
	return readModule(dir, into)
}

// readModule reads the file of the module that is the reference of a problem, if one is. A problem that cannot be read
// is somebody else's to tell.
func readModule(dir fs.FS, into map[string][]byte) error {
	p, err := kernels.ParseProblem(problemFile, into[problemFile])
	if err != nil || !p.Reference.IsModule() {
		return nil
	}
	if _, err := fs.Stat(dir, p.Reference.File); err != nil {
		return nil
	}
	into[p.Reference.File], err = readFile(dir, p.Reference.File)
	return err
}

// readNames lists the files of a folder that are read. It looks at so many entries: a folder of strangers may have
// millions.
func readNames(dir fs.FS) (names []string, err error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, errors.New("not a folder")
	}
	entries, err := list.ReadDir(maxEntries + 1)
	if len(entries) > maxEntries {
		return nil, fmt.Errorf("more than %d entries: expected a folder with the files of one problem", maxEntries)
	}
	for _, e := range entries {
		if !e.IsDir() && wanted(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	if errors.Is(err, io.EOF) { // there is none
		err = nil
	}
	return names, err
}

// readFile reads a regular file that is not too large.
func readFile(dir fs.FS, name string) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, unreadable(name, err)
	case !info.Mode().IsRegular():
		return nil, unreadable(name, errors.New("expected a file"))
	case info.Size() > maxFile:
		return nil, tooLarge(name, int(info.Size()))
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1)) // it may grow meanwhile
	if err != nil {
		return nil, unreadable(name, err)
	}
	return data, nil
}

func unreadable(name string, err error) kernels.Mistakes {
	if e := new(fs.PathError); errors.As(err, &e) {
		err = e.Err
	}
	return kernels.Mistakes{{File: name, Err: err}}
}

func tooMany(files int) kernels.Mistakes {
	return kernels.Mistakes{{File: problemFile, Err: fmt.Errorf("%d files in all: expected at most %d with %d bytes",
		files, maxFiles, maxTotal)}}
}

func tooLarge(name string, size int) kernels.Mistakes {
	return kernels.Mistakes{{File: name, Err: fmt.Errorf("%d bytes: expected at most %d", size, maxFile)}}
}

// wanted leaves out hidden files, too: what editors and file managers leave behind.
func wanted(name string) bool {
	if strings.HasPrefix(name, ".") {
		return false
	}
	for _, s := range []string{".toml", tmplSuffix, ".cu"} {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}

// checkFiles bounds the files, which may come from a run or a recording. Their names are those of families and
// templates, and parts of paths in an export.
func (b *Bundle) checkFiles() error {
	total := 0
	for _, n := range b.names(func(string) bool { return true }) {
		if err := kernels.CheckLabel(n); err != nil {
			return kernels.Mistakes{{File: "a file's name", Err: err}}
		}
		if len(b.Files[n]) > maxFile {
			return tooLarge(n, len(b.Files[n]))
		}
		total += len(b.Files[n])
	}
	if total > maxTotal || len(b.Files) > maxFiles {
		return tooMany(len(b.Files))
	}
	return nil
}
