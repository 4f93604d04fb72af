package compile

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"darwarp/eval/internal/cpu/emu"
	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// MainCXX is the main of a worker that compiles with the machine's C++ compiler for the cpu device. It takes the same
// requests as Main; its result is a shared object. The compiler is a process of its own for every source, in the
// worker's process group and under its limits.
func MainCXX(args []string) int {
	setup, folder, err := settle(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return proc.ExitInternal
	}
	s := &cxx{setup: setup, folder: folder}
	return proc.Main(s.handle)
}

// cxx is the state of such a worker.
type cxx struct {
	setup
	folder  string
	version string
	runtime string          // object file that every candidate is linked with
	ours    map[string]bool // functions outside of a candidate that its own text may call

	recent bool     // it knows the newer options of emu.CheckedOptions
	linker []string // options that choose a quicker linker, where there is one
}

func (s *cxx) handle(ctx context.Context, f proc.Frame, c *proc.Conn) error {
	var req request
	if err := f.Decode(&req); err != nil {
		return err
	}
	if err := limitCPU(); err != nil {
		return fmt.Errorf("limit the compiler: %w", err)
	}
	if s.version == "" {
		if err := s.meet(ctx); err != nil {
			return err
		}
	}
	reply := response{Compiler: s.version + ", emulation " + s.emulation()}
	start := time.Now()
	if req.Prepare {
		if reply.Failure = s.prepare(ctx, req.Source); reply.Failure != "" {
			return c.Reply(&reply)
		}
	}
	if err := s.compile(ctx, req.Source, &reply); err != nil {
		return err
	}
	reply.Seconds = time.Since(start).Seconds()
	return c.Reply(&reply)
}

func (s *cxx) clang() bool { return strings.Contains(s.version, "clang") }

// run runs the compiler in the work folder. The error holds only its exit status: its messages are in the text.
func (s *cxx) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.Library, args...)
	cmd.Dir = workDir(s.folder)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

func (s *cxx) prefixFile() string { return filepath.Join(pchDir(s.folder), "prefix.h") }

// common are the options that the emulation needs. Nobody reads the warnings, and the first errors are enough.
func (s *cxx) common() []string {
	most := "-fmax-errors=4"
	if s.clang() {
		most = "-ferror-limit=4"
	}
	return append(emu.Options(s.clang()), "-pipe", "-w", most, "-I"+overlayDir(s.folder), "-I"+includeDir(s.folder))
}

// candidateSpeed is the optimisation of candidates: -O2 takes a third longer to compile and runs a tenth faster, but
// a search spends more time compiling than running.
const candidateSpeed = "-O1"

// options are those of prefix and sources.
func (s *cxx) options() []string {
	opts := append(s.common(), candidateSpeed)
	if s.Checked {
		opts = append(opts, emu.CheckedOptions(s.clang(), s.recent)...)
	}
	return opts
}

// meet asks the compiler for its version, whether it is recent (emu.CheckedOptions), and whether
// it has gold, which links in half the time of the usual linker.
func (s *cxx) meet(ctx context.Context) error {
	out, err := s.run(ctx, "--version")
	if err != nil {
		return fmt.Errorf("%s: %w", s.Library, err)
	}
	s.version, _, _ = strings.Cut(out, "\n")
	_, err = s.run(ctx, append(emu.CheckedOptions(s.clang(), true), "-x", "c++", "-fsyntax-only", os.DevNull)...)
	s.recent = err == nil
	const gold = "-fuse-ld=gold"
	if _, err := s.run(ctx, "-shared", "-fPIC", gold, "-x", "c++", os.DevNull, "-o",
		filepath.Join(tempDir(s.folder), "nothing.so")); err == nil {
		s.linker = []string{gold}
	}
	return nil
}

