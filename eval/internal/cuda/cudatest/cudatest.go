// Package cudatest is a CUDA driver without a GPU, for tests of what drives one: device memory is the host's, and a
// few kernels run by their names. The candidates among them are copy(x, y, bytes), which copies x to y, uses, which is
// given scratch besides, and others that do something wrong: strays, mutates, leaves (something in scratch), errs (as
// often as BadEvery says) and fails (which costs the process its GPU). near takes a fifth longer for what was written
// since it has read it, as if that were in the other half of a cache, and keeps a tenth of the time where y is what it
// is to be.
package cudatest

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"darwarp/eval/internal/dl"
)

//go:embed testdata/driver.c
var source string

// Driver is one such driver, with a state of its own.
type Driver struct {
	Path  string // for cuda.Open
	procs struct {
		Log       dl.Proc `c:"fake_log"`
		Clear     dl.Proc `c:"fake_clear"`
		BadEvery  dl.Proc `c:"fake_bad_every"`
		SlowClock dl.Proc `c:"fake_slow_clock"`
		Idle      dl.Proc `c:"fake_idle"`
		Places    dl.Proc `c:"fake_places"`
	}
}

// New builds a driver, or skips the test where there is no C compiler.
func New(t testing.TB) *Driver {
	t.Helper()
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("WHAT DRIVES A GPU IS NOT TRIED WITHOUT ONE: no gcc")
	}
	dir := t.TempDir()
	d := &Driver{Path: filepath.Join(dir, "libcuda.so")}
	file := filepath.Join(dir, "driver.c")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-O3", "-o", d.Path, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lib, err := dl.Open(d.Path)
	if err == nil {
		err = lib.Bind(&d.procs)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Log is what was done since the last call, a line each: what was launched with how many blocks, copied and waited for.
func (d *Driver) Log() []string {
	text := d.procs.Log.CallString()
	d.procs.Clear.Call()
	return strings.Fields(strings.ReplaceAll(strings.ReplaceAll(text, " ", "_"), "\n", " "))
}

// Idle has kernels do nothing from now on: what is left is what it costs to launch them.
func (d *Driver) Idle() { d.procs.Idle.Call(1) }

// BadEvery has every n-th call of errs give a wrong output, counted from now on; 0: none.
func (d *Driver) BadEvery(n int) { d.procs.BadEvery.Call(uintptr(n)) }

// SlowClock has the SM clock fall from 1980 to 1000 MHz after so many samples from now on.
func (d *Driver) SlowClock(samples int) { d.procs.SlowClock.Call(uintptr(samples)) }

// Places has it cost ns a call more where a module or a graph lies at each place but the first, where scratch is in
// every other piece of memory, and for a few launches after a module was loaded. A place that is free is given to who
// comes next: the lowest of them, or with last the one that was given back last.
func (d *Driver) Places(last bool, ns int) {
	policy := uintptr(0)
	if last {
		policy = 1
	}
	d.procs.Places.Call(policy, uintptr(ns))
}
