package emu

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"darwarp/templates"
)

// toolchain is the machine's C++ compiler with the emulation unpacked, its prelude precompiled for both
// kinds of program, and the runtime compiled.
type toolchain struct {
	cxx, dir string
	failed   error
}

var (
	tools     toolchain
	toolsOnce sync.Once
)

func TestMain(m *testing.M) {
	code := m.Run()
	if tools.dir != "" {
		os.RemoveAll(tools.dir)
	}
	os.Exit(code)
}

// needCompiler gives the toolchain; without a compiler there is nothing to test.
func needCompiler(t testing.TB) *toolchain {
	t.Helper()
	toolsOnce.Do(func() { tools.failed = tools.setUp() })
	if errors.Is(tools.failed, exec.ErrNotFound) {
		t.Skipf("THE EMULATION IS NOT TESTED: no C++ compiler: %v", tools.failed)
	}
	if tools.failed != nil {
		t.Fatal(tools.failed)
	}
	return &tools
}

func (c *toolchain) setUp() (err error) {
	if c.cxx = os.Getenv("CXX"); c.cxx == "" {
		c.cxx = "g++"
	}
	if c.dir, err = os.MkdirTemp("", "emu"); err != nil {
		return err
	}
	for folder, set := range map[string]map[string][]byte{"emu": Files(), "lib": templates.Include()} {
		for name, data := range set {
			path := filepath.Join(c.dir, folder, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(path, data, 0o644); err != nil {
				return err
			}
		}
	}
	jobs := [][]string{append(c.options(false), "-Wall", "-Wextra", "-Werror", "-c", filepath.Join(c.dir, "emu", Runtime),
		"-o", c.path("runtime.o"))}
	for _, kind := range []string{"fast", "checked"} {
		prefix := c.path(kind + ".h")
		if err := os.WriteFile(prefix, []byte(Prefix), 0o644); err != nil {
			return err
		}
		jobs = append(jobs, append(c.options(kind == "checked"), "-x", "c++-header", prefix, "-o", prefix+".gch"))
	}
	for _, args := range jobs {
		if out, err := exec.Command(c.cxx, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s %s: %w\n%s", c.cxx, strings.Join(args, " "), err, out)
		}
	}
	return nil
}

func (c *toolchain) path(name string) string { return filepath.Join(c.dir, name) }

func (c *toolchain) options(checked bool) []string {
	opts := append(Options(strings.Contains(c.cxx, "clang")), "-I"+c.path("emu"), "-I"+c.path("lib"))
	if checked {
		opts = append(opts, CheckedOptions(strings.Contains(c.cxx, "clang"), true)...)
	}
	return opts
}

// compile makes a shared object of a source. The error is what the compiler says.
func (c *toolchain) compile(source, folder string, checked bool) (string, error) {
	kind := map[bool]string{false: "fast", true: "checked"}[checked]
	if err := os.WriteFile(filepath.Join(folder, "kernel.cu"), []byte(source), 0o644); err != nil {
		return "", err
	}
	object, image := filepath.Join(folder, "kernel.o"), filepath.Join(folder, kind+".so")
	args := append(c.options(checked), "-w", "-include", c.path(kind+".h"), "-x", "c++", "-c", "kernel.cu", "-o", object)
	for _, args := range [][]string{args,
		append([]string{"-shared", "-o", image, object, c.path("runtime.o")}, LinkOptions(source)...)} {
		cmd := exec.Command(c.cxx, args...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w\n%s", err, out)
		}
	}
	return image, nil
}

// program is a loaded shared object.
type program struct {
	handle, run uintptr
	seed        uint64
	races       bool
	counters    bool
	cluster     dim
}

func build(t testing.TB, source string, checked bool) *program {
	t.Helper()
	image, err := needCompiler(t).compile(source, t.TempDir(), checked)
	if err != nil {
		t.Fatal(err)
	}
	p := &program{races: checked, seed: 1, cluster: dim{1, 1, 1}}
	if p.handle, err = purego.Dlopen(image, purego.RTLD_NOW|purego.RTLD_LOCAL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := purego.Dlclose(p.handle); err != nil {
			t.Error(err)
		}
	})
	p.run = p.symbol(t, "dw_run")
	if v, _, _ := purego.SyscallN(p.symbol(t, "dw_abi")); v != 3 {
		t.Fatalf("ABI version %d", v)
	}
	return p
}

