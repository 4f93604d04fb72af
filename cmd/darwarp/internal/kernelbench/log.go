package kernelbench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
)

// settings are what results must have in common to stand in one table.
type settings struct {
	Format int     `json:"format"`
	For    string  `json:"for"`
	Evals  int     `json:"evals,omitempty"`
	Device string  `json:"device"` // as it was asked for
	Cache  string  `json:"cache,omitempty"`
	Eval   bool    `json:"eval,omitempty"`
	Scale  float64 `json:"scale"`

	Precision string `json:"precision,omitempty"`
}

func (b Bench) settings() settings {
	return settings{Format: 1, For: b.Budget.For.String(), Evals: b.Budget.Evals, Device: b.Device, Cache: b.Cache,
		Eval: b.Import.Eval, Scale: b.Import.Scale, Precision: b.Import.Precision}
}

// logName is the file of the results: a line of settings, then one for each module that was run.
const logName = "results.jsonl"

// maxLog bounds it, in bytes: thousands of modules.
const maxLog = 64 << 20

// log is the file of the results, and what it had. Nobody else writes it meanwhile.
type log struct {
	file *os.File
	had  map[string]Problem // by name; the last one counts
}

// openLog opens the results in a folder, or begins them in one that is new. Those of other settings are refused, and a
// last line that was cut off is dropped.
func openLog(dir string, s settings) (l *log, err error) {
	if err := files.Makeable(dir); err != nil {
		return nil, exit.Usagef("-o %s: %w: name a folder elsewhere", dir, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, exit.Usagef("-o %s: %w", dir, files.Reason(err))
	}
	path := filepath.Join(dir, logName)
	if empty, err := isNew(dir, path); err != nil || !empty {
		return nil, errors.Join(err, exit.Usagef("-o %s: it has other files: name a new folder", dir))
	}
	l = &log{had: map[string]Problem{}}
	if l.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o644); err != nil {
		return nil, exit.Usagef("%s cannot be written: %w", path, files.Reason(err))
	}
	if err := unix.Flock(int(l.file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(exit.Usagef("%s: another bench writes it", path), l.Close())
	}
	if err := l.read(path, s); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// isNew reports whether a folder may be written: it has results already, or nothing.
func isNew(dir, path string) (bool, error) {
	if _, err := os.Lstat(path); err == nil {
		return true, nil
	}
	all, err := os.ReadDir(dir)
	return len(all) == 0, err
}

// read takes in what is there, and stands at the end of its last whole line.
func (l *log) read(path string, s settings) error {
	data, err := io.ReadAll(io.LimitReader(l.file, maxLog+1))
	if err == nil && len(data) > maxLog {
		err = exit.Usagef("%s has more than %d bytes", path, maxLog)
	}
	if err != nil {
		return err
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	if err := errors.Join(l.file.Truncate(int64(len(whole))), seek(l.file, len(whole))); err != nil {
		return err
	}
	if len(whole) == 0 {
		return l.write(s)
	}
	head, rest, _ := bytes.Cut(whole, []byte("\n"))
	var had settings
	if err := json.Unmarshal(head, &had); err != nil || had != s {
		want, _ := json.Marshal(s)
		return exit.Usagef("%s was begun with %s, and this is %s: name another folder with -o", path, head, want)
	}
	for n, line := range bytes.Split(bytes.TrimSpace(rest), []byte("\n")) {
		var p Problem
		if len(line) == 0 {
			continue
		}
		if err := json.Unmarshal(line, &p); err != nil || p.Name == "" {
			return exit.Usagef("%s: line %d is no result", path, n+2)
		}
		l.had[p.Name] = p
	}
	return nil
}

func seek(f *os.File, to int) error {
	_, err := f.Seek(int64(to), io.SeekStart)
	return err
}

// done is the result that a module has: of the same file, and not one that failed.
func (l *log) done(p Problem) (Problem, bool) {
	had, ok := l.had[p.Name]
	return had, ok && had.SHA256 == p.SHA256 && had.File == p.File && had.Outcome != Failed
}

func (l *log) add(p Problem) error { return l.write(p) }

// write appends a line that survives a loss of power.
func (l *log) write(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(l.file, "%s\n", text); err != nil {
		return err
	}
	return l.file.Sync()
}

// Close closes the file.
func (l *log) Close() error { return l.file.Close() }
