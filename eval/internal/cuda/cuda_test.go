package cuda

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"darwarp/eval/internal/dl"
)

// header is the text of cuda.h, the authority on names and numbers.
func header(t *testing.T) string {
	t.Helper()
	h, err := dl.IncludeDirs("")
	if err != nil {
		t.Skipf("cuda.h not found: looked in %q", h.Tried)
	}
	text, err := os.ReadFile(h.Dirs[0] + "/cuda.h")
	if err != nil {
		t.Skipf("these headers have no cuda.h: %v", err)
	}
	return string(text)
}

// TestSymbols guards against the plain name of a function that cuda.h redirects to a later version.
func TestSymbols(t *testing.T) {
	text := header(t)
	redirect := map[string]string{}
	for _, m := range regexp.MustCompile(
		`(?m)^\s*#define (cu\w+)\s+(?:__CUDA_API_PT[DS][SZ]\()?(cu\w+)`).FindAllStringSubmatch(text, -1) {
		if m[1] != m[2] {
			redirect[m[1]] = m[2]
		}
	}
	if redirect["cuMemAlloc"] != "cuMemAlloc_v2" || redirect["cuMemcpyHtoD"] != "cuMemcpyHtoD_v2" {
		t.Fatalf("cuda.h was misread: %d redirections", len(redirect))
	}
	for _, f := range dl.Fields(reflect.TypeFor[procs]()) {
		names, _ := dl.Symbols(f)
		name := names[0]
		if to, ok := redirect[name]; ok {
			t.Errorf("%s: cuda.h redirects it to %s", name, to)
		}
		declared := strings.Contains(text, "CUDAAPI "+name+"(") || slices.Contains(valuesOf(redirect), name)
		if !declared {
			t.Errorf("%s is not in cuda.h", name)
		}
	}
}

