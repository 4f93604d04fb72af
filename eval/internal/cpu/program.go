package cpu

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"unsafe"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// program is a candidate's shared object. It is loaded again for the gate and for every timing, so
// that nothing a kernel kept in __device__ memory survives from one to the other.
type program struct {
	file    *os.File // in memory; the loader knows it by its path under /proc
	handle  uintptr
	run     uintptr // dw_run
	kernels map[string]uintptr
}

// loaded counts the programs of this process, whose file numbers start at firstNumber.
var loaded int

const (
	firstNumber = 100
	numbers     = 800 // the usual limit of open files is 1024
)

// abi is the version of the calling convention of dw_run that this file speaks.
const abi = 3

// load opens an image and looks up the kernels of the calls.
func load(image []byte, calls []kernels.Call) (*program, error) {
	p := &program{kernels: map[string]uintptr{}}
	if err := p.open(image); err != nil {
		return nil, errors.Join(err, p.unload())
	}
	for _, c := range calls {
		for _, l := range slices.Concat(c.Prepare, c.Launches) {
			at, err := purego.Dlsym(p.handle, l.Entry)
			if err != nil {
				return nil, errors.Join(&fault{Kind: "launch", Message: "no kernel " + l.Entry + " in the program"}, p.unload())
			}
			p.kernels[l.Entry] = at
		}
	}
	return p, nil
}

func (p *program) open(image []byte) error {
	fd, err := unix.MemfdCreate("darwarp-candidate", unix.MFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("memory for a candidate: %w", err)
	}
	// The loader knows what it has loaded by name: each program gets a number of its own.
	loaded++
	if own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, firstNumber+loaded%numbers); err == nil {
		_ = unix.Close(fd)
		fd = own
	}
	p.file = os.NewFile(uintptr(fd), "candidate")
	if _, err := p.file.Write(image); err != nil {
		return fmt.Errorf("memory for a candidate: %w", err)
	}
	if p.handle, err = purego.Dlopen(fmt.Sprintf("/proc/self/fd/%d", fd), purego.RTLD_NOW|purego.RTLD_LOCAL); err != nil {
		return &fault{Kind: "launch", Message: err.Error()}
	}
	version, err := purego.Dlsym(p.handle, "dw_abi")
	if err != nil {
		return err
	}
	if v, _, _ := purego.SyscallN(version); int32(v) != abi {
		return fmt.Errorf("the emulation speaks version %d, this is %d", int32(v), abi)
	}
	keep, err := purego.Dlsym(p.handle, "dw_keep_stacks")
	if err != nil {
		return err
	}
	purego.SyscallN(keep, uintptr(unsafe.Pointer(&stacks)), uintptr(len(stacks)))
	p.run, err = purego.Dlsym(p.handle, "dw_run")
	return err
}

// stacks are those of emulated threads, which programs hand on to each other. What a program finds on them another one
// has left, as on a GPU: a read of what was never written gives anything but zeros.
var stacks [256]struct {
	region uintptr
	room   uint64
}

func (p *program) unload() error {
	if p == nil {
		return nil
	}
	var err error
	if p.handle != 0 {
		err = purego.Dlclose(p.handle)
	}
	if p.file != nil {
		err = errors.Join(err, p.file.Close())
	}
	return err
}

// buffer is the C struct dw_buffer: a stretch of memory that a kernel may use.
type buffer struct {
	name     *byte
	base     uintptr
	bytes    uint64
	writable int32
	_        int32
}

// runOptions is the C struct dw_options.
type runOptions struct {
	seed     uint64 // of the order in which threads run
	races    int32  // check every access
	counters int32  // count bank conflicts and sectors
}

// launch is one kernel launch with its arguments as dw_run takes them: one word each.
type launch struct {
	entry                string
	kernel               uintptr
	grid, block, cluster [3]uint32
	smem                 uint32
	args                 []uint64
	maps                 []*tensorMap // that arguments point to
}

// work is one call of a candidate on one arena, ready to run.
type work struct {
	program  *program
	zeros    [][]byte // scratch that must be clear before every call
	launches []*launch
	buffers  []buffer
	sites    []kernels.Site // of the launches so far, with counters
	report   []byte
}

// bind gives a call its pointers. scratch is where its scratch buffers were placed, in order, and packed, which may be
// nil, what was prepared for it.
func (p *program) bind(call kernels.Call, c *device.Case, a, scratch *arena, packed *packing) (*work, error) {
	at := map[string]uintptr{}
	w := &work{program: p}
	for i, b := range c.Buffers {
		at[b.Name] = address(a.buffers[i])
		w.add(b.Name, a.buffers[i], b.Out)
	}
	for i, sc := range call.Scratch {
		at[sc.Name] = address(scratch.buffers[i])
		w.add(sc.Name, scratch.buffers[i], true)
		if sc.Zero {
			w.zeros = append(w.zeros, scratch.buffers[i])
		}
	}
	if packed != nil {
		for i, sc := range packed.call.Packed {
			at[sc.Name] = address(packed.arena.buffers[i])
		}
		packed.show(w, false)
	}
	for _, l := range call.Launches {
		x, err := p.bindLaunch(l, c, a, at)
		if err != nil {
			return nil, err
		}
		w.launches = append(w.launches, x)
	}
	return w, nil
}

// bindLaunch gives a launch its tensor maps and arguments. at are the buffers by name.
func (p *program) bindLaunch(l kernels.Launch, c *device.Case, a *arena, at map[string]uintptr) (*launch, error) {
	x := newLaunch(p, l)
	for _, m := range l.Maps {
		described, err := describe(m, c, a)
		if err != nil {
			return nil, err
		}
		x.maps = append(x.maps, described)
	}
	for _, arg := range l.Args {
		if err := x.add(arg, l.Maps, at); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// add appends an argument. at are the buffers, maps the launch's.
func (x *launch) add(arg kernels.Arg, maps []kernels.TensorMap, at map[string]uintptr) error {
	switch arg.Kind {
	case "tensor", "scratch":
		v, ok := at[arg.Name]
		if !ok {
			return fmt.Errorf("argument %s: no such buffer", arg.Name)
		}
		x.args = append(x.args, uint64(v))
	case "tensor_map":
		i := slices.IndexFunc(maps, func(m kernels.TensorMap) bool { return m.Name == arg.Name })
		if i < 0 {
			return fmt.Errorf("argument %s: no such tensor map", arg.Name)
		}
		x.args = append(x.args, x.maps[i].word())
	case "i32":
		x.args = append(x.args, uint64(uint32(int32(arg.Int))))
	default:
		return fmt.Errorf("argument of unknown kind %q", arg.Kind)
	}
	return nil
}

func newLaunch(p *program, l kernels.Launch) *launch {
	dim := func(v [3]int) [3]uint32 { return [3]uint32{uint32(v[0]), uint32(v[1]), uint32(v[2])} }
	return &launch{entry: l.Entry, kernel: p.kernels[l.Entry], grid: dim(l.Grid), block: dim(l.Block),
		cluster: dim(l.Cluster), smem: uint32(l.Smem)}
}

func (w *work) add(name string, mem []byte, writable bool) {
	text := append([]byte(name), 0)
	b := buffer{name: &text[0], base: address(mem), bytes: uint64(len(mem))}
	if writable {
		b.writable = 1
	}
	w.buffers = append(w.buffers, b)
}
