package cpu

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// reportBytes is the room for what a launch has to tell: a fault, and hundreds of access sites.
const reportBytes = 256 << 10

// do runs the launches one after the other, each in a thread order of its own. The error is a *fault
// when the candidate did wrong.
func (w *work) do(o runOptions) error {
	for _, z := range w.zeros {
		clear(z)
	}
	for _, l := range w.launches {
		o.seed = rand.Uint64()
		if err := w.start(l, &o); err != nil {
			return err
		}
	}
	return nil
}

func (w *work) start(l *launch, o *runOptions) error {
	if w.report == nil {
		w.report = make([]byte, reportBytes)
	}
	// What the call is told lies in Go's heap, which does not move.
	r, _, _ := purego.SyscallN(w.program.run, l.kernel,
		uintptr(unsafe.Pointer(&l.grid)), uintptr(unsafe.Pointer(&l.block)), uintptr(unsafe.Pointer(&l.cluster)),
		uintptr(l.smem),
		uintptr(unsafe.Pointer(unsafe.SliceData(l.args))), uintptr(len(l.args)),
		uintptr(unsafe.Pointer(unsafe.SliceData(w.buffers))), uintptr(len(w.buffers)),
		uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(&w.report[0])), uintptr(len(w.report)))
	runtime.KeepAlive(w)
	runtime.KeepAlive(l)
	if int32(r) == 0 && o.counters == 0 {
		return nil
	}
	text, _, _ := bytes.Cut(w.report, []byte{0})
	told := struct {
		fault
		Sites []kernels.Site `json:"sites"`
	}{}
	if err := json.Unmarshal(text, &told); err != nil {
		return fmt.Errorf("kernel %s: report %.200q: %w", l.entry, text, err)
	}
	if int32(r) != 0 {
		return &told.fault
	}
	for i := range told.Sites {
		told.Sites[i].File = filepath.Base(told.Sites[i].File)
	}
	w.sites = append(w.sites, told.Sites...)
	return nil
}

// fault is what a kernel did wrong, as the emulation reports it.
type fault struct {
	Kind    string  `json:"kind"` // race, divergence, out_of_bounds, uninitialised, deadlock, trap ...
	Message string  `json:"message"`
	File    string  `json:"file"`
	Line    int     `json:"line"`
	Threads []place `json:"threads"` // the one at fault, then the other that it met
}

// place is one thread's part in a fault.
type place struct {
	Block  [3]int `json:"block"`
	Thread [3]int `json:"thread"`
	Access string `json:"access"`
	File   string `json:"file"`
	Line   int    `json:"line"`
}

func (f *fault) Error() string {
	s := f.Kind + ": " + f.Message
	if f.Line > 0 {
		s = fmt.Sprintf("%s:%d: %s", filepath.Base(f.File), f.Line, s)
	}
	for i, t := range f.Threads {
		if i == 0 {
			s += fmt.Sprintf(" (block %d,%d,%d)", t.Block[0], t.Block[1], t.Block[2])
		} else if t.Line > 0 {
			s += fmt.Sprintf("; the other %s at %s:%d", t.Access, filepath.Base(t.File), t.Line)
		}
	}
	return s
}

// blame turns a fault into the candidate's; anything else stays our error.
func blame(where string, err error) (*device.Fault, error) {
	var f *fault
	if !errors.As(err, &f) {
		return nil, err
	}
	return &device.Fault{Case: where, Text: f.Error(), Launch: f.Kind == "launch"}, nil
}
