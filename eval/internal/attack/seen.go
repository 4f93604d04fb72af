package attack

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Seen is what became of the target's files, looked at by the target itself: a worker's answer may be wrong.
type Seen struct {
	Changed bool // something was made, removed, renamed, cut, or has another mode, owner, time or attribute
	There   bool // the file that the attack is about
}

// Look describes the files that attacks are about, such that two descriptions differ if any of them was changed.
func (t *Target) Look() string {
	found, _ := filepath.Glob(filepath.Join(t.Dir, "*")) // the pattern is well-formed
	var text strings.Builder
	for _, path := range append(found, t.Dir, t.shared()) {
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			continue
		}
		fmt.Fprintln(&text, path, st.Dev, st.Ino, st.Mode, st.Nlink, st.Uid, st.Gid, st.Size, st.Mtim, st.Ctim)
	}
	return text.String()
}

// Saw compares the files with what they were before an attack.
func (t *Target) Saw(a *Attack, before string) Seen {
	return Seen{Changed: t.Look() != before, There: slices.ContainsFunc(a.paths(), func(path string) bool {
		_, err := os.Lstat(path)
		return err == nil && strings.HasPrefix(path, t.Dir)
	})}
}

// paths are the texts that an attack's calls have as arguments.
func (a *Attack) paths() (all []string) {
	for _, c := range a.Calls {
		for _, arg := range c.Args {
			if s, ok := arg.(string); ok {
				all = append(all, s)
			}
		}
	}
	return all
}
