package gpu

import (
	"errors"
	"fmt"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// program is a candidate's loaded module. It is loaded again for the gate and for every timing, so
// that nothing a kernel kept in __device__ memory survives from one to the other.
type program struct {
	mod       cuda.Module
	functions map[string]cuda.Function
	images    []image
	hash      uint64 // of the images as they were loaded
	local     int    // bytes of local memory per thread that its most demanding kernel takes
}

func (s *Session) load(cubin []byte, calls []kernels.Call) (*program, error) {
	mod, err := s.drv.LoadModule(cubin)
	if err != nil {
		return nil, err
	}
	p := &program{mod: mod, functions: map[string]cuda.Function{}}
	if !s.watched {
		if err := s.images(p, cubin); err != nil {
			return p, err
		}
	}
	return p, s.functions(p, calls)
}

// functions finds the kernels of calls, and allows them the memory that they need.
func (s *Session) functions(p *program, calls []kernels.Call) (err error) {
	shared := map[string]int{}
	for _, c := range calls {
		for _, l := range everyLaunch(c) {
			shared[l.Entry] = max(shared[l.Entry], l.Smem)
			if p.functions[l.Entry] != 0 {
				continue
			}
			if p.functions[l.Entry], err = s.drv.Function(p.mod, l.Entry); err != nil {
				return fmt.Errorf("kernel %s: %w", l.Entry, err)
			}
		}
	}
	for entry, bytes := range shared {
		if err := s.allowShared(p.functions[entry], bytes); err != nil {
			return fmt.Errorf("kernel %s: %d bytes of dynamic shared memory: %w", entry, bytes, err)
		}
		if err := s.allowLocal(p, entry); err != nil {
			return err
		}
	}
	return nil
}

// localShare is the part of the device's memory that local memory may take, the stack and the spilled registers of
// all threads that the device holds at once. The driver sets it aside at a first launch, however few threads that
// has: for 480 KiB a thread 116 GiB of an H200.
const localShare = 1.0 / 16

// allowLocal looks at what a kernel's threads keep in local memory before anything is launched.
func (s *Session) allowLocal(p *program, entry string) error {
	local, err := s.drv.FuncAttr(p.functions[entry], cuda.FuncLocalSize)
	if err != nil {
		return err
	}
	p.local = max(p.local, local)
	return tooMuchLocal(s.dev, entry, local)
}

// tooMuchLocal is a refusal, or nil.
func tooMuchLocal(d kernels.Device, entry string, local int) error {
	threads, most := d.SMs*d.ThreadsPerSM, int(localShare*float64(d.MemoryBytes))
	if local*threads <= most {
		return nil
	}
	return refusal(fmt.Sprintf("kernel %s: %d bytes of local memory per thread are %d MiB "+
		"for the %d threads that %s holds at once, at most %d MiB",
		entry, local, local*threads>>20, threads, d.Name, most>>20))
}

// allowShared opts in to more dynamic shared memory than a block gets unasked.
func (s *Session) allowShared(f cuda.Function, bytes int) error {
	const unasked = 48 << 10
	static, err := s.drv.FuncAttr(f, cuda.FuncSharedSize)
	if err != nil || static+bytes <= unasked {
		return err
	}
	return s.drv.SetFuncAttr(f, cuda.FuncMaxDynamicShared, bytes)
}

func (s *Session) unload(p *program) error {
	if p == nil || p.mod == 0 {
		return nil
	}
	return errors.Join(s.drv.UnloadModule(p.mod), s.releaseLocal(p))
}

// keptLocal is how many bytes of local memory per thread may stay set aside between candidates.
const keptLocal = 4 << 10

// releaseLocal takes back what the driver has set aside for a program's local memory, which it keeps otherwise, from
// our own buffers too. Setting the limit of the stack does it: launches raise it to what they need.
func (s *Session) releaseLocal(p *program) error {
	if p.local <= keptLocal {
		return nil
	}
	return s.drv.SetLimit(cuda.LimitStackSize, s.stackLimit)
}

// resources asks the driver what each kernel of a call takes.
func (s *Session) resources(p *program, call kernels.Call) ([]kernels.Resources, error) {
	var out []kernels.Resources
	for _, l := range call.Launches {
		f := p.functions[l.Entry]
		r := kernels.Resources{Entry: l.Entry, DynamicSmem: l.Smem}
		var err error
		if r.Registers, err = s.drv.FuncAttr(f, cuda.FuncRegisters); err != nil {
			return nil, err
		}
		if r.StaticSmem, err = s.drv.FuncAttr(f, cuda.FuncSharedSize); err != nil {
			return nil, err
		}
		if r.Stack, err = s.drv.FuncAttr(f, cuda.FuncLocalSize); err != nil {
			return nil, err
		}
		size := l.Block[0] * l.Block[1] * l.Block[2]
		if r.BlocksPerSM, err = s.drv.MaxActiveBlocks(f, size, l.Smem); err != nil {
			return nil, err
		}
		r.Occupancy = float64(r.BlocksPerSM*size) / float64(s.dev.ThreadsPerSM)
		out = append(out, r)
	}
	return out, nil
}

// work is one call of a contender on one arena, ready to be put into the stream.
type work struct {
	zeros    []zone
	launches []*cuda.Launch
	library  func() error
	persists bool // a launch has an L2 access window
}

func dim(v [3]int) cuda.Dim3 {
	return cuda.Dim3{X: uint32(v[0]), Y: uint32(v[1]), Z: uint32(v[2])}
}

// bind gives a call its pointers. scratch is where its scratch buffers were placed, in order, and packed what was
// prepared for it, nil where nothing was.
func (s *Session) bind(p *program, call kernels.Call, c *device.Case, a, scratch *arena, packed *packing) (
	*work, error) {
	at := map[string]cuda.Ptr{}
	for i, b := range c.Buffers {
		at[b.Name] = a.at[i]
	}
	if err := addPacked(at, call, packed); err != nil {
		return nil, err
	}
	w := &work{}
	for i, sc := range call.Scratch {
		at[sc.Name] = scratch.at[i]
		if sc.Zero {
			w.zeros = append(w.zeros, zone{scratch.at[i], sc.Bytes})
		}
	}
	for _, l := range call.Launches {
		launch, err := s.bindLaunch(p, l, c, a, at)
		if err != nil {
			return nil, err
		}
		w.launches = append(w.launches, launch)
		w.persists = w.persists || launch.Window.Bytes > 0
	}
	return w, nil
}

// bindLaunch gives one launch its shape, its window and its arguments. at is where the buffers are, by name.
func (s *Session) bindLaunch(p *program, l kernels.Launch, c *device.Case, a *arena, at map[string]cuda.Ptr) (
	*cuda.Launch, error) {
	launch := &cuda.Launch{Func: p.functions[l.Entry], Grid: dim(l.Grid), Block: dim(l.Block), Shared: uint32(l.Smem)}
	if l.Cluster != [3]int{1, 1, 1} {
		launch.Cluster = dim(l.Cluster)
	}
	if len(l.Window) > 0 {
		launch.Window = s.window(l.Window, c, a)
	}
	maps, err := s.tensorMaps(l, c, a)
	if err != nil {
		return nil, err
	}
	for _, x := range l.Args {
		if err := addArg(&launch.Args, x, at, maps); err != nil {
			return nil, err
		}
	}
	return launch, nil
}

// addArg adds an argument: the address of a buffer, a copy of a map, or a number.
func addArg(args *cuda.Args, x kernels.Arg, at map[string]cuda.Ptr, maps map[string]cuda.TensorMap) error {
	switch x.Kind {
	case "tensor", "scratch":
		v, ok := at[x.Name]
		if !ok {
			return fmt.Errorf("argument %s: no such buffer", x.Name)
		}
		args.Ptr(v)
	case "tensor_map":
		m, ok := maps[x.Name]
		if !ok {
			return fmt.Errorf("argument %s: no such tensor map", x.Name)
		}
		args.Bytes(m[:], cuda.TensorMapAlign)
	case "i32":
		args.Int32(int32(x.Int))
	default:
		return fmt.Errorf("argument of unknown kind %q", x.Kind)
	}
	return nil
}

// put queues the work.
func (s *Session) put(w *work) error {
	for _, z := range w.zeros {
		if z.bytes > 0 {
			if err := s.drv.Memset8(z.at, 0, uint64(z.bytes), s.stream); err != nil {
				return err
			}
		}
	}
	if w.library != nil {
		return w.library()
	}
	for _, l := range w.launches {
		if err := s.drv.Start(l, s.stream); err != nil {
			return err
		}
	}
	return nil
}
