// Package registry lists the searches of this user on this machine: one small file per run in the state
// folder. A search writes its own file; whoever reads it decides by the process whether it is true still.
package registry

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
)

// The states that a search writes. One that is neither Ended nor has its process was Killed.
const (
	Running   = "running"
	Paused    = "paused"
	Stopping  = "stopping"
	Measuring = "measuring" // the winner and the baselines, at the end
	Ended     = "ended"
	Killed    = "killed"
)

// maxEntry bounds the file of an entry in bytes.
const maxEntry = 64 << 10

// kept is how many runs that have ended are listed.
const kept = 50

// Entry is one run.
type Entry struct {
	Name     string    `json:"name"` // what the run can be called instead of its path
	Path     string    `json:"path"` // of the run's file, absolute
	Log      string    `json:"log,omitempty"`
	PID      int       `json:"pid"`
	Born     string    `json:"born"` // which of the processes that ever had this id it is
	Problem  string    `json:"problem"`
	Device   string    `json:"device"`
	State    string    `json:"state"`
	Reason   string    `json:"reason,omitempty"`   // of the end
	Evals    int       `json:"evals"`              // as of the last change of state
	Best     float64   `json:"best,omitempty"`     // the champion's score, as of then
	Speedup  float64   `json:"speedup,omitempty"`  // of the champion over the naive start; 0: as Best says
	Estimate bool      `json:"estimate,omitempty"` // Speedup is not of a final measurement
	Started  time.Time `json:"started"`
	Changed  time.Time `json:"changed"`
}

// Stand is how far a run is and what its champion has reached.
func (e *Entry) Stand(evals int, score, speedup float64, estimate bool) {
	e.Evals, e.Best, e.Speedup, e.Estimate = evals, score, speedup, estimate
}

// Over is the champion's speedup over the naive start; 0 where there is none.
func (e Entry) Over() float64 {
	if e.Speedup == 0 && e.Best > 0 { // of an earlier version
		return 1 / e.Best
	}
	return e.Speedup
}

// Alive reports whether the search's process exists.
func (e Entry) Alive() bool {
	born, err := birth(e.PID)
	return err == nil && born == e.Born
}

// Exists reports whether there is a process with this id that has not ended.
func Exists(pid int) bool {
	_, err := birth(pid)
	return err == nil
}

// Dir is the registry's folder: $XDG_STATE_HOME/darwarp/runs, else ~/.local/state/darwarp/runs.
func Dir() (string, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // as the XDG base directory specification wants it
		home, err := os.UserHomeDir()
		if err != nil {
			return "", exit.Environmentf("runs are listed where XDG_STATE_HOME says, or below HOME, and neither is set: set one")
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "darwarp", "runs"), nil
}

// Add enters this process's search of the run in e.Path and gives it a name: the file's without its
// extension, with a number behind it where another run has it.
func Add(e Entry) (Entry, error) {
	dir, err := Dir()
	if err != nil {
		return e, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return e, unusable(dir, "written to", err)
	}
	if e.Path, err = filepath.Abs(e.Path); err != nil {
		return e, err
	}
	if e.Log != "" {
		if e.Log, err = filepath.Abs(e.Log); err != nil {
			return e, err
		}
	}
	e.PID, e.State, e.Started = os.Getpid(), Running, time.Now()
	if e.Born, err = birth(e.PID); err != nil {
		return e, err
	}
	all, err := List()
	if err != nil {
		return e, err
	}
	prune(dir, all)
	base := strings.TrimSuffix(filepath.Base(e.Path), filepath.Ext(e.Path))
	e.Name = base
	for n := 2; taken(all, e); n++ {
		e.Name = fmt.Sprintf("%s-%d", base, n)
	}
	return e, e.Save()
}

// taken reports whether another run has the name.
func taken(all []Entry, e Entry) bool {
	return slices.ContainsFunc(all, func(o Entry) bool { return o.Name == e.Name && o.Path != e.Path })
}

// prune forgets runs whose file is gone, and the oldest of those that have ended.
func prune(dir string, all []Entry) {
	ended := 0
	for _, e := range all {
		_, err := os.Stat(e.Path)
		if e.State == Ended || e.State == Killed {
			ended++
		}
		if errors.Is(err, fs.ErrNotExist) && !e.Alive() || ended > kept {
			_ = os.Remove(filepath.Join(dir, e.Name+".json")) // it is listed once more, no harm
		}
	}
}

// Save writes the entry in place of the one before.
func (e Entry) Save() error {
	dir, err := Dir()
	if err != nil {
		return err
	}
	e.Changed = time.Now()
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*") // mode 0600
	if err != nil {
		return unusable(dir, "written to", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, e.Name+".json"))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// List gives all entries, the youngest first. Those whose search has died are Killed.
func List() ([]Entry, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	if _, err := os.ReadDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unusable(dir, "read", err)
	}
	files, err := filepath.Glob(filepath.Join(escape(dir), "*.json"))
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, name := range files {
		if e, err := read(name); err == nil { // one that is not ours, or was just removed, is passed over
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(b.Started.Compare(a.Started), strings.Compare(a.Name, b.Name))
	})
	return all, nil
}

// unusable says what is wrong with the registry's folder, and what to do about it.
func unusable(dir, what string, err error) error {
	if known := new(fs.PathError); errors.As(err, &known) {
		err = known.Err
	}
	return exit.Environmentf("the state folder %s cannot be %s: %w. Repair it, or set XDG_STATE_HOME to another one", dir,
		what, err)
}

// escape keeps characters of a folder's name from being taken for a pattern.
func escape(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

func read(name string) (e Entry, err error) {
	// In a folder that others can write to an entry could send a command to another run.
	info, err := os.Lstat(name)
	if err != nil {
		return e, err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || st.Uid != 0 && int(st.Uid) != os.Geteuid() {
		return e, fmt.Errorf("%s: not an entry of this user's registry", name)
	}
	data, err := files.Read(name, maxEntry)
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return e, err
	}
	if e.Name != strings.TrimSuffix(filepath.Base(name), ".json") || e.Path == "" {
		return e, fmt.Errorf("%s: not an entry of the registry", name)
	}
	if e.State != Ended && !e.Alive() {
		e.State = Killed
	}
	return e, nil
}

// Find gives the entry of a run by its name or its path.
func Find(run string) (Entry, bool) {
	all, err := List()
	if err != nil {
		return Entry{}, false
	}
	path, err := filepath.Abs(run)
	if err != nil {
		return Entry{}, false
	}
	for _, e := range all {
		if e.Path == path || e.Name == run {
			return e, true
		}
	}
	return Entry{}, false
}

// birth names a process for good: the boot and the clock tick at which it was started (proc(5): stat, field
// 22). Process ids are used again.
func birth(pid int) (string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	// the program's name may hold anything
	_, rest, ok := strings.Cut(string(stat[max(0, strings.LastIndexByte(string(stat), ')')):]), ") ")
	fields := strings.Fields(rest)
	const state, start = 0, 22 - 3 // of what follows the name
	if !ok || len(fields) <= start || fields[state] == "Z" {
		return "", fmt.Errorf("process %d has ended", pid)
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(boot)) + " " + fields[start], err
}
