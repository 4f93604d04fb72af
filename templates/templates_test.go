package templates

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"darwarp/kernels"
)

func devices(t testing.TB) (out []kernels.Device) {
	t.Helper()
	for _, arch := range []string{"sm_80", "sm_90a"} {
		d, err := kernels.ArchDevice(arch)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, d)
	}
	return out
}

func scaffolded(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := Scaffold("mine")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// changed is the scaffold with one passage of a file replaced, or with a file of its own.
func changed(t testing.TB, file, old, new string) map[string][]byte {
	t.Helper()
	files := scaffolded(t)
	text := string(files[file])
	switch {
	case old == "":
		files[file] = []byte(new)
	case !strings.Contains(text, old):
		t.Fatalf("%q is not in %s", old, file)
	default:
		files[file] = []byte(strings.Replace(text, old, new, 1))
	}
	return files
}

func folder(files map[string][]byte) fstest.MapFS {
	dir := fstest.MapFS{}
	for n, data := range files {
		dir[n] = &fstest.MapFile{Data: data}
	}
	return dir
}

func mustBundle(t testing.TB, files map[string][]byte) *Bundle {
	t.Helper()
	b, err := FromFiles(files)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFromFilesMistakes(t *testing.T) {
	const tmpl = "fuse.cu.tmpl"
	without := func(name string) map[string][]byte {
		files := scaffolded(t)
		delete(files, name)
		return files
	}
	for _, c := range []struct {
		name  string
		files map[string][]byte
		want  string
	}{
		{"nothing", nil, "problem.toml: missing: a problem folder needs one (darwarp new NAME writes a folder to start " +
			"from)"},
		{"no reference", without("reference.cu"), `problem.toml: reference.file: no file "reference.cu" in the folder`},
		{"no template", without(tmpl), "fuse.toml: no template fuse.cu.tmpl beside it"},
		{"no family", without("fuse.toml"), "problem.toml: the folder has no family: expected NAME.toml with NAME.cu.tmpl"},
		{"syntax", changed(t, tmpl, `{{- if eq .grid "persistent"}}`, `{{- if eq .grid "persistent}}`),
			`fuse.cu.tmpl:81: unterminated quoted string`},
		{"no end", changed(t, tmpl, "{{- else}}\n    const long", "{{- else}}{{if .tile}}\n    const long"),
			"fuse.cu.tmpl:93: unexpected EOF"},
		{"unknown function", changed(t, tmpl, "{{.tile}}", "{{lower .tile}}"),
			`fuse.cu.tmpl:12: function "lower" not defined`},
		{"unknown partial", changed(t, tmpl, "using T", "{{template \"head\" .}}\nusing T"),
			`fuse.cu.tmpl:7:11: no template "head": expected a file _head.cu.tmpl, or a define`},
		{"two of a name", changed(t, "_fuse.cu.tmpl", "", "x"),
			"fuse.cu.tmpl: _fuse.cu.tmpl has the same name: rename one of them"},
		{"large", changed(t, "big.cu", "", strings.Repeat("x", maxFile+1)),
			"big.cu: 1048577 bytes: expected at most 1048576"},
		{"many unknown partials", changed(t, tmpl, "using T", strings.Repeat("{{template \"x\"}}\n", 60_000)+"using T"),
			strings.Join(missingFrom(7, 20), "\n")},
		{"a name with a blank", changed(t, "a b.toml", "", "x"), `a file's name: "a b.toml" is not a name of at most 128 ` +
			`letters, digits, '-', '_' and '.'`},
		{"a name for a terminal", changed(t, "\x1b[2J.cu", "", "x"), `a file's name: "\x1b[2J.cu" is not a name of at most ` +
			`128 letters, digits, '-', '_' and '.'`},
		{"a name elsewhere", changed(t, "../x.cu", "", "x"), `a file's name: "../x.cu" is not a name of at most 128 ` +
			`letters, digits, '-', '_' and '.'`},
		{"many files", many(t, maxFiles+1, 1), "problem.toml: 1030 files in all: expected at most 1024 with 33554432 bytes"},
		{"many bytes", many(t, 33, maxFile), "problem.toml: 38 files in all: expected at most 1024 with 33554432 bytes"},
		{"several files", changed(t, "other.toml", "", "arch = \"sm_80\""),
			"other.toml: gene: 0 declared: expected 1 to 64 [[gene]]\nother.toml: launch: missing: declare at least one " +
				"[[launch]]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := FromFiles(c.files)
			var ms kernels.Mistakes
			if !errors.As(err, &ms) || err.Error() != c.want {
				t.Errorf("got %T:\n%v\nwant:\n%s", err, err, c.want)
			}
		})
	}
}

// missingFrom are the mistakes of partials that a line and those after it ask for.
func missingFrom(line, n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("fuse.cu.tmpl:%d:11: no template \"x\": expected a file _x.cu.tmpl, or a define",
			line+i))
	}
	return all
}

