package compile

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"darwarp/eval/internal/cpu/emu"
)

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
