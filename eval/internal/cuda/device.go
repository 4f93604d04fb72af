package cuda

import (
	"fmt"
	"runtime"
	"unsafe"

	"darwarp/eval/internal/dl"
)

// Device is a GPU's index among the GPUs that the driver shows to this process.
type Device int32

// Attribute is a CUdevice_attribute.
type Attribute int32

// Device attributes. Sizes are bytes, clocks kHz, widths bits.
const (
	MaxThreadsPerBlock     Attribute = 1
	MaxBlockDimX           Attribute = 2
	MaxBlockDimY           Attribute = 3
	MaxBlockDimZ           Attribute = 4
	MaxGridDimX            Attribute = 5
	MaxGridDimY            Attribute = 6
	MaxGridDimZ            Attribute = 7
	SharedPerBlock         Attribute = 8
	WarpSize               Attribute = 10
	RegistersPerBlock      Attribute = 12
	ClockRate              Attribute = 13
	MultiprocessorCount    Attribute = 16
	KernelExecTimeout      Attribute = 17
	Integrated             Attribute = 18
	ComputeMode            Attribute = 20
	ECCEnabled             Attribute = 32
	MemoryClockRate        Attribute = 36
	MemoryBusWidth         Attribute = 37
	L2CacheSize            Attribute = 38
	ThreadsPerSM           Attribute = 39
	CapabilityMajor        Attribute = 75
	CapabilityMinor        Attribute = 76
	SharedPerSM            Attribute = 81
	RegistersPerSM         Attribute = 82
	CooperativeLaunch      Attribute = 95
	SharedPerBlockOptin    Attribute = 97
	VirtualMemory          Attribute = 102
	FileHandles            Attribute = 103
	BlocksPerSM            Attribute = 106
	MaxPersistingL2        Attribute = 108
	MaxAccessPolicyWindow  Attribute = 109
	ReservedSharedPerBlock Attribute = 111
	ClusterLaunch          Attribute = 120
	TensorMapAccess        Attribute = 127
)

// DeviceCount is the number of GPUs.
func (d *Driver) DeviceCount() (int, error) {
	var n int32
	err := d.call(d.p.DeviceGetCount, uintptr(unsafe.Pointer(&n)))
	return int(n), err
}

// Device is the GPU with the given index.
func (d *Driver) Device(index int) (Device, error) {
	var dev Device
	err := d.call(d.p.DeviceGet, uintptr(unsafe.Pointer(&dev)), uintptr(index))
	return dev, err
}

// DeviceName is the GPU's product name.
func (d *Driver) DeviceName(dev Device) (string, error) {
	buf := make([]byte, 256)
	err := d.call(d.p.DeviceGetName, uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)), uintptr(dev))
	return dl.Trim(buf), err
}

// DeviceAttribute is the value of one attribute.
func (d *Driver) DeviceAttribute(dev Device, a Attribute) (int, error) {
	var v int32
	err := d.call(d.p.DeviceGetAttribute, uintptr(unsafe.Pointer(&v)), uintptr(a), uintptr(dev))
	return int(v), err
}

// UUID identifies a GPU across processes and reboots.
type UUID [16]byte

// String is the UUID as nvidia-smi and NVML write it.
func (u UUID) String() string {
	return fmt.Sprintf("GPU-%x-%x-%x-%x-%x", u[0:4], u[4:6], u[6:8], u[8:10], u[10:16])
}

// DeviceUUID is the GPU's (or, with MIG, the instance's) UUID.
func (d *Driver) DeviceUUID(dev Device) (UUID, error) {
	var u UUID
	err := d.call(d.p.DeviceGetUUID, uintptr(unsafe.Pointer(&u)), uintptr(dev))
	return u, err
}

// DeviceMemory is the GPU's memory in bytes.
func (d *Driver) DeviceMemory(dev Device) (uint64, error) {
	var n uint64
	err := d.call(d.p.DeviceTotalMem, uintptr(unsafe.Pointer(&n)), uintptr(dev))
	return n, err
}

// Context is a GPU's primary context, the one that libraries in this process share.
type Context struct {
	d      *Driver
	dev    Device
	handle uintptr
}

// Retain opens the primary context of dev, which takes some tenths of a second the first time.
func (d *Driver) Retain(dev Device) (*Context, error) {
	c := &Context{d: d, dev: dev}
	return c, d.call(d.p.PrimaryCtxRetain, uintptr(unsafe.Pointer(&c.handle)), uintptr(dev))
}

// Release gives the context back; with the last one its memory is freed.
func (c *Context) Release() error { return c.d.call(c.d.p.PrimaryCtxRelease, uintptr(c.dev)) }

// Do runs f on one OS thread with the context current. All calls that follow from an open context
// (memory, modules, launches, and those of cuBLASLt) belong inside.
func (c *Context) Do(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := c.d.call(c.d.p.CtxSetCurrent, c.handle); err != nil {
		return err
	}
	return f()
}

// Synchronize waits for all work in the current context, and returns the error of any of it.
func (d *Driver) Synchronize() error { return d.call(d.p.CtxSynchronize) }

// Limit is a CUlimit, in bytes.
type Limit int32

// The limits.
const (
	LimitStackSize    Limit = 0 // per thread
	LimitPrintfFIFO   Limit = 1
	LimitMallocHeap   Limit = 2
	LimitPersistingL2 Limit = 6
)

// GetLimit is a limit of the current context.
func (d *Driver) GetLimit(l Limit) (uint64, error) {
	var v uint64
	err := d.call(d.p.CtxGetLimit, uintptr(unsafe.Pointer(&v)), uintptr(l))
	return v, err
}

// SetLimit changes a limit of the current context; the driver may round or clamp it.
func (d *Driver) SetLimit(l Limit, v uint64) error {
	return d.call(d.p.CtxSetLimit, uintptr(l), uintptr(v))
}

// ResetPersistingL2 turns all persisting lines of the L2 cache back to normal ones.
func (d *Driver) ResetPersistingL2() error { return d.call(d.p.CtxResetPersistingL2) }
