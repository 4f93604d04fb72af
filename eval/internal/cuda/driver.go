// Package cuda calls the CUDA driver, opened at run time: no toolkit, no cgo.
//
// A context belongs to an OS thread. Wrap everything that touches the GPU in Context.Do, which locks the goroutine to
// its thread and makes the context current. After a call that returns a sticky Error the process cannot use CUDA any
// more.
package cuda

import (
	"unsafe"

	"darwarp/eval/internal/dl"
)

// procs are the functions of cuda.h, by their exported names: where the header redirects a name to a
// later version (#define cuMemAlloc cuMemAlloc_v2), the plain name is an old one with another signature.
type procs struct {
	Init                 dl.Proc `c:"cuInit"`
	GetErrorName         dl.Proc `c:"cuGetErrorName"`
	DriverGetVersion     dl.Proc `c:"cuDriverGetVersion"`
	DeviceGetCount       dl.Proc `c:"cuDeviceGetCount"`
	DeviceGet            dl.Proc `c:"cuDeviceGet"`
	DeviceGetName        dl.Proc `c:"cuDeviceGetName"`
	DeviceGetAttribute   dl.Proc `c:"cuDeviceGetAttribute"`
	DeviceGetUUID        dl.Proc `c:"cuDeviceGetUuid_v2|cuDeviceGetUuid"`
	DeviceTotalMem       dl.Proc `c:"cuDeviceTotalMem_v2"`
	PrimaryCtxRetain     dl.Proc `c:"cuDevicePrimaryCtxRetain"`
	PrimaryCtxRelease    dl.Proc `c:"cuDevicePrimaryCtxRelease_v2"`
	CtxSetCurrent        dl.Proc `c:"cuCtxSetCurrent"`
	CtxSynchronize       dl.Proc `c:"cuCtxSynchronize"`
	CtxGetLimit          dl.Proc `c:"cuCtxGetLimit"`
	CtxSetLimit          dl.Proc `c:"cuCtxSetLimit"`
	CtxResetPersistingL2 dl.Proc `c:"cuCtxResetPersistingL2Cache"`
	ModuleLoadData       dl.Proc `c:"cuModuleLoadData"`
	ModuleUnload         dl.Proc `c:"cuModuleUnload"`
	ModuleGetFunction    dl.Proc `c:"cuModuleGetFunction"`
	ModuleGetGlobal      dl.Proc `c:"cuModuleGetGlobal_v2"`
	FuncGetAttribute     dl.Proc `c:"cuFuncGetAttribute"`
	FuncSetAttribute     dl.Proc `c:"cuFuncSetAttribute"`
	MaxActiveBlocks      dl.Proc `c:"cuOccupancyMaxActiveBlocksPerMultiprocessor"`
	MaxActiveClusters    dl.Proc `c:"cuOccupancyMaxActiveClusters,optional"`
	MemAlloc             dl.Proc `c:"cuMemAlloc_v2"`
	MemFree              dl.Proc `c:"cuMemFree_v2"`
	MemGetInfo           dl.Proc `c:"cuMemGetInfo_v2"`
	MemsetD8Async        dl.Proc `c:"cuMemsetD8Async"`
	MemsetD32Async       dl.Proc `c:"cuMemsetD32Async"`
	MemcpyHtoD           dl.Proc `c:"cuMemcpyHtoD_v2"`
	MemcpyDtoH           dl.Proc `c:"cuMemcpyDtoH_v2"`
	MemcpyDtoD           dl.Proc `c:"cuMemcpyDtoD_v2"`
	MemcpyHtoDAsync      dl.Proc `c:"cuMemcpyHtoDAsync_v2"`
	MemcpyDtoHAsync      dl.Proc `c:"cuMemcpyDtoHAsync_v2"`
	MemcpyDtoDAsync      dl.Proc `c:"cuMemcpyDtoDAsync_v2"`
	MemGranularity       dl.Proc `c:"cuMemGetAllocationGranularity,optional"`
	MemCreate            dl.Proc `c:"cuMemCreate,optional"`
	MemRelease           dl.Proc `c:"cuMemRelease,optional"`
	MemExport            dl.Proc `c:"cuMemExportToShareableHandle,optional"`
	MemImport            dl.Proc `c:"cuMemImportFromShareableHandle,optional"`
	MemAddressReserve    dl.Proc `c:"cuMemAddressReserve,optional"`
	MemAddressFree       dl.Proc `c:"cuMemAddressFree,optional"`
	MemMap               dl.Proc `c:"cuMemMap,optional"`
	MemUnmap             dl.Proc `c:"cuMemUnmap,optional"`
	MemSetAccess         dl.Proc `c:"cuMemSetAccess,optional"`
	MemHostAlloc         dl.Proc `c:"cuMemHostAlloc"`
	MemFreeHost          dl.Proc `c:"cuMemFreeHost"`
	MemHostRegister      dl.Proc `c:"cuMemHostRegister_v2"`
	MemHostUnregister    dl.Proc `c:"cuMemHostUnregister"`
	StreamCreate         dl.Proc `c:"cuStreamCreate"`
	StreamDestroy        dl.Proc `c:"cuStreamDestroy_v2"`
	StreamSynchronize    dl.Proc `c:"cuStreamSynchronize"`
	StreamQuery          dl.Proc `c:"cuStreamQuery"`
	StreamWaitEvent      dl.Proc `c:"cuStreamWaitEvent"`
	StreamBeginCapture   dl.Proc `c:"cuStreamBeginCapture_v2"`
	StreamEndCapture     dl.Proc `c:"cuStreamEndCapture"`
	EventCreate          dl.Proc `c:"cuEventCreate"`
	EventDestroy         dl.Proc `c:"cuEventDestroy_v2"`
	EventRecord          dl.Proc `c:"cuEventRecord"`
	EventSynchronize     dl.Proc `c:"cuEventSynchronize"`
	EventElapsedTime     dl.Proc `c:"cuEventElapsedTime_v2|cuEventElapsedTime"`
	GraphInstantiate     dl.Proc `c:"cuGraphInstantiateWithFlags"`
	GraphLaunch          dl.Proc `c:"cuGraphLaunch"`
	GraphUpload          dl.Proc `c:"cuGraphUpload,optional"`
	GraphExecDestroy     dl.Proc `c:"cuGraphExecDestroy"`
	GraphDestroy         dl.Proc `c:"cuGraphDestroy"`
	LaunchKernel         dl.Proc `c:"cuLaunchKernel"`
	LaunchKernelEx       dl.Proc `c:"cuLaunchKernelEx,optional"`
	TensorMapEncodeTiled dl.Proc `c:"cuTensorMapEncodeTiled,optional"`
}

