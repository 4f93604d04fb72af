package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"darwarp/kernels"
)

// Machines without a GPU compile. What they make goes with the candidate to a worker with one, which looks at it as at
// an entry of its own cache, and runs it in the sandbox. What does not compile, or fails as it was compiled there, is
// compiled again by the worker that judges it. Duels, trials and the final measurement take machine code that their own
// worker has compiled.

// Compiler is what a machine without a GPU opens for a search.
type Compiler interface {
	// Toolchain names the compiler with its options: where it is a device's, so is the machine code.
	Toolchain() string
	Slots() int
	// Compile is what a worker's Station.Compiled takes. The error says why there is nothing.
	Compile(ctx context.Context, source string) (json.RawMessage, error)
}

// compileQueue is the queue that machines without a GPU take from.
func compileQueue(session string) string { return "compile-" + session }

// compileFirst has a candidate compiled, where somebody is there for that. Without machine code the worker that judges
// it compiles it.
func (f *Fleet) compileFirst(ctx context.Context, j *job) (by *member) {
	none := f.roster.noCompiler()
	if none == nil || len(j.Bar) == 0 { // what has no bar is the naive start, which its worker keeps for duels
		return nil
	}
	a, err := f.post.ask(ctx, f.names.Compile(f.kind()), request{Do: doCompile, Jobs: []*job{j}}, none)
	by, err = f.answered(&a, err)
	if err != nil || len(a.Compiled) == 0 {
		return nil
	}
	j.Compiled = a.Compiled
	return by
}

// judge has a candidate judged by whichever worker is free first. What fails as another machine has compiled it is
// judged again as its worker compiles it: nobody's word makes a candidate fail.
func (f *Fleet) judge(ctx context.Context, j *job) (r kernels.Result, by, compiler *member, err error) {
	compiler = f.compileFirst(ctx, j)
	ask := func() (r kernels.Result, m *member, err error) {
		a, m, err := f.askAny(ctx, request{Do: doEvaluate, Jobs: []*job{j}})
		if err == nil {
			r, err = a.verdict(m.key)
		}
		return r, m, err
	}
	r, by, err = ask()
	if err != nil || compiler == nil || r.Outcome == kernels.OK {
		return r, by, compiler, err
	}
	code := r.Code
	j.Compiled = nil
	if r, by, err = ask(); err == nil && code != "" && r.Code != "" && r.Code != code {
		f.leaveOut(compiler, fmt.Sprintf("its machine code of %s is not that of %s", j.ID.Short(), by.name))
	}
	return r, by, nil, err
}

// recompile has a would-be champion compiled at home, if another machine has compiled it before. false: it was not the
// same, its verdict is of something else, and whoever compiled it is left out.
func (f *Fleet) recompile(ctx context.Context, j *kernels.Job) (same bool, err error) {
	h, ok := f.facts.helpOf(j.ID)
	if !ok {
		return true, nil
	}
	a, home, err := f.askHome(ctx, request{Do: doCode}, j)
	if err != nil {
		return false, err
	}
	f.facts.forgetHelp(j.ID)
	if a.Code == h.code {
		return true, nil
	}
	f.leaveOut(h.by, fmt.Sprintf("its machine code of %s is not that of %s", j.ID.Short(), home.name))
	return false, nil
}

// compile answers a request of a search that has GPUs elsewhere.
func (w *worker) compile(ctx context.Context, _ *request, jobs []*kernels.Job, a *answer) (err error) {
	a.Compiled, err = w.station.Compiler.Compile(ctx, jobs[0].Source)
	return err
}

// code is a candidate's machine code as this machine compiles it.
func (w *worker) code(ctx context.Context, _ *request, jobs []*kernels.Job, a *answer) (err error) {
	code := w.station.Capabilities().Code
	if code == nil {
		return errors.New("this device has no machine code")
	}
	a.Code, err = code(ctx, jobs[0])
	return err
}
