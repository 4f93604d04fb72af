package darwarp_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms says what the packages of each top-level folder may import of this module. It is a statement
// of policy: imports run one way, and siblings are strangers.
var rooms = map[string][]string{
	"kernels":   {"kernels"},
	"templates": {"templates", "kernels"},
	"mutate":    {"mutate", "kernels"},
	"store":     {"store", "kernels"},
	"eval":      {"eval", "kernels"},
	"evolve":    {"evolve", "kernels", "templates", "mutate", "store"},
	"cmd":       {"cmd", "kernels", "templates", "mutate", "store", "eval", "evolve"},
}

// pure is all that the nouns may import: nothing that does I/O or starts a process.
var pure = []string{"github.com/expr-lang/expr", "github.com/pelletier/go-toml/v2"}

// impure is what the nouns may not import of the standard library.
var impure = []string{"os", "os/exec", "os/signal", "net", "net/http", "syscall", "io/ioutil", "log", "log/slog",
	"plugin", "sync"}

func imports(t *testing.T, file string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// sources are the project's Go files but for tests.
func sources(t *testing.T) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(os.DirFS("."), ".", func(p string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (strings.HasPrefix(name, ".") || name == "testdata" || p == "bin"):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			out = append(out, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 20 {
		t.Fatalf("only %d Go files found", len(out))
	}
	return out
}

func TestImports(t *testing.T) {
	for _, file := range sources(t) {
		room, _, _ := strings.Cut(file, "/")
		allowed, ok := rooms[room]
		if !ok {
			t.Errorf("%s: %s is not a room: expected one of the folders in rooms", file, room)
			continue
		}
		for _, p := range imports(t, filepath.FromSlash(file)) {
			if why := refused(room, allowed, p); why != "" {
				t.Errorf("%s imports %s: %s", file, p, why)
			}
		}
	}
}

// TestNATS: one folder knows it, so that another engine needs to replace one.
func TestNATS(t *testing.T) {
	for _, file := range sources(t) {
		for _, p := range imports(t, file) {
			if strings.HasPrefix(p, "github.com/nats-io/") && !strings.HasPrefix(file, "eval/fleet/") {
				t.Errorf("%s imports %s: only eval/fleet may", file, p)
			}
		}
	}
}

func refused(room string, allowed []string, p string) string {
	if p == "C" {
		return "darwarp is built without cgo"
	}
	if inside, ok := strings.CutPrefix(p, "darwarp/"); ok {
		if to, _, _ := strings.Cut(inside, "/"); !slices.Contains(allowed, to) {
			return room + " may import " + strings.Join(allowed, ", ")
		}
		return ""
	}
	if room != "kernels" {
		return ""
	}
	if first, _, _ := strings.Cut(p, "/"); strings.Contains(first, ".") {
		for _, ok := range pure {
			if p == ok || strings.HasPrefix(p, ok+"/") {
				return ""
			}
		}
		return "the nouns use " + strings.Join(pure, " and ") + " and the standard library"
	}
	if slices.Contains(impure, path.Clean(p)) {
		return "the nouns do no I/O and start nothing"
	}
	return ""
}

func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		room, imports string
		ok            bool
	}{
		{"kernels", "darwarp/store", false},
		{"kernels", "os/exec", false},
		{"kernels", "fmt", true},
		{"kernels", "github.com/expr-lang/expr/vm", true},
		{"kernels", "go.etcd.io/bbolt", false},
		{"mutate", "darwarp/store", false},
		{"eval", "darwarp/eval/internal/proc", true},
		{"eval", "darwarp/evolve", false},
		{"evolve", "darwarp/eval", false},
		{"evolve", "darwarp/store", true},
		{"cmd", "darwarp/eval", true},
		{"eval", "C", false},
	} {
		if got := refused(tt.room, rooms[tt.room], tt.imports) == ""; got != tt.ok {
			t.Errorf("%s importing %s: allowed %v, want %v", tt.room, tt.imports, got, tt.ok)
		}
	}
}
