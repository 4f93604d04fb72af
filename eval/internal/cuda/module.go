package cuda

import (
	"errors"
	"unsafe"

	"darwarp/eval/internal/dl"
)

// Module is a loaded cubin.
type Module uintptr

// Function is a kernel of a module; it ends with its module.
type Function uintptr

// LoadModule loads a cubin made for this GPU's architecture.
func (d *Driver) LoadModule(cubin []byte) (Module, error) {
	if len(cubin) == 0 {
		return 0, errors.New("load module: empty cubin")
	}
	var m Module
	err := d.call(d.p.ModuleLoadData, uintptr(unsafe.Pointer(&m)), uintptr(unsafe.Pointer(&cubin[0])))
	return m, err
}

// UnloadModule unloads a module.
func (d *Driver) UnloadModule(m Module) error { return d.call(d.p.ModuleUnload, uintptr(m)) }

// Function finds a kernel by its name in the cubin.
func (d *Driver) Function(m Module, name string) (Function, error) {
	cname, err := dl.CString(name)
	if err != nil {
		return 0, err
	}
	var f Function
	err = d.call(d.p.ModuleGetFunction, uintptr(unsafe.Pointer(&f)), uintptr(m), uintptr(unsafe.Pointer(&cname[0])))
	return f, err
}

// Global finds a __device__ or __constant__ variable, and its size in bytes.
func (d *Driver) Global(m Module, name string) (p Ptr, size uint64, err error) {
	cname, err := dl.CString(name)
	if err != nil {
		return 0, 0, err
	}
	err = d.call(d.p.ModuleGetGlobal, uintptr(unsafe.Pointer(&p)), uintptr(unsafe.Pointer(&size)), uintptr(m),
		uintptr(unsafe.Pointer(&cname[0])))
	return p, size, err
}

// FuncAttribute is a CUfunction_attribute.
type FuncAttribute int32

// Function attributes; sizes are bytes.
const (
	FuncMaxThreadsPerBlock FuncAttribute = 0
	FuncSharedSize         FuncAttribute = 1 // static, per block
	FuncConstSize          FuncAttribute = 2
	FuncLocalSize          FuncAttribute = 3 // per thread: stack and spills
	FuncRegisters          FuncAttribute = 4
	FuncBinaryVersion      FuncAttribute = 6  // 90 for sm_90
	FuncMaxDynamicShared   FuncAttribute = 8  // may be set
	FuncSharedCarveout     FuncAttribute = 9  // may be set: percent of the largest
	FuncNonPortableCluster FuncAttribute = 14 // may be set: 1 allows clusters of more than 8 blocks
)

// FuncAttr is the value of an attribute.
func (d *Driver) FuncAttr(f Function, a FuncAttribute) (int, error) {
	var v int32
	err := d.call(d.p.FuncGetAttribute, uintptr(unsafe.Pointer(&v)), uintptr(a), uintptr(f))
	return int(v), err
}

// SetFuncAttr sets an attribute. A kernel with more than 48 KiB of dynamic shared memory needs
// FuncMaxDynamicShared before its first launch.
func (d *Driver) SetFuncAttr(f Function, a FuncAttribute, v int) error {
	return d.call(d.p.FuncSetAttribute, uintptr(f), uintptr(a), uintptr(int32(v)))
}

// MaxActiveBlocks is how many blocks of blockSize threads and shared bytes of dynamic shared memory fit on one
// multiprocessor at once; 0 means that the kernel cannot be launched like this.
func (d *Driver) MaxActiveBlocks(f Function, blockSize, shared int) (int, error) {
	var n int32
	err := d.call(d.p.MaxActiveBlocks, uintptr(unsafe.Pointer(&n)), uintptr(f), uintptr(blockSize), uintptr(shared))
	return int(n), err
}
