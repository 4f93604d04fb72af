package cuda

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"darwarp/eval/internal/dl"
)

// The structs of cuda.h 13.0 (unchanged since 10.2), as a C compiler lays them out: TestLayout.

// location is CUmemLocation, 8 bytes.
type location struct {
	kind int32 // 0
	id   int32 // 4: of a device, its index
}

// allocationProp is CUmemAllocationProp, 32 bytes.
type allocationProp struct {
	kind     int32    // 0
	handles  int32    // 4: bits of CUmemAllocationHandleType that the memory can be exported as
	location location // 8
	win32    uintptr  // 16
	flags    [8]byte  // 24: compression, RDMA, usage
}

// accessDesc is CUmemAccessDesc, 12 bytes.
type accessDesc struct {
	location location // 0
	access   Access   // 8
}

const (
	allocationPinned       = 1 // CU_MEM_ALLOCATION_TYPE_PINNED
	fileHandle             = 1 // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
	onDevice               = 1 // CU_MEM_LOCATION_TYPE_DEVICE
	granularityRecommended = 1 // CU_MEM_ALLOC_GRANULARITY_RECOMMENDED
)

// Access is what kernels and copies may do with mapped memory (CUmemAccess_flags).
type Access int32

// Accesses.
const (
	ReadOnly  Access = 1
	ReadWrite Access = 3
)

// HasVirtualMemory reports whether the GPU and its driver can map memory at addresses of our choice and share it
// with other processes by file descriptor.
func (d *Driver) HasVirtualMemory(dev Device) bool {
	for _, p := range []dl.Proc{d.p.MemGranularity, d.p.MemCreate, d.p.MemRelease, d.p.MemExport, d.p.MemImport,
		d.p.MemAddressReserve, d.p.MemAddressFree, d.p.MemMap, d.p.MemUnmap, d.p.MemSetAccess} {
		if !p.Ok() {
			return false
		}
	}
	maps, err1 := d.DeviceAttribute(dev, VirtualMemory)
	files, err2 := d.DeviceAttribute(dev, FileHandles)
	return err1 == nil && err2 == nil && maps != 0 && files != 0
}

func propOf(dev Device) *allocationProp {
	return &allocationProp{kind: allocationPinned, handles: fileHandle, location: location{onDevice, int32(dev)}}
}

// Granularity is the unit of sizes and offsets of mapped memory: 2 MiB on today's GPUs.
func (d *Driver) Granularity(dev Device) (uint64, error) {
	var g uint64
	err := d.call(d.p.MemGranularity, uintptr(unsafe.Pointer(&g)), uintptr(unsafe.Pointer(propOf(dev))),
		granularityRecommended)
	if err == nil && (g == 0 || g&(g-1) != 0) {
		err = fmt.Errorf("granularity of %d bytes", g)
	}
	return g, err
}

// roundUp rounds n up to a multiple of g, a power of two.
func roundUp(n, g uint64) uint64 { return (n + g - 1) &^ (g - 1) }

// Physical is GPU memory that has no address until it is mapped into a Range.
type Physical struct {
	Bytes uint64 // a multiple of the granularity

	d      *Driver
	dev    Device
	handle uint64
}

// NewPhysical allocates at least n bytes. They can be exported.
func (d *Driver) NewPhysical(dev Device, n uint64) (*Physical, error) {
	g, err := d.Granularity(dev)
	if err != nil {
		return nil, err
	}
	p := &Physical{Bytes: roundUp(n, g), d: d, dev: dev}
	return p, d.call(d.p.MemCreate, uintptr(unsafe.Pointer(&p.handle)), uintptr(p.Bytes),
		uintptr(unsafe.Pointer(propOf(dev))), 0)
}

// Export is the memory as a file descriptor for other processes. The caller closes it; the memory stays as long as
// a process maps it or holds it.
func (p *Physical) Export() (*os.File, error) {
	var fd int32
	err := p.d.call(p.d.p.MemExport, uintptr(unsafe.Pointer(&fd)), uintptr(p.handle), fileHandle, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "GPU memory"), nil
}

