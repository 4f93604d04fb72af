//go:build !nofleet

// Package remote joins the machines of a fleet: a search that waits for workers, and a worker that opens its devices
// for a search.
package remote

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/gatecheck"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval"
	"darwarp/eval/fleet"
	"darwarp/eval/fleet/broker"
	"darwarp/kernels"
	"darwarp/store"
)

// task is what a search tells its workers.
type task struct {
	About    store.Meta `json:"about"` // what a device is opened for
	GateTest bool       `json:"gate_test,omitempty"`
}

// Folder is where the fleet of a run has its keys.
func Folder(run string) string { return run + ".fleet" }

// Access is how to be let into a NATS that runs already.
type Access = broker.Access

// Place is where a search meets its workers: an address to listen at, or a NATS that runs already.
type Place struct {
	Listen string // HOST:PORT, or nats://HOST:PORT
	Access
}

// Check refuses what cannot be one.
func (p Place) Check() error {
	if err := p.CheckServer(p.Listen); err != nil {
		return exit.Usagef("--fleet: %v", err)
	}
	return nil
}

// Open opens a fleet for a session, beside a run's file, and waits for the first worker.
func Open(ctx context.Context, s *session.Session, w Want) (session.Opened, error) {
	data, err := json.Marshal(task{GateTest: w.GateTest, About: store.Meta{Version: session.Version(),
		Problem: s.Bundle.Problem.Name, Files: s.Bundle.Files, DType: s.DType, Workloads: s.Workloads,
		Goal: store.Goal{Objective: s.Objective}, Pins: s.Pins, Cache: s.Cache, Device: kernels.Device{Kind: w.Kind}}})
	if err != nil {
		return nil, err
	}
	f, err := fleet.Open(ctx, fleet.Config{Listen: w.At.Listen, Access: w.At.Access, Dir: Folder(w.Run),
		Task: data, About: s.Bundle.Problem.Name, Version: session.Version(), Cache: s.Cache, Device: w.Device,
		Unlike: func(i *fleet.Fleet) { w.Unlike(i) }, Say: w.Say})
	if err != nil { // a nil pointer would not be nil in it
		return nil, usage(err)
	}
	tolerateGarbage(ctx)
	return f, nil
}

// Options are how a worker joins.
type Options struct {
	session.Target
	URL string
	Access
	Name        string          // empty: made from the machine's
	CompileOnly bool            // this machine has no GPU, or keeps it
	Now         <-chan struct{} // leave what is in flight to others
}

// Join works for a search until that ends, or ctx.
func Join(ctx context.Context, o Options, say func(string, ...any)) error {
	o.Device = "auto"
	if err := o.Check(); err != nil { // once it is connected, the search would be told
		return err
	}
	if err := o.CheckJoin(o.URL); err != nil {
		return exit.Usagef("%v", err)
	}
	if o.Name == "" {
		o.Name = name()
	}
	cfg := fleet.JoinConfig{URL: o.URL, Access: o.Access, Name: o.Name, Version: session.Version(), Say: say,
		Now:  o.Now,
		Open: func(ctx context.Context, data []byte) (*fleet.Station, error) { return open(ctx, o.Target, data, say) }}
	if o.CompileOnly {
		cfg.OpenCompiler = func(ctx context.Context, data []byte, arch string) (*fleet.Station, error) {
			return openCompiler(ctx, o.Target, data, arch, say)
		}
	}
	return usage(fleet.Join(ctx, cfg))
}

// usage has a mistake in what was typed or configured end with the exit code of one.
func usage(err error) error {
	var m *broker.Mistake
	if errors.As(err, &m) {
		return &exit.Error{Code: exit.Usage, Err: err}
	}
	return err
}

// name is one that no other worker has: several may be on a machine.
func name() string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	host, _, _ = strings.Cut(host, ".")
	host = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '-'
	}, host)
	return fmt.Sprintf("%s-%s", host[:min(len(host), 40)], strings.ToLower(rand.Text()[:6]))
}

// open opens this machine's devices for what a search says. It comes from afar, and is admitted as a run is.
func open(ctx context.Context, t session.Target, data []byte, say func(string, ...any)) (*fleet.Station, error) {
	of, err := readTask(data)
	if err != nil {
		return nil, err
	}
	s, err := session.OpenTask(ctx, of.About, t, say)
	if err != nil {
		return nil, err
	}
	if of.GateTest {
		if err := gatecheck.Prove(ctx, t, s, say); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return &fleet.Station{Evaluator: s.Evaluator, Problem: s.Bundle.Problem, Compiled: eval.Compiled, Close: s.Close}, nil
}

// openCompiler opens this machine's compiler for an architecture that other machines have.
func openCompiler(ctx context.Context, t session.Target, data []byte, arch string, say func(string, ...any)) (
	*fleet.Station, error) {
	of, err := readTask(data)
	if err != nil {
		return nil, err
	}
	if of.About.Device.Kind != "cuda" {
		return nil, errors.New("the search is one of processors, which compile what they run: leave out --compile-only")
	}
	s, c, err := session.OpenCompiler(ctx, of.About, t, arch, say)
	if err != nil {
		return nil, err
	}
	return &fleet.Station{Compiler: c, Problem: s.Bundle.Problem, Close: c.Close}, nil
}

func readTask(data []byte) (of task, err error) {
	if err = json.Unmarshal(data, &of); err == nil {
		err = of.About.Admit()
	}
	if err != nil {
		return of, fmt.Errorf("what the search is about: %w", err)
	}
	return of, nil
}

// Serve keeps workers for several searches until ctx ends. dir is a private folder for keys.
func Serve(ctx context.Context, dir, listen string, say func(string, ...any)) error {
	if err := broker.CheckListen(listen); err != nil {
		return exit.Usagef("--listen: %v", err)
	}
	return usage(fleet.Serve(ctx, fleet.HubConfig{Listen: listen, Dir: dir, Version: session.Version(), Say: say}))
}

// Status is who is in a fleet.
type Status = fleet.Status

// AskStatus asks the search of a run who is in its fleet.
func AskStatus(ctx context.Context, run string) (Status, error) {
	s, err := fleet.AskStatus(ctx, Folder(run))
	return s, explained(run, err)
}

// Drain has a worker of a run's fleet finish what it does, and leave.
func Drain(ctx context.Context, run, worker string) error {
	return explained(run, fleet.Drain(ctx, Folder(run), worker))
}

func explained(run string, err error) error {
	if errors.Is(err, fleet.ErrNoFleet) {
		return exit.Usagef("%s: %v", run, err)
	}
	return usage(err)
}
