package cuda

import (
	"fmt"
	"runtime"
	"unsafe"

	"darwarp/eval/internal/dl"
)

// Dim3 is a size in blocks or threads.
type Dim3 struct{ X, Y, Z uint32 }

// Size is X*Y*Z.
func (d Dim3) Size() uint64 { return uint64(d.X) * uint64(d.Y) * uint64(d.Z) }

// Launch is one way to start one kernel, prepared once and started any number of times without
// allocating. Change fields and arguments only between starts, and use it by pointer.
type Launch struct {
	Func        Function
	Grid        Dim3   // blocks; with a cluster, a multiple of it
	Block       Dim3   // threads
	Cluster     Dim3   // blocks per cluster; zero for none
	Shared      uint32 // dynamic shared memory in bytes
	Cooperative bool   // all blocks run at once, so that the grid may synchronize
	Window      AccessWindow
	Args        Args

	frame  [11]uintptr
	config launchConfig
	attrs  [3]launchAttr
}

// AccessWindow asks the L2 cache to keep a range of memory for the launch. The zero window asks for nothing.
type AccessWindow struct {
	Base     Ptr
	Bytes    uint64  // at most the device's MaxAccessPolicyWindow
	HitRatio float32 // part of the range, 0 to 1, that is to persist
}

// launchConfig is CUlaunchConfig.
type launchConfig struct {
	grid, block Dim3
	shared      uint32
	stream      uintptr
	attrs       unsafe.Pointer
	numAttrs    uint32
}

// launchAttr is CUlaunchAttribute: an id and a union of 64 bytes.
type launchAttr struct {
	id    uint32
	_     uint32
	value [64]byte
}

// accessPolicyWindow is CUaccessPolicyWindow.
type accessPolicyWindow struct {
	base     uint64
	bytes    uint64
	hitRatio float32
	hitProp  uint32
	missProp uint32
}

// CUlaunchAttributeID
const (
	attrAccessPolicyWindow = 1
	attrCooperative        = 2
	attrClusterDimension   = 4
)

// CUaccessProperty
const (
	accessStreaming  = 1
	accessPersisting = 2
)

// Start puts the launch into the stream. An error is about the launch itself; a fault of the kernel is reported by a
// later call, usually the next one that waits.
func (d *Driver) Start(l *Launch, s Stream) error {
	if l.plain() {
		l.frame = [11]uintptr{uintptr(l.Func),
			uintptr(l.Grid.X), uintptr(l.Grid.Y), uintptr(l.Grid.Z),
			uintptr(l.Block.X), uintptr(l.Block.Y), uintptr(l.Block.Z),
			uintptr(l.Shared), uintptr(s), l.Args.params(), 0}
		return d.startFrame(d.p.LaunchKernel, l, l.frame[:])
	}
	if !d.p.LaunchKernelEx.Ok() {
		return fmt.Errorf("%s: %w", d.p.LaunchKernelEx.Name, dl.ErrNoSymbol)
	}
	l.prepare(s)
	l.frame = [11]uintptr{uintptr(unsafe.Pointer(&l.config)), uintptr(l.Func), l.Args.params(), 0}
	return d.startFrame(d.p.LaunchKernelEx, l, l.frame[:4])
}

// startFrame keeps l, and with it the arguments and the configuration, alive through the call. l is
// on the heap: its configuration points to its attributes.
func (d *Driver) startFrame(p dl.Proc, l *Launch, frame []uintptr) error {
	code := p.CallFrame(frame)
	runtime.KeepAlive(l)
	return d.check(p, code)
}

func (l *Launch) plain() bool {
	return l.Cluster.Size() <= 1 && !l.Cooperative && l.Window.Bytes == 0
}

// prepare fills the configuration and its attributes.
func (l *Launch) prepare(s Stream) {
	n := 0
	next := func(id uint32) unsafe.Pointer {
		l.attrs[n] = launchAttr{id: id}
		n++
		return unsafe.Pointer(&l.attrs[n-1].value)
	}
	if l.Cluster.Size() > 1 {
		*(*Dim3)(next(attrClusterDimension)) = l.Cluster
	}
	if l.Cooperative {
		*(*int32)(next(attrCooperative)) = 1
	}
	if w := l.Window; w.Bytes > 0 {
		*(*accessPolicyWindow)(next(attrAccessPolicyWindow)) = accessPolicyWindow{
			base: uint64(w.Base), bytes: w.Bytes, hitRatio: w.HitRatio, hitProp: accessPersisting, missProp: accessStreaming}
	}
	l.config = launchConfig{grid: l.Grid, block: l.Block, shared: l.Shared, stream: uintptr(s),
		attrs: unsafe.Pointer(&l.attrs[0]), numAttrs: uint32(n)}
}

// MaxActiveClusters is how many clusters of the launch the whole GPU holds at once; 0 means that it cannot be
// launched like this.
func (d *Driver) MaxActiveClusters(l *Launch) (int, error) {
	if !d.p.MaxActiveClusters.Ok() {
		return 0, fmt.Errorf("%s: %w", d.p.MaxActiveClusters.Name, dl.ErrNoSymbol)
	}
	l.prepare(0)
	var n int32
	err := d.call(d.p.MaxActiveClusters, uintptr(unsafe.Pointer(&n)), uintptr(l.Func), uintptr(unsafe.Pointer(&l.config)))
	return int(n), err
}