// ImportPhysical takes memory of n bytes that another process exported. The file remains the caller's to close.
func (d *Driver) ImportPhysical(dev Device, f *os.File, n uint64) (*Physical, error) {
	p := &Physical{Bytes: n, d: d, dev: dev}
	return p, d.call(d.p.MemImport, uintptr(unsafe.Pointer(&p.handle)), f.Fd(), fileHandle)
}

// Release gives the handle back. The memory itself is freed when it is no longer mapped anywhere.
func (p *Physical) Release() error {
	if p.handle == 0 {
		return nil
	}
	err := p.d.call(p.d.p.MemRelease, uintptr(p.handle))
	p.handle = 0
	return err
}

// Range is a range of addresses that the driver reserves. An access to an unmapped part is an illegal address,
// whatever the process has allocated elsewhere.
type Range struct {
	At    Ptr    // the first address that memory may be mapped at
	Bytes uint64 // from there on; a multiple of the granularity

	d      *Driver
	dev    Device
	room   uint64 // before At, and after the last byte: never mapped
	mapped []span
}

// span is one mapping of a Range.
type span struct{ offset, bytes uint64 }

// Reserve reserves addresses for at least n bytes, with at least room bytes on both sides that stay unmapped.
func (d *Driver) Reserve(dev Device, n, room uint64) (*Range, error) {
	g, err := d.Granularity(dev)
	if err != nil {
		return nil, err
	}
	r := &Range{Bytes: roundUp(n, g), d: d, dev: dev, room: roundUp(room, g)}
	var base Ptr
	err = d.call(d.p.MemAddressReserve, uintptr(unsafe.Pointer(&base)), uintptr(r.Bytes+2*r.room), uintptr(g), 0, 0)
	r.At = base + Ptr(r.room)
	return r, err
}

// Map puts all of p at r.At+offset, a multiple of the granularity. The mapping stays valid when p is released.
func (r *Range) Map(offset uint64, p *Physical, a Access) error {
	if offset+p.Bytes > r.Bytes {
		return fmt.Errorf("map %d bytes at %d of a range of %d", p.Bytes, offset, r.Bytes)
	}
	if err := r.d.call(r.d.p.MemMap, uintptr(r.At)+uintptr(offset), uintptr(p.Bytes), 0,
		uintptr(p.handle), 0); err != nil {
		return err
	}
	r.mapped = append(r.mapped, span{offset, p.Bytes})
	return r.SetAccess(offset, p.Bytes, a)
}

// SetAccess changes what may be done with n mapped bytes at r.At+offset.
func (r *Range) SetAccess(offset, n uint64, a Access) error {
	desc := &accessDesc{location{onDevice, int32(r.dev)}, a}
	return r.d.call(r.d.p.MemSetAccess, uintptr(r.At)+uintptr(offset), uintptr(n), uintptr(unsafe.Pointer(desc)), 1)
}

// Unmap takes all memory out of the range. Work that uses it must be done.
func (r *Range) Unmap() error {
	var errs []error
	for _, m := range r.mapped {
		errs = append(errs, r.d.call(r.d.p.MemUnmap, uintptr(r.At)+uintptr(m.offset), uintptr(m.bytes)))
	}
	r.mapped = nil
	return errors.Join(errs...)
}

// Free unmaps all and gives the addresses back.
func (r *Range) Free() error {
	err := r.Unmap()
	if err == nil {
		err = r.d.call(r.d.p.MemAddressFree, uintptr(r.At)-uintptr(r.room), uintptr(r.Bytes+2*r.room))
	}
	return err
}

// AllocBetween allocates at least n bytes, readable and writable, with at least room unmapped bytes on both sides.
// Range.Free frees the memory too.
func (d *Driver) AllocBetween(dev Device, n, room uint64) (*Range, error) {
	p, err := d.NewPhysical(dev, n)
	if err != nil {
		return nil, err
	}
	return p.MapAlone(room, ReadWrite)
}

// MapAlone maps p into a range of its own, with at least room unmapped bytes on both sides, and releases p: from then
// on the range holds the memory.
func (p *Physical) MapAlone(room uint64, a Access) (*Range, error) {
	r, err := p.d.Reserve(p.dev, p.Bytes, room)
	if err != nil {
		return nil, errors.Join(err, p.Release())
	}
	if err := errors.Join(r.Map(0, p, a), p.Release()); err != nil {
		return nil, errors.Join(err, r.Free())
	}
	return r, nil
}
