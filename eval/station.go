package eval

import (
	"context"
	"encoding/json"

	"darwarp/eval/env"
	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// CompileStation compiles candidates for devices of other machines.
type CompileStation struct{ *compile.Pool }

// OpenCompileStation starts compilers for an architecture, so many at once (0: one per core), in a sandbox. Headers are
// the device include library, and cache is a folder for what is compiled, or empty.
func OpenCompileStation(ctx context.Context, headers map[string][]byte, arch, cache string, jobs int,
	fence SandboxMode) (*CompileStation, error) {
	where := env.Locate()
	for _, f := range []env.Found{where.NVRTC, where.Headers} {
		if err := f.Missing(); err != nil {
			return nil, err
		}
	}
	// Whatever the search has, its sources come from afar.
	cfg := Config{Headers: headers, Means: Means{CacheDir: cache, Jobs: jobs}, Trust: Trust{Sandbox: fence, Foreign: true}}
	if err := cfg.CheckFence(); err != nil {
		return nil, err
	}
	pool, err := cfg.NVRTC(ctx, where, arch)
	if err != nil {
		return nil, err
	}
	return &CompileStation{pool}, nil
}

// Compile is what Compiled takes; nothing where the source does not compile.
func (s *CompileStation) Compile(ctx context.Context, source string) (json.RawMessage, error) {
	out, err := s.Pool.Compile(ctx, source)
	if err != nil || out.Failure != "" {
		return nil, err
	}
	return json.Marshal(out)
}

// Compiled has a candidate evaluated with what a CompileStation has made of its source, if that can be used.
func Compiled(ctx context.Context, made []byte) context.Context { return compile.With(ctx, made) }

// code compiles a candidate, and names its machine code with its launches.
func (p *Pool) code(ctx context.Context, job *kernels.Job) (string, error) {
	e := &verdict.Evaluation{Session: p.Session, Job: job, Again: true}
	if err := e.Steps(ctx, e.Resolve, e.Compile); err != nil {
		return "", err
	}
	return e.Res.Code, nil
}