func (p *program) symbol(t testing.TB, name string) uintptr {
	t.Helper()
	at, err := purego.Dlsym(p.handle, name)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// threads sets how many OS threads share a launch.
func (p *program) threads(t testing.TB, n int) {
	purego.SyscallN(p.symbol(t, "dw_threads"), uintptr(n))
}

// memory is a buffer of a launch: 256-byte aligned, as on a GPU.
type memory struct {
	name     string
	bytes    []byte
	readOnly bool
}

func newMemory(name string, bytes int) *memory {
	raw := make([]byte, bytes+256)
	skip := -int(uintptr(unsafe.Pointer(&raw[0]))) & 255
	return &memory{name: name, bytes: raw[skip : skip+bytes : skip+bytes]}
}

func view[T any](m *memory) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(m.bytes))), len(m.bytes)/int(unsafe.Sizeof(zero)))
}

type (
	dim   [3]uint32
	place struct {
		Block, Thread [3]int
		Access, File  string
		Line          int
	}
	site struct {
		File, Space         string
		Line                int
		Accesses, Conflicts int
		SectorsPerRequest   float64 `json:"sectors_per_request"`
	}
	report struct {
		Kind, Message, File string
		Line                int
		Threads             []place
		Sites               []site
	}
)

func x(n int) dim { return dim{uint32(n), 1, 1} }

// cBuffer is a buffer that a kernel may reach, as the runtime has it.
type cBuffer struct {
	name     *byte
	base     uintptr
	bytes    uint64
	writable int32
	_        int32
}

// cArguments are a kernel's arguments, and what they point to.
type cArguments struct {
	slots   []uint64
	buffers []cBuffer
	maps    []*cTensorMap
}

func (c *cArguments) add(m *memory) uint64 {
	base := uintptr(unsafe.Pointer(unsafe.SliceData(m.bytes)))
	b := cBuffer{name: unsafe.StringData(m.name + "\x00"), base: base, bytes: uint64(len(m.bytes)), writable: 1}
	if m.readOnly {
		b.writable = 0
	}
	c.buffers = append(c.buffers, b)
	return uint64(base)
}

// passed are arguments as a launch passes them.
func passed(t testing.TB, args []any) *cArguments {
	t.Helper()
	c := &cArguments{}
	for _, a := range args {
		switch a := a.(type) {
		case *memory:
			c.slots = append(c.slots, c.add(a))
		case tensorMap:
			c.add(a.of)
			c.maps = append(c.maps, a.described())
			c.slots = append(c.slots, uint64(uintptr(unsafe.Pointer(c.maps[len(c.maps)-1]))))
		case int:
			c.slots = append(c.slots, uint64(uint32(int32(a))))
		default:
			t.Fatalf("argument of type %T", a)
		}
	}
	return c
}

// launch runs a kernel. Arguments are *memory, tensorMap or int.
func (p *program) launch(t testing.TB, entry string, grid, block dim, smem int, args ...any) report {
	t.Helper()
	c := passed(t, args)
	options := struct {
		seed            uint64
		races, counters int32
	}{p.seed, asInt(p.races), asInt(p.counters)}
	cluster, text := p.cluster, make([]byte, 1<<20)
	rc, _, _ := purego.SyscallN(p.run, p.symbol(t, entry), uintptr(unsafe.Pointer(&grid)), uintptr(unsafe.Pointer(&block)),
		uintptr(unsafe.Pointer(&cluster)), uintptr(smem), uintptr(unsafe.Pointer(unsafe.SliceData(c.slots))),
		uintptr(len(c.slots)),
		uintptr(unsafe.Pointer(unsafe.SliceData(c.buffers))), uintptr(len(c.buffers)), uintptr(unsafe.Pointer(&options)),
		uintptr(unsafe.Pointer(&text[0])), uintptr(len(text)))
	runtime.KeepAlive(args)
	runtime.KeepAlive(c)
	var r report
	end := strings.IndexByte(string(text), 0)
	if err := json.Unmarshal(text[:end], &r); err != nil {
		t.Fatalf("report %q: %v", text[:end], err)
	}
	if (int32(rc) != 0) != (r.Kind != "") {
		t.Fatalf("dw_run gave %d with the report %s", int32(rc), text[:end])
	}
	return r
}

func asInt(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// good is launch for a kernel that must not fault.
func (p *program) good(t testing.TB, entry string, grid, block dim, smem int, args ...any) report {
	t.Helper()
	r := p.launch(t, entry, grid, block, smem, args...)
	if r.Kind != "" {
		t.Fatalf("%s: %s:%d: %s: %s %+v", entry, r.File, r.Line, r.Kind, r.Message, r.Threads)
	}
	return r
}

func testdata(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
