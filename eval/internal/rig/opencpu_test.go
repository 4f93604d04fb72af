package rig

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/eval/internal/sandbox"
	"darwarp/templates"
)

// TestCompilerElsewhere: a compiler that keeps its parts beside its own folder, as one installed with a prefix does,
// works within the sandbox; one with parts that nobody can guess works outside of it, and that is said.
func TestCompilerElsewhere(t *testing.T) {
	where := env.Locate()
	if where.CXX.Path == "" {
		t.Skip("COMPILERS OF UNUSUAL FOLDERS ARE NOT TESTED: no C++ compiler")
	}
	if !strings.Contains(sandbox.Here().String(), "landlock") {
		t.Skip("COMPILERS OF UNUSUAL FOLDERS ARE NOT TESTED: this kernel has no Landlock")
	}
	real := where.CXX.Path
	type test struct {
		parts string
		fails bool
	}
	tests := []test{{"lib", false}, {"elsewhere", true}}
	if i := os.Getpid() % 2; os.Getenv("DARWARP_SAMPLE") != "" { // each compiles the emulation of CUDA
		tests = tests[i : i+1]
	}
	for _, c := range tests {
		t.Run(c.parts, func(t *testing.T) {
			where := where
			where.CXX.Path = compilerIn(t, c.parts, real)
			var said []string
			p := &Rig{Cfg: Config{Means: Means{Where: &where, Jobs: 1, CacheDir: t.TempDir()},
				Trust:   Trust{Sandbox: sandbox.Best},
				Headers: templates.Include(), Listeners: Listeners{Progress: func(s string) { said = append(said, s) }}},
				Log: slog.New(slog.DiscardHandler)}
			if err := p.openCPU(t.Context(), where); err != nil {
				t.Fatal(err)
			}
			defer p.Compiler.Close()
			foreign := &Rig{Cfg: p.Cfg, Log: p.Log}
			foreign.Cfg.Foreign = true
			err := foreign.openCPU(t.Context(), where)
			defer foreign.Compiler.Close()
			if refused := new(*env.Error); errors.As(err, refused) != c.fails {
				t.Errorf("foreign sources: %v", err)
			}
			if outside := strings.Contains(strings.Join(said, "\n"), "outside"); outside != c.fails {
				t.Errorf("%q", said)
			}
			const source = `extern "C" __global__ void f(float *y) { y[threadIdx.x] = 0; }`
			if out, err := p.Compiler.Compile(context.Background(), source); err != nil || out.Failure != "" {
				t.Errorf("%v %s", err, out.Failure)
			}
		})
	}
}

// compilerIn is PREFIX/bin/g++ of a new PREFIX, which starts another program in a folder beside bin, as compilers do.
func compilerIn(t *testing.T, parts, real string) string {
	t.Helper()
	prefix := t.TempDir()
	for at, text := range map[string]string{"bin/g++": prefix + "/" + parts + "/real", parts + "/real": real} {
		at = filepath.Join(prefix, at)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte("#!/bin/sh\nexec "+text+" \"$@\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return prefix + "/bin/g++"
}
