package cuda

import (
	"fmt"
	"unsafe"
)

// Ptr is an address in GPU memory (CUdeviceptr).
type Ptr uint64

// Alloc allocates n bytes of GPU memory, aligned to 256 at least. Their content is undefined.
func (d *Driver) Alloc(n uint64) (Ptr, error) {
	var p Ptr
	err := d.call(d.p.MemAlloc, uintptr(unsafe.Pointer(&p)), uintptr(n))
	return p, err
}

// Free frees what Alloc returned. It waits for work in progress.
func (d *Driver) Free(p Ptr) error { return d.call(d.p.MemFree, uintptr(p)) }

// MemInfo is the GPU's free and total memory in bytes, other processes' use included.
func (d *Driver) MemInfo() (free, total uint64, err error) {
	err = d.call(d.p.MemGetInfo, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total)))
	return free, total, err
}

// Memset8 fills n bytes with v, in stream order.
func (d *Driver) Memset8(dst Ptr, v uint8, n uint64, s Stream) error {
	return d.call(d.p.MemsetD8Async, uintptr(dst), uintptr(v), uintptr(n), uintptr(s))
}

// Memset32 fills n 32-bit words with v, in stream order; dst must be a multiple of 4.
func (d *Driver) Memset32(dst Ptr, v uint32, n uint64, s Stream) error {
	return d.call(d.p.MemsetD32Async, uintptr(dst), uintptr(v), uintptr(n), uintptr(s))
}

// HtoD copies src to GPU memory and waits. It is ordered with the legacy default stream only, not
// with the non-blocking streams that NewStream makes: synchronize those first. The driver's function returns
// when pageable memory was read, which may be before all of it is there (CUDA Driver API, "API synchronization
// behavior"), so the default stream is waited for as well.
func (d *Driver) HtoD(dst Ptr, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	if err := d.call(d.p.MemcpyHtoD, uintptr(dst), uintptr(unsafe.Pointer(&src[0])), uintptr(len(src))); err != nil {
		return err
	}
	return d.SyncStream(0)
}

// DtoH fills dst from GPU memory and waits; for its order see HtoD.
func (d *Driver) DtoH(dst []byte, src Ptr) error {
	if len(dst) == 0 {
		return nil
	}
	return d.call(d.p.MemcpyDtoH, uintptr(unsafe.Pointer(&dst[0])), uintptr(src), uintptr(len(dst)))
}

// DtoD copies n bytes within GPU memory, without waiting; for its order see HtoD.
func (d *Driver) DtoD(dst, src Ptr, n uint64) error {
	return d.call(d.p.MemcpyDtoD, uintptr(dst), uintptr(src), uintptr(n))
}

// HtoDAsync copies from pinned memory in stream order. src must stay valid until the stream gets there.
func (d *Driver) HtoDAsync(dst Ptr, src Pinned, s Stream) error {
	return d.call(d.p.MemcpyHtoDAsync, uintptr(dst), src.addr(), uintptr(len(src)), uintptr(s))
}

// DtoHAsync copies to pinned memory in stream order; dst is filled once the stream gets there.
func (d *Driver) DtoHAsync(dst Pinned, src Ptr, s Stream) error {
	return d.call(d.p.MemcpyDtoHAsync, dst.addr(), uintptr(src), uintptr(len(dst)), uintptr(s))
}

// DtoDAsync copies n bytes within GPU memory in stream order.
func (d *Driver) DtoDAsync(dst, src Ptr, n uint64, s Stream) error {
	return d.call(d.p.MemcpyDtoDAsync, uintptr(dst), uintptr(src), uintptr(n), uintptr(s))
}

// Pinned is page-locked host memory that belongs to the driver: the GPU may read and write it while Go code runs;
// Go's own memory cannot be used like that.
type Pinned []byte

func (p Pinned) addr() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(p))) }

// HostAlloc allocates n bytes of pinned memory.
func (d *Driver) HostAlloc(n int) (Pinned, error) {
	if n <= 0 {
		return nil, fmt.Errorf("pinned memory of %d bytes", n)
	}
	var p *byte // C memory
	if err := d.call(d.p.MemHostAlloc, uintptr(unsafe.Pointer(&p)), uintptr(n), 0); err != nil {
		return nil, err
	}
	return unsafe.Slice(p, n), nil
}

// HostFree frees what HostAlloc returned.
func (d *Driver) HostFree(p Pinned) error { return d.call(d.p.MemFreeHost, p.addr()) }

// HostRegister pins memory that is not Go's, such as a mapped file, for asynchronous copies.
func (d *Driver) HostRegister(mapped []byte) (Pinned, error) {
	p := Pinned(mapped)
	return p, d.call(d.p.MemHostRegister, p.addr(), uintptr(len(p)), 0)
}

// HostUnregister undoes HostRegister.
func (d *Driver) HostUnregister(p Pinned) error { return d.call(d.p.MemHostUnregister, p.addr()) }