// prepare precompiles what every source begins with and compiles the runtime. Functions that a program of ours calls
// are allowed to every program.
func (s *cxx) prepare(ctx context.Context, source string) (failure string) {
	if err := os.WriteFile(s.prefixFile(), []byte(emu.Prefix), 0o600); err != nil {
		return err.Error()
	}
	var broken string
	var building sync.WaitGroup
	building.Go(func() { broken = s.buildRuntime(ctx) })
	if s.PCH {
		if out, err := s.run(ctx,
			append(s.options(), "-x", "c++-header", s.prefixFile(), "-o", s.prefixFile()+".gch")...); err != nil {
			failure = "precompile: " + s.explain(out, err)
		}
	}
	building.Wait()
	if failure = cmp.Or(failure, broken); failure != "" {
		return failure
	}
	object, failure, err := s.object(ctx, source)
	if err == nil && failure != "" {
		return failure
	}
	if err = errors.Join(err, s.allow(object)); err != nil {
		return err.Error()
	}
	return ""
}

// buildRuntime compiles the runtime, or takes the result of another worker for the same text and compiler. Compiling
// takes seconds, during which the others wait for the first worker.
func (s *cxx) buildRuntime(ctx context.Context) (failure string) {
	shared := filepath.Join(cmp.Or(s.CacheDir, filepath.Dir(s.folder)), "runtime-"+s.runtimeKey()+".o")
	s.runtime = filepath.Join(pchDir(s.folder), "runtime.o")
	if s.takeRuntime(shared) {
		return ""
	}
	defer lock(ctx, shared+".lock")()
	if s.takeRuntime(shared) {
		return ""
	}
	if out, err := s.run(ctx,
		append(s.common(), "-c", filepath.Join(overlayDir(s.folder), emu.Runtime), "-o", s.runtime)...); err != nil {
		return emu.Runtime + ": " + s.explain(out, err)
	}
	// Shared completely or not at all; without it the next worker compiles again.
	mine := fmt.Sprintf("%s.%d", shared, os.Getpid())
	if data, err := os.ReadFile(s.runtime); err == nil && os.WriteFile(mine, data, 0o600) == nil {
		_ = os.Rename(mine, shared)
	}
	return ""
}

func (s *cxx) takeRuntime(shared string) bool {
	data, err := os.ReadFile(shared)
	return err == nil && os.WriteFile(s.runtime, data, 0o600) == nil
}

// lock waits until no other process has the file locked; a lock ends with its process. If files cannot be locked,
// every worker does the work itself.
func lock(ctx context.Context, path string) (unlock func()) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return func() {}
	}
	for syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == syscall.EWOULDBLOCK && ctx.Err() == nil {
		time.Sleep(20 * time.Millisecond)
	}
	return func() { f.Close() }
}

// runtimeKey names what decides the runtime's machine code. Options may say -march=native: the host's
// processor is part of Arch.
func (s *cxx) runtimeKey() string { return s.hash(s.Library, s.version, s.Arch, s.emulation()) }

// emulation names the state of the emulation: its files and how they are compiled.
func (s *cxx) emulation() string {
	parts := append(emu.Options(s.clang()), candidateSpeed)
	files := emu.Files()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		parts = append(parts, name, string(files[name]))
	}
	return s.hash(parts...)
}

func (s *cxx) hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:5])
}

// allow permits every source to call what the runtime has and what a program of ours needs.
func (s *cxx) allow(program string) error {
	s.ours = map[string]bool{}
	for _, object := range []string{program, s.runtime} {
		data, err := os.ReadFile(object)
		if err != nil {
			return err
		}
		undefined, defined, err := symbols(data)
		if err != nil {
			return err
		}
		if object != program {
			undefined = defined
		}
		for _, name := range undefined {
			s.ours[name] = true
		}
	}
	return nil
}

// object compiles a source to an object file. A failure is the source's.
func (s *cxx) object(ctx context.Context, source string) (path, failure string, err error) {
	if err := os.WriteFile(filepath.Join(workDir(s.folder), sourceName), []byte(source), 0o600); err != nil {
		return "", "", err
	}
	path = filepath.Join(tempDir(s.folder), "candidate.o")
	out, err := s.run(ctx, append(s.options(), "-include", s.prefixFile(), "-x", "c++", "-c", sourceName, "-o", path)...)
	if err != nil {
		return "", s.explain(out, err), ctx.Err()
	}
	return path, "", nil
}

