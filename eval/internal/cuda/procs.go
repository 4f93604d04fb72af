package cuda

import "darwarp/eval/internal/dl"

// procs are the functions of cuda.h, by their exported names: where the header redirects a name to a
// later version (#define cuMemAlloc cuMemAlloc_v2), the plain name is an old one with another signature.
type procs struct {
	driverProcs
	contextProcs
	kernelProcs
	memoryProcs
	copyProcs
	mappingProcs
	streamProcs
	graphProcs
}

// driverProcs are functions of the driver itself and its devices.
type driverProcs struct {
	Init               dl.Proc `c:"cuInit"`
	GetErrorName       dl.Proc `c:"cuGetErrorName"`
	DriverGetVersion   dl.Proc `c:"cuDriverGetVersion"`
	DeviceGetCount     dl.Proc `c:"cuDeviceGetCount"`
	DeviceGet          dl.Proc `c:"cuDeviceGet"`
	DeviceGetName      dl.Proc `c:"cuDeviceGetName"`
	DeviceGetAttribute dl.Proc `c:"cuDeviceGetAttribute"`
	DeviceGetUUID      dl.Proc `c:"cuDeviceGetUuid_v2|cuDeviceGetUuid"`
	DeviceTotalMem     dl.Proc `c:"cuDeviceTotalMem_v2"`
}

// contextProcs are functions of contexts.
type contextProcs struct {
	PrimaryCtxRetain     dl.Proc `c:"cuDevicePrimaryCtxRetain"`
	PrimaryCtxRelease    dl.Proc `c:"cuDevicePrimaryCtxRelease_v2"`
	CtxSetCurrent        dl.Proc `c:"cuCtxSetCurrent"`
	CtxSynchronize       dl.Proc `c:"cuCtxSynchronize"`
	CtxGetLimit          dl.Proc `c:"cuCtxGetLimit"`
	CtxSetLimit          dl.Proc `c:"cuCtxSetLimit"`
	CtxResetPersistingL2 dl.Proc `c:"cuCtxResetPersistingL2Cache"`
}

// kernelProcs are functions by which machine code is loaded and started.
type kernelProcs struct {
	ModuleLoadData       dl.Proc `c:"cuModuleLoadData"`
	ModuleUnload         dl.Proc `c:"cuModuleUnload"`
	ModuleGetFunction    dl.Proc `c:"cuModuleGetFunction"`
	ModuleGetGlobal      dl.Proc `c:"cuModuleGetGlobal_v2"`
	FuncGetAttribute     dl.Proc `c:"cuFuncGetAttribute"`
	FuncSetAttribute     dl.Proc `c:"cuFuncSetAttribute"`
	MaxActiveBlocks      dl.Proc `c:"cuOccupancyMaxActiveBlocksPerMultiprocessor"`
	MaxActiveClusters    dl.Proc `c:"cuOccupancyMaxActiveClusters,optional"`
	LaunchKernel         dl.Proc `c:"cuLaunchKernel"`
	LaunchKernelEx       dl.Proc `c:"cuLaunchKernelEx,optional"`
	TensorMapEncodeTiled dl.Proc `c:"cuTensorMapEncodeTiled,optional"`
}

// memoryProcs are functions of device memory, and of host memory that devices reach.
type memoryProcs struct {
	MemAlloc          dl.Proc `c:"cuMemAlloc_v2"`
	MemFree           dl.Proc `c:"cuMemFree_v2"`
	MemGetInfo        dl.Proc `c:"cuMemGetInfo_v2"`
	MemHostAlloc      dl.Proc `c:"cuMemHostAlloc"`
	MemFreeHost       dl.Proc `c:"cuMemFreeHost"`
	MemHostRegister   dl.Proc `c:"cuMemHostRegister_v2"`
	MemHostUnregister dl.Proc `c:"cuMemHostUnregister"`
}

// copyProcs are functions that fill and copy memory.
type copyProcs struct {
	MemsetD8Async   dl.Proc `c:"cuMemsetD8Async"`
	MemsetD32Async  dl.Proc `c:"cuMemsetD32Async"`
	MemcpyHtoD      dl.Proc `c:"cuMemcpyHtoD_v2"`
	MemcpyDtoH      dl.Proc `c:"cuMemcpyDtoH_v2"`
	MemcpyDtoD      dl.Proc `c:"cuMemcpyDtoD_v2"`
	MemcpyHtoDAsync dl.Proc `c:"cuMemcpyHtoDAsync_v2"`
	MemcpyDtoHAsync dl.Proc `c:"cuMemcpyDtoHAsync_v2"`
	MemcpyDtoDAsync dl.Proc `c:"cuMemcpyDtoDAsync_v2"`
}

// mappingProcs are functions of memory that several processes map.
type mappingProcs struct {
	MemGranularity    dl.Proc `c:"cuMemGetAllocationGranularity,optional"`
	MemCreate         dl.Proc `c:"cuMemCreate,optional"`
	MemRelease        dl.Proc `c:"cuMemRelease,optional"`
	MemExport         dl.Proc `c:"cuMemExportToShareableHandle,optional"`
	MemImport         dl.Proc `c:"cuMemImportFromShareableHandle,optional"`
	MemAddressReserve dl.Proc `c:"cuMemAddressReserve,optional"`
	MemAddressFree    dl.Proc `c:"cuMemAddressFree,optional"`
	MemMap            dl.Proc `c:"cuMemMap,optional"`
	MemUnmap          dl.Proc `c:"cuMemUnmap,optional"`
	MemSetAccess      dl.Proc `c:"cuMemSetAccess,optional"`
}

// streamProcs are functions of streams and events.
type streamProcs struct {
	StreamCreate       dl.Proc `c:"cuStreamCreate"`
	StreamDestroy      dl.Proc `c:"cuStreamDestroy_v2"`
	StreamSynchronize  dl.Proc `c:"cuStreamSynchronize"`
	StreamQuery        dl.Proc `c:"cuStreamQuery"`
	StreamWaitEvent    dl.Proc `c:"cuStreamWaitEvent"`
	StreamBeginCapture dl.Proc `c:"cuStreamBeginCapture_v2"`
	StreamEndCapture   dl.Proc `c:"cuStreamEndCapture"`
	EventCreate        dl.Proc `c:"cuEventCreate"`
	EventDestroy       dl.Proc `c:"cuEventDestroy_v2"`
	EventRecord        dl.Proc `c:"cuEventRecord"`
	EventSynchronize   dl.Proc `c:"cuEventSynchronize"`
	EventElapsedTime   dl.Proc `c:"cuEventElapsedTime_v2|cuEventElapsedTime"`
}

// graphProcs are functions of graphs.
type graphProcs struct {
	GraphInstantiate dl.Proc `c:"cuGraphInstantiateWithFlags"`
	GraphLaunch      dl.Proc `c:"cuGraphLaunch"`
	GraphUpload      dl.Proc `c:"cuGraphUpload,optional"`
	GraphExecDestroy dl.Proc `c:"cuGraphExecDestroy"`
	GraphDestroy     dl.Proc `c:"cuGraphDestroy"`
}