// Driver is the open CUDA driver.
type Driver struct{ p procs }

// Open loads libcuda from path (see dl.Find) and starts it. On a machine whose driver finds no GPU it fails with
// Error 100.
func Open(path string) (*Driver, error) {
	lib, err := dl.Open(path)
	if err != nil {
		return nil, err
	}
	d := &Driver{}
	if err := lib.Bind(&d.p); err != nil {
		return nil, err
	}
	return d, d.call(d.p.Init, 0)
}

// Version is the CUDA version that the driver supports, such as 13000 for 13.0.
func (d *Driver) Version() (int, error) {
	var v int32
	err := d.call(d.p.DriverGetVersion, uintptr(unsafe.Pointer(&v)))
	return int(v), err
}

// call calls p and turns a code that is not success into an *Error.
//
//go:uintptrescapes
func (d *Driver) call(p dl.Proc, args ...uintptr) error {
	return d.check(p, p.Call(args...))
}

func (d *Driver) check(p dl.Proc, code int32) error {
	if code == 0 {
		return nil
	}
	return &Error{Code: int(code), Name: d.errorName(code), Call: p.Name}
}

func (d *Driver) errorName(code int32) string {
	var name *byte // the driver's own constant string
	if d.p.GetErrorName.Call(uintptr(code), uintptr(unsafe.Pointer(&name))) != 0 {
		return "unknown CUDA error"
	}
	return dl.GoString(name)
}