func valuesOf(m map[string]string) []string {
	var list []string
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

// TestNumbers compares the constants with the enums of cuda.h.
func TestNumbers(t *testing.T) {
	text := header(t)
	for name, got := range map[string]int{
		"CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK":                       int(MaxThreadsPerBlock),
		"CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z":                             int(MaxBlockDimZ),
		"CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y":                              int(MaxGridDimY),
		"CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK":                 int(SharedPerBlock),
		"CU_DEVICE_ATTRIBUTE_WARP_SIZE":                                   int(WarpSize),
		"CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK":                     int(RegistersPerBlock),
		"CU_DEVICE_ATTRIBUTE_CLOCK_RATE":                                  int(ClockRate),
		"CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT":                        int(MultiprocessorCount),
		"CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT":                         int(KernelExecTimeout),
		"CU_DEVICE_ATTRIBUTE_INTEGRATED":                                  int(Integrated),
		"CU_DEVICE_ATTRIBUTE_COMPUTE_MODE":                                int(ComputeMode),
		"CU_DEVICE_ATTRIBUTE_ECC_ENABLED":                                 int(ECCEnabled),
		"CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE":                           int(MemoryClockRate),
		"CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH":                     int(MemoryBusWidth),
		"CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE":                               int(L2CacheSize),
		"CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR":              int(ThreadsPerSM),
		"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR":                    int(CapabilityMajor),
		"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR":                    int(CapabilityMinor),
		"CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR":        int(SharedPerSM),
		"CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR":            int(RegistersPerSM),
		"CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH":                          int(CooperativeLaunch),
		"CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN":           int(SharedPerBlockOptin),
		"CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED":         int(VirtualMemory),
		"CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED": int(FileHandles),
		"CU_MEM_ALLOCATION_TYPE_PINNED":                                   allocationPinned,
		"CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR":                        fileHandle,
		"CU_MEM_LOCATION_TYPE_DEVICE":                                     onDevice,
		"CU_MEM_ACCESS_FLAGS_PROT_READ":                                   int(ReadOnly),
		"CU_MEM_ACCESS_FLAGS_PROT_READWRITE":                              int(ReadWrite),
		"CU_MEM_ALLOC_GRANULARITY_RECOMMENDED":                            granularityRecommended,
		"CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR":               int(BlocksPerSM),
		"CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE":                int(MaxPersistingL2),
		"CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE":               int(MaxAccessPolicyWindow),
		"CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK":            int(ReservedSharedPerBlock),
		"CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH":                              int(ClusterLaunch),
		"CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED":                 int(TensorMapAccess),
		"CU_FUNC_ATTRIBUTE_NUM_REGS":                                      int(FuncRegisters),
		"CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES":                              int(FuncLocalSize),
		"CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES":                 int(FuncMaxDynamicShared),
		"CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED":             int(FuncNonPortableCluster),
		"CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW":                        attrAccessPolicyWindow,
		"CU_LAUNCH_ATTRIBUTE_COOPERATIVE":                                 attrCooperative,
		"CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION":                           attrClusterDimension,
		"CU_ACCESS_PROPERTY_STREAMING":                                    accessStreaming,
		"CU_ACCESS_PROPERTY_PERSISTING":                                   accessPersisting,
		"CU_LIMIT_STACK_SIZE":                                             int(LimitStackSize),
		"CU_LIMIT_PERSISTING_L2_CACHE_SIZE":                               int(LimitPersistingL2),
		"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES":                              LaunchOutOfResources,
		"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE":                         CooperativeTooLarge,
		"CUDA_ERROR_INVALID_CLUSTER_SIZE":                                 InvalidClusterSize,
	} {
		m := regexp.MustCompile(`\b` + name + `\s*=\s*(0x[0-9a-fA-F]+|\d+)`).FindStringSubmatch(text)
		if m == nil {
			t.Errorf("%s is not in cuda.h", name)
			continue
		}
		if want, err := strconv.ParseInt(m[1], 0, 32); err != nil || int(want) != got {
			t.Errorf("%s = %d, cuda.h says %s", name, got, m[1])
		}
	}
}

// TestLayout checks the structs against the sizes and offsets that a C compiler gives those of cuda.h 13.
func TestLayout(t *testing.T) {
	var c launchConfig
	var a launchAttr
	var w accessPolicyWindow
	var p allocationProp
	var x accessDesc
	for _, f := range []struct {
		name      string
		got, want uintptr
	}{
		{"sizeof CUlaunchConfig", unsafe.Sizeof(c), 56},
		{"CUlaunchConfig.blockDimX", unsafe.Offsetof(c.block), 12},
		{"CUlaunchConfig.sharedMemBytes", unsafe.Offsetof(c.shared), 24},
		{"CUlaunchConfig.hStream", unsafe.Offsetof(c.stream), 32},
		{"CUlaunchConfig.attrs", unsafe.Offsetof(c.attrs), 40},
		{"CUlaunchConfig.numAttrs", unsafe.Offsetof(c.numAttrs), 48},
		{"sizeof CUlaunchAttribute", unsafe.Sizeof(a), 72},
		{"CUlaunchAttribute.value", unsafe.Offsetof(a.value), 8},
		{"sizeof CUlaunchAttributeValue", unsafe.Sizeof(a.value), 64},
		{"sizeof CUaccessPolicyWindow", unsafe.Sizeof(w), 32},
		{"CUaccessPolicyWindow.num_bytes", unsafe.Offsetof(w.bytes), 8},
		{"CUaccessPolicyWindow.hitRatio", unsafe.Offsetof(w.hitRatio), 16},
		{"CUaccessPolicyWindow.hitProp", unsafe.Offsetof(w.hitProp), 20},
		{"CUaccessPolicyWindow.missProp", unsafe.Offsetof(w.missProp), 24},
		{"sizeof CUmemAllocationProp", unsafe.Sizeof(p), 32},
		{"CUmemAllocationProp.requestedHandleTypes", unsafe.Offsetof(p.handles), 4},
		{"CUmemAllocationProp.location", unsafe.Offsetof(p.location), 8},
		{"CUmemAllocationProp.win32HandleMetaData", unsafe.Offsetof(p.win32), 16},
		{"CUmemAllocationProp.allocFlags", unsafe.Offsetof(p.flags), 24},
		{"sizeof CUmemAccessDesc", unsafe.Sizeof(x), 12},
		{"CUmemAccessDesc.flags", unsafe.Offsetof(x.access), 8},
		{"CUmemLocation.id", unsafe.Offsetof(x.location.id), 4},
		{"sizeof CUuuid", unsafe.Sizeof(UUID{}), 16},
		{"sizeof CUtensorMap", unsafe.Sizeof(TensorMap{}), 128},
	} {
		if f.got != f.want {
			t.Errorf("%s = %d, want %d", f.name, f.got, f.want)
		}
	}
}

// TestArgsAgain: arguments that are added after a Reset are the new ones, also where they need more memory than those
// that were there, and a copy of the array from before is not needed.
func TestArgsAgain(t *testing.T) {
	var a Args
	add := func(blob string, v int64, more int) {
		a.Reset()
		a.Bytes([]byte(blob), 16)
		a.Int64(v)
		for i := range more {
			a.Int32(int32(i))
		}
		if got := string(unsafe.Slice((*byte)(a.values[0]), len(blob))); got != blob || uintptr(a.values[0])%16 != 0 {
			t.Errorf("a struct of %q at %x, expected %q", got, a.values[0], blob)
		}
		if got := *(*int64)(a.values[1]); got != v || a.Len() != 2+more {
			t.Errorf("%d of %d arguments, expected %d", got, a.Len(), v)
		}
	}
	add("short", 1, 0)
	add("a struct that is longer than the one before", 2, 3)
	add("short", 3, 200)
	allocs := testing.AllocsPerRun(20, func() { add("a struct that is short", 4, 100) })
	if allocs > 2 { // of the test's own conversions
		t.Errorf("%g allocations, expected none for arguments that have memory", allocs)
	}
	a.Reset()
	a.Int32(7) // in place of a struct
	a.Bytes([]byte("in place of a number"), 64)
	if *(*int32)(a.values[0]) != 7 || string(unsafe.Slice((*byte)(a.values[1]), 20)) != "in place of a number" ||
		uintptr(a.values[1])%64 != 0 {
		t.Error("arguments of other kinds than those before are not what was added")
	}
}

func TestArgs(t *testing.T) {
	var a Args
	if a.params() != 0 {
		t.Error("no arguments must be a nil array")
	}
	blob := []byte("a struct passed by value")
	a.Ptr(0x1122334455667788)
	a.Int32(-2)
	a.Int64(-3)
	a.Float32(1.5)
	a.Bytes(blob, 64)
	for range 100 { // the array moves; the values must not
		a.Int32(7)
	}
	blob[0] = 'X' // the value was copied
	if a.Len() != 105 || a.params() != uintptr(unsafe.Pointer(&a.values[0])) {
		t.Errorf("%d arguments", a.Len())
	}
	if v := *(*uint64)(a.values[0]); v != 0x1122334455667788 {
		t.Errorf("pointer = %#x", v)
	}
	if v := *(*int32)(a.values[1]); v != -2 {
		t.Errorf("int = %d", v)
	}
	if v := *(*int64)(a.values[2]); v != -3 {
		t.Errorf("long long = %d", v)
	}
	if v := *(*float32)(a.values[3]); v != 1.5 {
		t.Errorf("float = %v", v)
	}
	if v := unsafe.Slice((*byte)(a.values[4]), len(blob)); string(v) != "a struct passed by value" ||
		uintptr(a.values[4])%64 != 0 {
		t.Errorf("struct = %q at %p", v, a.values[4])
	}
	a.SetPtr(0, 9)
	if v := *(*uint64)(a.values[0]); v != 9 {
		t.Errorf("replaced pointer = %d", v)
	}
}

func TestPrepare(t *testing.T) {
	l := &Launch{Grid: Dim3{8, 2, 1}, Block: Dim3{64, 1, 1}, Shared: 4096}
	if !l.plain() {
		t.Error("a launch without attributes is not plain")
	}
	l.Cluster = Dim3{2, 1, 1}
	l.Cooperative = true
	l.Window = AccessWindow{Base: 0x1000, Bytes: 1 << 20, HitRatio: 0.5}
	l.prepare(7)
	if l.plain() || l.config.numAttrs != 3 || l.config.stream != 7 || l.config.grid != l.Grid ||
		l.config.attrs != unsafe.Pointer(&l.attrs[0]) {
		t.Errorf("config = %+v", l.config)
	}
	if l.attrs[0].id != 4 || *(*Dim3)(unsafe.Pointer(&l.attrs[0].value)) != l.Cluster {
		t.Errorf("cluster attribute = %+v", l.attrs[0])
	}
	if l.attrs[1].id != 2 || l.attrs[1].value[0] != 1 {
		t.Errorf("cooperative attribute = %+v", l.attrs[1])
	}
	want := accessPolicyWindow{base: 0x1000, bytes: 1 << 20, hitRatio: 0.5, hitProp: 2, missProp: 1}
	if got := *(*accessPolicyWindow)(unsafe.Pointer(&l.attrs[2].value)); l.attrs[2].id != 1 || got != want {
		t.Errorf("window attribute = %+v", got)
	}
	l.Cooperative, l.Window = false, AccessWindow{}
	l.prepare(0)
	if l.config.numAttrs != 1 {
		t.Errorf("%d attributes after two were dropped", l.config.numAttrs)
	}
}

// TestStart sends a launch to a C function that ignores it: preparing one must not allocate.
func TestStart(t *testing.T) {
	lib, err := dl.Open("libc.so.6")
	if err != nil {
		t.Skipf("this machine has no glibc to call: %v", err)
	}
	var c struct {
		Abs dl.Proc `c:"abs"`
	}
	if err := lib.Bind(&c); err != nil {
		t.Fatal(err)
	}
	// abs of a zero function handle is 0, which is success.
	d := &Driver{p: procs{kernelProcs: kernelProcs{LaunchKernel: c.Abs}}}
	l := &Launch{Grid: Dim3{1, 1, 1}, Block: Dim3{32, 1, 1}}
	l.Args.Ptr(1)
	if n := testing.AllocsPerRun(100, func() {
		if err := d.Start(l, 3); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations per launch", n)
	}
	if want := [11]uintptr{0, 1, 1, 1, 32, 1, 1, 0, 3, l.Args.params(), 0}; l.frame != want {
		t.Errorf("cuLaunchKernel got %v, want %v", l.frame, want)
	}
	l.Cooperative = true
	if err := d.Start(l, 3); !errors.Is(err, dl.ErrNoSymbol) {
		t.Errorf("cooperative launch without cuLaunchKernelEx = %v", err)
	}
}

func TestSticky(t *testing.T) {
	lost := []int{214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 999, 12345}
	fine := []int{1, 2, 100, 200, 209, 400, 500, 600, 701, 720, 801, 900, 912}
	for _, code := range slices.Concat(lost, fine) {
		err := fmt.Errorf("while timing: %w", &Error{Code: code, Name: "X", Call: "cuY"})
		var e *Error
		if !errors.As(err, &e) || e.Sticky() != slices.Contains(lost, code) {
			t.Errorf("code %d: sticky = %v", code, e.Sticky())
		}
	}
}

func TestUUID(t *testing.T) {
	u := UUID{0xde, 0xad, 0xbe, 0xef, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	if got, want := u.String(), "GPU-deadbeef-0001-0203-0405-060708090a0b"; got != want {
		t.Errorf("UUID = %s, want %s", got, want)
	}
}

func TestTensorShape(t *testing.T) {
	d := &Driver{}
	if _, err := d.EncodeTiled(Tensor{Dims: []uint64{8}, Box: []uint32{8}}); !errors.Is(err, dl.ErrNoSymbol) {
		t.Errorf("tensor map on an old driver = %v", err)
	}
}