// many adds files of a size to the scaffold.
func many(t *testing.T, n, size int) map[string][]byte {
	files := scaffolded(t)
	for i := range n {
		files[fmt.Sprintf("x%d.cu", i)] = make([]byte, size)
	}
	return files
}

// TestLoadHostile: what is in a folder besides a problem's files is not read, and not waited for.
func TestLoadHostile(t *testing.T) {
	hidden := folder(scaffolded(t))
	hidden[".#fuse.toml"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("who@where.17")}
	hidden["._reference.cu"] = &fstest.MapFile{Data: []byte("\x00")}
	if _, err := Load(hidden); err != nil {
		t.Errorf("hidden files: %v", err)
	}
	pipe := folder(scaffolded(t))
	pipe["more.cu"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	if _, err := Load(pipe); err == nil || err.Error() != "more.cu: expected a file" {
		t.Errorf("a pipe: %v", err)
	}
	crowd := fstest.MapFS{}
	for i := range maxEntries + 1 {
		crowd[fmt.Sprintf("notes%d", i)] = &fstest.MapFile{}
	}
	if _, err := Load(crowd); err == nil || !strings.Contains(err.Error(), "more than 16384 entries") {
		t.Errorf("a crowd: %v", err)
	}
	if _, err := Load(fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), "problem.toml: missing") {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestLoadReadsWhatItNeeds(t *testing.T) {
	dir := folder(scaffolded(t))
	dir["notes.txt"] = &fstest.MapFile{Data: []byte("x")}
	dir["old/fuse.toml"] = &fstest.MapFile{Data: []byte("nonsense")}
	b, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := "fuse.cu.tmpl fuse.toml problem.toml reference.cu"
	if got := strings.Join(b.names(func(string) bool { return true }), " "); got != want {
		t.Errorf("files %s, want %s", got, want)
	}
	again := mustBundle(t, b.Files) // a run's store keeps the files
	if again.Hash() != b.Hash() || again.Reference != b.Reference {
		t.Error("the bundle of the stored files differs")
	}
	dir["huge.cu"] = &fstest.MapFile{Data: make([]byte, maxFile+1)}
	if _, err := Load(dir); err == nil || err.Error() != "huge.cu: 1048577 bytes: expected at most 1048576" {
		t.Errorf("huge file: %v", err)
	}
}

func TestPartials(t *testing.T) {
	files := changed(t, "fuse.cu.tmpl", "using T", "{{template \"head\" .}}\n{{template \"inner\" .threads}}\nusing T")
	files["_head.cu.tmpl"] = []byte("// head of {{.threads}}{{define \"inner\"}}// inner {{.}}{{end}}")
	b := mustBundle(t, files)
	job, err := b.Job(b.Families[0], b.Families[0].Defaults(), devices(t)[0], kernels.FP16)
	if err != nil || !strings.Contains(job.Source, "\n// head of 256\n// inner 256\nusing T") {
		t.Errorf("%v\n%s", err, job.Source)
	}
}

// tried is how many points of each space are tried: DARWARP_SAMPLE, or as many as `darwarp check` tries.
func tried(t *testing.T) int {
	t.Helper()
	s := os.Getenv("DARWARP_SAMPLE")
	if s == "" {
		return checkSamples
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("DARWARP_SAMPLE=%s: expected a number", s)
	}
	return n
}

func TestBuiltins(t *testing.T) {
	if len(Builtins()) == 0 {
		t.Fatal("no built-in problem")
	}
	for _, name := range Builtins() {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // the spaces are large
			b, err := Builtin(name)
			if err != nil {
				t.Fatal(err)
			}
			if b.Problem.Name != name {
				t.Errorf("the problem calls itself %s", b.Problem.Name)
			}
			r := check(folder(b.Files), devices(t), tried(t))
			if !r.OK() {
				t.Errorf("%s", text(r))
			}
		})
	}
	for _, name := range []string{"nonsense", "", "../gemm", "."} {
		if _, err := Builtin(name); err == nil {
			t.Errorf("%q is a built-in problem", name)
		}
	}
}

