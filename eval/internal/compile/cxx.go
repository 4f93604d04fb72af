package compile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"darwarp/eval/internal/cpu/emu"
	"darwarp/eval/internal/proc"
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