// compile fills the reply. An error is our own fault; the source's is reply.Failure.
func (s *cxx) compile(ctx context.Context, source string, reply *response) error {
	if reply.Failure = usesAssembly(source); reply.Failure != "" {
		reply.Unsupported = true
		return nil
	}
	object, failure, err := s.object(ctx, source)
	if reply.Failure = failure; err != nil || failure != "" {
		reply.Unsupported = lacking.MatchString(failure)
		return err
	}
	data, err := os.ReadFile(object)
	if err != nil {
		return err
	}
	wants, err := foreign(data, s.ours)
	if err != nil {
		return err
	}
	shared := emu.DynamicShared(source) // bound by the linker
	wants = slices.DeleteFunc(wants, func(name string) bool { return slices.Contains(shared, name) })
	if len(wants) > 0 {
		reply.Failure, reply.Unsupported = "the cpu device does not have "+strings.Join(wants, ", "), true
		return nil
	}
	if reply.Failure, err = staticShared(data, source); err != nil || reply.Failure != "" {
		return err
	}
	kept, err := hostState(data)
	if err != nil {
		return err
	}
	reply.State = strings.Join(kept, ", ")
	return s.link(ctx, source, object, reply)
}

// link makes the shared object that a worker loads.
func (s *cxx) link(ctx context.Context, source, object string, reply *response) error {
	image := filepath.Join(tempDir(s.folder), "candidate.so")
	out, err := s.run(ctx, slices.Concat([]string{"-shared", "-o", image, object, s.runtime}, s.linker,
		emu.LinkOptions(source))...)
	if err != nil {
		reply.Failure = s.explain(out, err)
		return ctx.Err()
	}
	linked, err := os.ReadFile(image)
	if err != nil {
		return err
	}
	if reply.Failure = tooLarge("machine code and tables", uint64(len(linked))); reply.Failure != "" {
		return nil
	}
	reply.Cubin = linked
	reply.Code, err = hostCode(linked)
	return err
}

// lacking finds in the compiler's messages a name that CUDA has and the emulation does not: those of intrinsics and
// of CUDA's own namespaces.
var lacking = regexp.MustCompile(`'(__|nvcuda|cuda::)[^']*' (was not declared|has not been declared|is not a ` +
	`member)|is not a member of '(nvcuda|cuda)|undeclared identifier '__|attempt to use poisoned|not emulated`)

// explain is the beginning of the compiler's messages.
func (s *cxx) explain(out string, err error) string {
	const most = 20
	text := strings.TrimSpace(cleanLog(out,
		[]string{overlayDir(s.folder), includeDir(s.folder), pchDir(s.folder), workDir(s.folder), s.folder}))
	if text == "" {
		text = "the compiler gave up: " + err.Error()
	}
	lines := strings.Split(text, "\n")
	return kernels.CleanDetail(strings.Join(lines[:min(len(lines), most)], "\n"))
}

// notCode matches comments and literals, in which a word means nothing.
var (
	notCode  = regexp.MustCompile(`//[^\n]*|/\*(?s:.*?)\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`)
	assembly = regexp.MustCompile(`\b(asm|__asm|__asm__)\b`)
)

// usesAssembly names the line of the first inline PTX. It is for a readable message: the prelude poisons the words,
// so no use gets past it.
func usesAssembly(source string) string {
	blank := notCode.ReplaceAllStringFunc(source, func(s string) string {
		return strings.Repeat("\n", strings.Count(s, "\n")) + " "
	})
	if at := assembly.FindStringIndex(blank); at != nil {
		return fmt.Sprintf("%s:%d: inline PTX is not emulated: the cpu device runs what the device include library has a "+
			"function for", sourceName, lineOf(blank, at[0]))
	}
	return ""
}
