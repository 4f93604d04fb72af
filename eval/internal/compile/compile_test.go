package compile

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"darwarp/eval/internal/proc"
	"darwarp/templates"
)

func compileOne(t testing.TB, p *Pool, source string) Output {
	t.Helper()
	out, err := p.Compile(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	if (out.Failure == "") != (len(out.Cubin) > 0) {
		t.Fatalf("%d bytes of machine code with failure %q", len(out.Cubin), out.Failure)
	}
	return out
}

func TestCompileGood(t *testing.T) {
	p := open(t, config(t))
	source := good()
	out := compileOne(t, p, source)
	if out.Failure != "" {
		t.Fatal(out.Failure)
	}
	if _, err := elf.NewFile(bytes.NewReader(out.Cubin)); err != nil {
		t.Error(err)
	}
	if len(out.Resources) != 1 || out.Resources[0].Entry != "tile" || out.Resources[0].Registers == 0 ||
		out.Resources[0].StaticSmem != 4096 {
		t.Errorf("resources %+v", out.Resources)
	}
	if len(out.Code) != 64 || out.Seconds <= 0 || out.Cached || !strings.Contains(out.Log, "Used") {
		t.Errorf("code %q, %v s, cached %v, log %q", out.Code, out.Seconds, out.Cached, out.Log)
	}
	if !strings.HasPrefix(p.Toolchain(), "NVRTC 1") {
		t.Errorf("toolchain %q", p.Toolchain())
	}
	if same := compileOne(t, p, "// renamed\n"+source); same.Code != out.Code {
		t.Error("a comment changed the hash of the machine code")
	}
	if other := compileOne(t, p, good()); other.Code == out.Code {
		t.Error("another constant left the hash of the machine code unchanged")
	}
}

const kernel = "extern \"C\" __global__ void k(float* x) { %s }\n"

func TestCompileFailures(t *testing.T) {
	p := open(t, config(t))
	tests := []struct {
		name, source string
		wants        []string
	}{
		{"syntax error", "#include <darwarp/darwarp.cuh>\n" + fmt.Sprintf(kernel, "int i = ;"),
			[]string{"candidate.cu(2): error: expected an expression"}},
		{"unknown name", fmt.Sprintf(kernel, "x[0] = nothing;"), []string{"error", `"nothing" is undefined`}},
		{"errors among warnings", fmt.Sprintf(kernel, strings.Repeat("{ int unused; }\n", 30)+"x[0] = nothing;"),
			[]string{`"nothing" is undefined`}},
		{"too much shared memory",
			fmt.Sprintf(kernel, "__shared__ float s[100000]; s[threadIdx.x] = x[0]; __syncthreads(); x[1] = s[5];"),
			[]string{"shared data"}},
		{"bad assembly", fmt.Sprintf(kernel, `asm volatile("no.such.instruction;");`), []string{"no"}},
		{"no kernel", "__device__ int f() { return 1; }", []string{"no kernel"}},
		{"empty", "", []string{"no kernel"}},
		{"foreign file", "#include \"/etc/passwd\"\n", []string{"line 1: only"}},
		{"misuse of the library", "#include <darwarp/darwarp.cuh>\n" + fmt.Sprintf(kernel, "x[0] = darwarp::twice(\"s\");"),
			[]string{"error"}},
		{"unbounded template", "template <int N> struct F { static constexpr int v = F<N + 1>::v; };\n" + fmt.Sprintf(kernel,
			"x[0] = F<0>::v;"), []string{"error"}},
		{"unbounded constant", "__device__ constexpr int f() { int i = 0; for (;;) ++i; return i; }\n" + fmt.Sprintf(kernel,
			"constexpr int v = f(); x[0] = v;"), []string{"error"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := compileOne(t, p, tt.source)
			t.Log(out.Failure)
			for _, want := range tt.wants {
				if !strings.Contains(out.Failure, want) {
					t.Errorf("failure lacks %q:\n%s", want, out.Failure)
				}
			}
			if strings.Contains(out.Failure, p.home.path) || strings.Contains(out.Log, p.home.path) ||
				strings.Contains(out.Failure, "root:") {
				t.Errorf("failure tells too much:\n%s\n%s", out.Failure, out.Log)
			}
			if n := strings.Count(out.Failure, "\n"); n >= 20 || len(out.Failure) > 4096 {
				t.Errorf("failure of %d lines, %d bytes", n+1, len(out.Failure))
			}
		})
	}
	if out := compileOne(t, p, good()); out.Failure != "" {
		t.Errorf("a good source after all that: %s", out.Failure)
	}
}

// bomb exhausts the compiler's time and memory: 2^N template instances.
const bomb = `template <int D, unsigned long I> struct T { static constexpr unsigned long v = T<D - 1, 2 * I>::v + T<D - 1, 2 * I + 1>::v; };
template <unsigned long I> struct T<0, I> { static constexpr unsigned long v = I; };
extern "C" __global__ void k(unsigned long* x) { x[0] = T<40, 1>::v; }
`

func TestCompileBomb(t *testing.T) {
	for _, tt := range []struct {
		name    string
		timeout time.Duration
		memory  uint64
		wants   []string
	}{
		{"meets the deadline", time.Second, 0, []string{"longer than 1s"}},
		{"meets the memory limit", time.Hour, 2 << 30, []string{"crashed", "gave up", "memory", "killed"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := config(t)
			cfg.Timeout, cfg.Memory = tt.timeout, tt.memory
			p := open(t, cfg)
			out := compileOne(t, p, bomb)
			t.Log(out.Failure, out.Seconds)
			if !slices.ContainsFunc(tt.wants, func(w string) bool { return strings.Contains(out.Failure, w) }) {
				t.Errorf("failure %q, want one with any of %q", out.Failure, tt.wants)
			}
			p.cap = time.Hour // a busy machine may take longer than the bomb was given
			if out := compileOne(t, p, good()); out.Failure != "" {
				t.Errorf("a good source after it: %s", out.Failure)
			}
		})
	}
}

// A source may need more than the heap of the precompiled headers; then it is compiled without them, which takes too
// long for this one.
func TestCompileOutgrowsHeap(t *testing.T) {
	cfg := config(t)
	cfg.Timeout = 6 * time.Second
	p := open(t, cfg)
	if out := compileOne(t, p, strings.Replace(bomb, "40", "16", 1)); strings.Contains(out.Failure, heapIsFull) {
		t.Error(out.Failure)
	}
}

func TestCompileMany(t *testing.T) {
	p := open(t, config(t))
	var wg sync.WaitGroup
	var mu sync.Mutex
	codes := map[string]bool{}
	for i := range 100 {
		wg.Go(func() {
			source, fails := good(), i%10 == 0
			if fails {
				source += "syntax error"
			}
			out, err := p.Compile(t.Context(), source)
			if err != nil || (out.Failure != "") != fails {
				t.Errorf("compile %d: %v, %s", i, err, out.Failure)
			}
			mu.Lock()
			codes[out.Code] = true
			mu.Unlock()
		})
	}
	wg.Wait()
	if len(codes) != 91 { // 90 kernels, and the failures' empty hash
		t.Errorf("%d hashes of machine code, want 91", len(codes))
	}
}

func TestCompileCache(t *testing.T) {
	cfg := config(t)
	cfg.CacheDir = t.TempDir()
	p := open(t, cfg)
	source, bad := good(), "syntax error"
	first, failed := compileOne(t, p, source), compileOne(t, p, bad)

	again := open(t, cfg)
	for _, tt := range []struct {
		source string
		want   Output
	}{{source, first}, {bad, failed}} {
		out := compileOne(t, again, tt.source)
		if !out.Cached || !bytes.Equal(out.Cubin, tt.want.Cubin) || out.Code != tt.want.Code ||
			out.Failure != tt.want.Failure || !slices.Equal(out.Resources, tt.want.Resources) {
			t.Errorf("cached %v, failure %q; want what the compiler said, %q", out.Cached, out.Failure, tt.want.Failure)
		}
	}

	if err := os.WriteFile(p.cache.path(p.key(source)), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := compileOne(t, again, source); out.Cached || !bytes.Equal(out.Cubin, first.Cubin) {
		t.Errorf("after damage: cached %v, %d bytes of machine code", out.Cached, len(out.Cubin))
	}
	if out := compileOne(t, again, source); !out.Cached {
		t.Error("the damaged entry was not replaced")
	}

	for name, change := range map[string]func(*Config){
		"architecture": func(c *Config) { c.Arch = "sm_80" },
		"library":      func(c *Config) { c.Headers = map[string][]byte{"darwarp/darwarp.cuh": []byte("// other")} },
	} {
		other := cfg
		change(&other)
		if (&Pool{cfg: other, compiler: p.compiler}).key(source) == p.key(source) {
			t.Errorf("another %s, the same key", name)
		}
	}
}

func TestCompileContext(t *testing.T) {
	p := open(t, config(t))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := p.Compile(ctx, bomb); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestNewFailures(t *testing.T) {
	temp := t.TempDir() // where nothing of others is, and nothing may stay
	t.Setenv("TMPDIR", temp)
	none := filepath.Join(t.TempDir(), "libnvrtc.so")
	tests := []struct {
		name   string
		change func(*Config)
		wants  string
	}{
		{"no library", func(c *Config) { c.Library = none }, none},
		{"not a library", func(c *Config) { c.Library = os.Args[0] }, ""},
		{"no headers", func(c *Config) { c.IncludeDirs = nil }, "cuda_fp16.h"},
		{"broken include library", func(c *Config) {
			c.Headers = map[string][]byte{preamble: []byte("#error broken")}
		}, "broken"},
		{"unknown architecture", func(c *Config) { c.Arch = "sm_1" }, "gpu-architecture"},
		{"header outside the library", func(c *Config) { c.Headers = map[string][]byte{"../x.cuh": nil} }, "outside"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg := config(t)
			tt.change(&cfg)
			p, err := New(t.Context(), cfg)
			if err == nil {
				p.Close()
			}
			if err == nil || !strings.Contains(err.Error(), tt.wants) {
				t.Errorf("error %v, want one with %q", err, tt.wants)
			}
		})
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q (%v)", left, err)
	}
}

func TestPrecompiledHeadersAreUsed(t *testing.T) {
	var log bytes.Buffer
	cfg := config(t)
	cfg.Slots, cfg.Log = 1, slog.New(slog.NewTextHandler(&log, nil))
	p := open(t, cfg)
	made, err := filepath.Glob(filepath.Join(p.home.path, "0", "pch", "*"))
	if p.plain || err != nil || len(made) != 1 {
		t.Fatalf("precompiled headers %q, %v; log: %s", made, err, log.String())
	}
	// A source with a different beginning compiles all the same. Those with and without all headers have one each.
	for range 2 {
		for _, source := range []string{"#define FIRST 1\n" + good(), "#define FIRST 1\n" + readySource(library)} {
			if out := compileOne(t, p, source); out.Failure != "" || strings.Contains(out.Log, "precompiled") {
				t.Errorf("failure %q, log %q", out.Failure, out.Log)
			}
		}
	}
	if after, _ := filepath.Glob(filepath.Join(p.home.path, "0", "pch", "*")); len(after) != 2 {
		t.Errorf("precompiled headers %q", after)
	}
}

// TestWake: before the first source each compiler has parsed what sources include, and what only those for Hopper do
// where they are to come.
func TestWake(t *testing.T) {
	for _, c := range []struct {
		hopper bool
		want   int
	}{{true, 2}, {false, 1}} {
		cfg := config(t)
		cfg.Slots, cfg.Arch, cfg.Headers = 2, "sm_90a", templates.Include()
		p := open(t, cfg)
		p.Wake(c.hopper)
		made := func(slot string) int {
			found, _ := filepath.Glob(filepath.Join(p.home.path, slot, "pch", "*.pch"))
			return len(found)
		}
		late := time.Now().Add(time.Minute)
		for ; made("0") < c.want || made("1") < c.want || p.Busy() > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(late) {
				t.Fatalf("Hopper %v: headers of %d and %d kinds are parsed, want %d", c.hopper, made("0"), made("1"), c.want)
			}
		}
		if made("0") > c.want || made("1") > c.want {
			t.Errorf("Hopper %v: headers of %d and %d kinds are parsed, want %d", c.hopper, made("0"), made("1"), c.want)
		}
	}
}

// TestKeptMemory: a compiler keeps what a compile has freed for the next one, which asks the kernel for fewer pages.
func TestKeptMemory(t *testing.T) {
	faults := map[string]int{}
	for _, without := range []string{"kept", ""} {
		cfg := config(t)
		cfg.Slots, cfg.without = 1, without
		p := open(t, cfg)
		compileOne(t, p, good())
		pid := workersOf(p)[0]
		before := minorFaults(pid)
		for range 5 {
			if out := compileOne(t, p, good()); out.Failure != "" {
				t.Fatal(out.Failure)
			}
		}
		faults[without] = minorFaults(pid) - before
	}
	if faults[""] >= faults["kept"] {
		t.Errorf("%d page faults in five compiles, %d where memory is given back", faults[""], faults["kept"])
	}
}

func TestCloseDuringCompile(t *testing.T) {
	cfg := config(t)
	p, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	var compiling sync.WaitGroup
	compiling.Go(func() {
		if _, err := p.Compile(t.Context(), bomb); !errors.Is(err, proc.ErrClosed) {
			t.Errorf("error %v, want %v", err, proc.ErrClosed)
		}
	})
	time.Sleep(200 * time.Millisecond)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	compiling.Wait()
	if _, err := os.Stat(p.home.path); !os.IsNotExist(err) {
		t.Errorf("%s was left behind: %v", p.home.path, err)
	}
}

// TestStartIsGivenUp: nobody waits for compilers that nobody wants any more, and nothing of them stays.
func TestStartIsGivenUp(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if p, err := New(ctx, config(t)); !errors.Is(err, enough) {
		t.Errorf("error %v, want %v", err, enough)
		p.Close()
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q (%v)", left, err)
	}
}
