package kernelbench

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/kernels"
)

// file is a module that is run under a name of its own.
type file struct{ path, name string }

// list finds the modules of a folder, those with numbers first and by them.
func list(dir string) ([]file, error) {
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil, exit.Usagef("%s: %w: expected a folder of modules, files that end in .py", dir, files.Reason(err))
	}
	var found []file
	taken := map[string]bool{}
	for _, e := range all {
		base, ok := strings.CutSuffix(e.Name(), ".py")
		if ok && !strings.HasPrefix(base, ".") && !strings.HasPrefix(base, "__") {
			found = append(found, file{filepath.Join(dir, e.Name()), label(base, taken)})
		}
	}
	if len(found) == 0 {
		return nil, exit.Usagef("%s has no file NAME.py", dir)
	}
	slices.SortStableFunc(found, func(a, b file) int { return cmp.Compare(number(a.path), number(b.path)) })
	return found, nil
}

// number is what a file's name begins with: 10_x.py comes after 9_x.py.
func number(path string) int {
	base := filepath.Base(path)
	digits := base[:len(base)-len(strings.TrimLeft(base, "0123456789"))]
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 1 << 30
	}
	return n
}

// longestName leaves room for what distinguishes two names, and for the names of files made of one.
const longestName = 48

// label makes a problem's name of a file's.
func label(base string, taken map[string]bool) string {
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '_'
	}, base)
	name = strings.Trim(name[:min(len(name), longestName)], "_")
	if kernels.CheckLabel(name) != nil {
		name = "module"
	}
	first := name
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s_%d", first, n)
	}
	taken[name] = true
	return name
}
