package fleet

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"darwarp/kernels"
)

// fakeCompiler makes "made " and the first line of the source, or what lie makes of it.
type fakeCompiler struct {
	toolchain string
	lie       func(source string) json.RawMessage
}

func (c *fakeCompiler) Toolchain() string { return c.toolchain }
func (c *fakeCompiler) Slots() int        { return 2 }

func (c *fakeCompiler) Compile(_ context.Context, source string) (json.RawMessage, error) {
	if c.lie != nil {
		return c.lie(source), nil
	}
	return encode("made " + codeOf(source)), nil
}

// withCompiler is a fleet of devices and a machine that compiles for them.
func withCompiler(t *testing.T, c *fakeCompiler, devices ...*fake) (*Fleet, *ground) {
	t.Helper()
	f, g := open(t, devices...)
	go Join(t.Context(), g.compiler(c))
	until(t, "the compiler", func() bool { return f.roster.noCompiler() != nil })
	return f, g
}

func (g *ground) compiler(c *fakeCompiler) JoinConfig {
	cfg := g.config(newFake("compiler"))
	cfg.OpenCompiler = func(_ context.Context, _ []byte, arch string) (*Station, error) {
		if arch != "sm_90a" {
			g.t.Errorf("compiles for %q", arch)
		}
		return &Station{Compiler: c, Problem: &kernels.Problem{}, Close: func() error { return nil }}, nil
	}
	return cfg
}

// stateOf is how the search knows a worker.
func stateOf(f *Fleet, name string) (s WorkerStatus) {
	for _, w := range f.roster.status(time.Now()).Workers {
		if w.Worker == name {
			s = w
		}
	}
	return s
}

// TestCompileOnly: candidates go to the device with what another machine has compiled; after that has left, the device
// compiles them.
func TestCompileOnly(t *testing.T) {
	a := newFake("a")
	f, g := withCompiler(t, &fakeCompiler{toolchain: "NVRTC 13.0"}, a)
	if d, err := f.Duel(t.Context(), candidate(1), candidate(2)); err != nil || d.Verdict != kernels.Faster {
		t.Errorf("%+v, %v", d, err)
	}
	asked(t, f, 1, 31)
	s := stateOf(f, "compiler")
	if s.Device != "compiles" || s.State != "ready" || s.Answers != 30 || a.here != 0 || len(a.seen) != 30 {
		t.Errorf("%+v; %d of %d compiled by the device", s, a.here, len(a.seen))
	}
	if len(f.Provenances()) != 1 || f.Capabilities().Machine(t.Context()).Queue != 0 {
		t.Errorf("%+v", f.Provenances())
	}
	if _, err := f.Evaluate(t.Context(), candidate(60)); err != nil || a.here != 1 {
		t.Errorf("the naive start, which fights as it was compiled, is compiled elsewhere: %v", err)
	}
	a.here = 0
	if err := Drain(t.Context(), g.dir, "compiler"); err != nil {
		t.Fatal(err)
	}
	until(t, "it leaves", func() bool { return stateOf(f, "compiler").State == "gone" })
	if r := asked(t, f, 40, 42); r[1].Outcome != kernels.OK || a.here != 2 {
		t.Errorf("%+v, %d compiled by the device", r, a.here)
	}
}

// TestOtherCompiler: machine code of another toolchain is another's.
func TestOtherCompiler(t *testing.T) {
	_, g := open(t, newFake("a"))
	err := Join(t.Context(), g.compiler(&fakeCompiler{toolchain: "NVRTC 11.8"}))
	if err == nil || !strings.Contains(err.Error(), "the fleet compiles with NVRTC 13.0, this worker with NVRTC 11.8") {
		t.Error(err)
	}
}

// TestCompilerLies: what another machine says of a candidate makes none fail and none reign, and whoever said it is
// left out; the device that judged it is not.
func TestCompilerLies(t *testing.T) {
	for name, lie := range map[string]func(string) json.RawMessage{
		"another candidate":  func(string) json.RawMessage { return encode("made source 3") },
		"what does not load": func(string) json.RawMessage { return encode("broken") },
	} {
		t.Run(name, func(t *testing.T) {
			a := newFake("a")
			c := &fakeCompiler{toolchain: "NVRTC 13.0"}
			f, _ := withCompiler(t, c, a)
			asked(t, f, 1, 3)
			c.lie = lie
			r := asked(t, f, 9, 10)[0]
			if r.Outcome != kernels.OK {
				t.Errorf("%+v", r)
			}
			d, err := f.Duel(t.Context(), candidate(1), candidate(9))
			if err != nil || d.Verdict != kernels.Faster { // by what home has compiled
				t.Errorf("%+v, %v", d, err)
			}
			if s := stateOf(f, "compiler"); s.State != "left out" || !strings.Contains(s.Why, "machine code") {
				t.Errorf("%+v", s)
			}
			if s := stateOf(f, "a"); s.State != "ready" {
				t.Errorf("%+v", s)
			}
		})
	}
}
