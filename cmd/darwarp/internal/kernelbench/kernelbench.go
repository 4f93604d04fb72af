// Package kernelbench runs many modules of PyTorch in a row, in files of KernelBench's format: each is imported,
// searched and measured, and what came of it is kept, so that a bench that was interrupted goes on where it was.
package kernelbench

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/importer"
	"darwarp/cmd/darwarp/internal/progress"
	"darwarp/cmd/darwarp/internal/search"
	"darwarp/eval"
	"darwarp/eval/env"
	"darwarp/eval/module"
	"darwarp/kernels"
)

// Bench says which modules are run, and how.
type Bench struct {
	search.Options                  // of each search: its budget, its device
	Dir            string           // of the modules
	Out            string           // folder of the results
	Import         importer.Request // what all modules have in common
	Problems       string           // folder of modules that were imported before; empty: there is none
	JSON           bool
}

// Outcome is how far a module came.
type Outcome string

// Outcomes.
const (
	Right   Outcome = "right"   // a right kernel was found
	Wrong   Outcome = "wrong"   // it was imported, and no kernel is right
	Refused Outcome = "refused" // it was not imported
	Failed  Outcome = "failed"  // something went wrong: it is run again by the next bench
)

// Problem is what came of one module.
type Problem struct {
	Name     string   `json:"name"`
	File     string   `json:"file"`
	SHA256   string   `json:"sha256"` // of the file
	Outcome  Outcome  `json:"outcome"`
	Why      string   `json:"why,omitempty"`
	Notes    []string `json:"notes,omitempty"`
	Verdicts int      `json:"verdicts"`
	Seconds  float64  `json:"seconds"` // that all of it took

	Spent map[string]float64 `json:"spent,omitempty"` // in what, s
	Found
}

// Found is what a search ended with.
type Found struct {
	Run       string             `json:"run,omitempty"` // the run's file
	Device    string             `json:"device,omitempty"`
	Precision string             `json:"precision,omitempty"` // of the kernels, and of what they are compared with
	Workloads []string           `json:"workloads,omitempty"`
	Champion  string             `json:"champion,omitempty"`
	Standing  kernels.Standing   `json:"standing,omitempty"` // the champion's, on trial
	NS        float64            `json:"ns,omitempty"`       // its time, of several workloads the geometric mean
	Speedups  map[string]float64 `json:"speedups,omitempty"` // by baseline that was measured
}

// steps are what is done with a module. Tests put others in their place.
type steps struct {
	imports func(ctx context.Context, path, dir string) (*importer.Made, error)
	search  func(stop *console.Interrupts, into *Problem, o search.Options) error
	say     func(string, ...any)
}

// Run runs all modules that have no result yet, and prints a table. Whatever a module does, the next one is run; what
// this machine lacks ends the bench.
func (b Bench) Run(stop *console.Interrupts, con *console.Console) error {
	if err := b.check(); err != nil {
		return err
	}
	found, err := list(b.Dir)
	if err != nil {
		return err
	}
	log, err := openLog(b.Out, b.settings())
	if err != nil {
		return err
	}
	r := &runner{Bench: b, log: log, con: con, steps: steps{imports: b.importModule, search: b.searchProblem,
		say: con.Sayf}}
	return errors.Join(r.all(stop, found), log.Close())
}

// check refuses what would fail with every module.
func (b Bench) check() error {
	switch {
	case b.Out == "":
		return exit.Usagef("-o is missing: name a folder for the results")
	case b.Budget.For <= 0:
		return exit.Usagef("--for %v: expected more than 0", b.Budget.For)
	case b.Budget.Evals < 0:
		return exit.Usagef("--evals %d: expected 1 or more, or leave it out", b.Budget.Evals)
	case b.Device == "replay":
		return exit.Usagef("--device replay: expected auto, cuda or cpu")
	}
	return cmp.Or(b.Target.Check(), b.Import.Check(), b.checkProblems())
}

// runner goes through the modules.
type runner struct {
	Bench
	steps
	log    *log
	con    *console.Console
	tested bool // a search has tested the gate
}

func (r *runner) all(stop *console.Interrupts, found []file) error {
	var results []Problem
	for i, f := range found {
		p, ok, err := r.one(stop, f, fmt.Sprintf("%d of %d", i+1, len(found)))
		if err != nil {
			return err
		}
		if !ok {
			r.say("Interrupted; %d of %d modules are done. The same command goes on.", i, len(found))
			return exit.Quietly(exit.Interrupted)
		}
		results = append(results, p)
	}
	if !r.JSON {
		r.table(results)
	}
	return nil
}

// one gives the result of one module, from the log where it is there. It is not ok where the user interrupted.
func (r *runner) one(stop *console.Interrupts, f file, which string) (p Problem, ok bool, err error) {
	data, readErr := files.Read(f.path, module.MaxSource)
	p = Problem{Name: f.name, File: filepath.Base(f.path), SHA256: fmt.Sprintf("%x", sha256.Sum256(data))}
	if done, ok := r.log.done(p); ok {
		return done, true, r.tell(done)
	}
	if stop.Soft.Err() != nil {
		return p, false, nil
	}
	r.say("%s: %s", which, f.name)
	start, watch := time.Now(), &progress.Watch{}
	if err = readErr; err == nil {
		err = r.try(stop, f, &p, watch)
	}
	if stop.Soft.Err() != nil {
		return p, false, nil
	}
	if err = p.judge(err); err != nil {
		return p, false, err
	}
	p.Seconds, p.Spent = time.Since(start).Seconds(), watch.End()
	return p, true, errors.Join(r.log.add(p), r.tell(p))
}

// try imports and searches a module, in a folder of its own that an earlier bench may have left.
func (r *runner) try(stop *console.Interrupts, f file, p *Problem, watch *progress.Watch) error {
	watch.Begin("import")
	home := filepath.Join(r.Out, f.name)
	if err := os.RemoveAll(home); err != nil {
		return err
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	dir := filepath.Join(home, f.name)
	ctx, cancel := context.WithTimeout(stop.Soft, importDeadline)
	defer cancel()
	made, err := r.imports(ctx, f.path, dir)
	if err != nil {
		if ctx.Err() != nil && stop.Soft.Err() == nil {
			err = &module.Refused{Why: fmt.Sprintf("to import it takes more than %v", importDeadline)}
		}
		return err
	}
	p.Notes = made.Notes
	o := r.Options
	o.Watch = watch
	o.Problem, o.Store, o.Then = dir, filepath.Join(home, f.name+".db"), made.Whole
	o.GateTest = o.GateTest && !r.tested
	for {
		if err := r.search(stop, p, o); err != nil {
			return err
		}
		r.tested = true
		if o.Then == "" || p.Champion == "" || stop.Soft.Err() != nil {
			return nil
		}
		o = o.Onward(o.Store)
		p.Found = Found{}
	}
}

// importDeadline bounds an import: a module has a minute for each of some forty cases.
const importDeadline = 10 * time.Minute

// judge turns what ended a module into its result. What no other module would do better with is an error.
func (p *Problem) judge(err error) error {
	var refused *module.Refused
	var missing *module.Missing
	var environment *env.Error
	switch {
	case errors.As(err, &missing):
		return exit.Environmentf("%s", missing.Why)
	case errors.As(err, &environment), errors.Is(err, eval.ErrGone):
		return err
	case errors.As(err, &refused):
		p.Outcome, p.Why = Refused, oneLine(refused.Why)
	case err != nil:
		p.Outcome, p.Why = Failed, oneLine(err.Error())
	case p.Champion == "":
		p.Outcome = Wrong
	default:
		p.Outcome = Right
	}
	return nil
}
