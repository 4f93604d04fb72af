package eval

import (
	"context"
	"errors"
	"fmt"

	"darwarp/eval/env"
	"darwarp/eval/internal/compile"
)

// Cubin compiles a candidate's source for an architecture, outside of any search, and names the
// toolchain that did it. A source that does not compile is an error here.
func Cubin(ctx context.Context, headers map[string][]byte, arch, source string) (
	cubin []byte, toolchain string, err error) {
	p, err := oneCompiler(ctx, headers, arch)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	out, err := p.Compile(ctx, source)
	if err != nil {
		return nil, "", err
	}
	if out.Failure != "" {
		return nil, "", fmt.Errorf("does not compile for %s:\n%s", arch, out.Failure)
	}
	return out.Cubin, p.Toolchain(), nil
}

func oneCompiler(ctx context.Context, headers map[string][]byte, arch string) (*compile.Pool, error) {
	where := env.Locate()
	for _, f := range []env.Found{where.NVRTC, where.Headers} {
		if err := f.Missing(); err != nil {
			return nil, err
		}
	}
	return compile.New(ctx, compile.Config{Library: where.NVRTC.Path, IncludeDirs: where.Include, Headers: headers,
		Arch: arch, Slots: 1})
}

// NVCCFlags are what a source needs of nvcc beside -O3 and -arch to become the machine code that was
// measured: the assembler's level, if the source asks for one.
func NVCCFlags(source string) []string {
	if level := compile.Assembler(source); level != "" {
		return []string{"-Xptxas=" + level}
	}
	return nil
}

// CacheSize is how many bytes of compiled candidates are kept on disk.
const CacheSize = compile.UsualCache

// CacheUse is how many files a folder of compiled candidates has, and how many bytes they take. The error says why the
// folder is not used.
func CacheUse(dir string) (files int, bytes int64, err error) { return compile.CacheUse(dir) }