// TestNaiveStarts: what every search begins with, the default of the first family, is legal at each workload and check
// shape: rules that read dims refuse no such point.
func TestNaiveStarts(t *testing.T) {
	for _, name := range Builtins() {
		b, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		sizes := slices.Clone(b.Problem.Check.Shapes)
		for _, w := range b.Problem.Workloads {
			sizes = append(sizes, w.Dims)
		}
		f := b.Families[0]
		for _, dev := range devices(t) {
			for _, d := range b.Problem.DTypes {
				for _, size := range sizes {
					if err := f.Check(f.Defaults(), dev, d, size); err != nil {
						t.Errorf("%s, family %s, %s %s at %s: %v", name, f.Name, dev.Arch, d, size, err)
					}
				}
			}
		}
	}
}

func TestIncludeHash(t *testing.T) {
	if IncludeHash() != hashFiles(Include()) || len(IncludeHash()) != 16 {
		t.Errorf("hash %s", IncludeHash())
	}
	files := Include()
	if files["darwarp/darwarp.cuh"] == nil {
		t.Fatalf("no darwarp/darwarp.cuh in the library: %v", maps.Keys(files))
	}
	for n := range files {
		files[n] = append(files[n], '\n')
		break
	}
	if hashFiles(files) == IncludeHash() {
		t.Error("a changed library has the same hash")
	}
	if hashFiles(map[string][]byte{"a": []byte("bc")}) == hashFiles(map[string][]byte{"ab": []byte("c")}) {
		t.Error("names and contents run together")
	}
}

func TestFamily(t *testing.T) {
	b := mustBundle(t, scaffolded(t))
	if f, err := b.Family("fuse"); err != nil || f.Name != "fuse" {
		t.Errorf("%v, %v", f, err)
	}
	if _, err := b.Family("split"); err == nil || err.Error() != `problem mine has no family "split": expected fuse` {
		t.Errorf("%v", err)
	}
}

// TestStarts: each point that a family says is likely to be fast is legal as it stands at one of the problem's
// workloads. A search would take the nearest legal point in its place, which nobody has chosen. But where outputs of
// one byte have no boxes, that is the same point without them.
func TestStarts(t *testing.T) {
	for _, name := range Builtins() {
		b, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range b.Families {
			for i, start := range f.Starts() {
				if name == "gemm_quantised" {
					start = withoutBoxes(start)
				}
				if err := legalSomewhere(b.Problem, f, start, devices(t)); err != nil {
					t.Errorf("%s, family %s: start[%d]: %v", name, f.Name, i, err)
				}
			}
		}
	}
}

// withoutBoxes is a start whose results go straight from registers to C.
func withoutBoxes(start kernels.Genome) kernels.Genome {
	out := maps.Clone(start)
	delete(out, "epilogue")
	delete(out, "store_buffers")
	return out
}

// startSizes are the workloads, and products that are no workloads: of long sums, of few rows and of some hundred.
func startSizes(p *kernels.Problem) (sizes []kernels.Dims) {
	for _, w := range p.Workloads {
		sizes = append(sizes, w.Dims)
	}
	if slices.Equal(p.DimNames, []string{"m", "n", "k"}) {
		for _, size := range [][]int{{64, 64, 65536}, {64, 6144, 4096}, {16, 4096, 14336}, {1, 4096, 4096}, {1, 2112, 7168},
			{128, 8192, 8192}, {64, 10240, 8192}, {64, 24576, 1536}, {32, 51200, 5120}, {32, 4096, 14336},
			{32, 8192, 28672}, {512, 7168, 2048}} {
			sizes = append(sizes, kernels.Dims{"m": size[0], "n": size[1], "k": size[2]})
		}
	}
	return sizes
}

// legalSomewhere gives the last reason why a point is legal nowhere.
func legalSomewhere(p *kernels.Problem, f *kernels.Family, g kernels.Genome, devices []kernels.Device) (err error) {
	for _, dev := range devices {
		for _, d := range p.DTypes {
			for _, size := range startSizes(p) {
				if err = f.Check(g, dev, d, size); err == nil {
					return nil
				}
			}
		}
	}
	return err
}
