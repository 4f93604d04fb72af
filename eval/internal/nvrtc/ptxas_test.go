package nvrtc

import (
	"slices"
	"strings"
	"testing"
)

func TestParsePtxas(t *testing.T) {
	tests := []struct {
		name string
		log  string
		want []KernelResources
	}{
		{"nothing", "", nil},
		{"warnings only", "k.cu(3): warning #177-D: variable \"i\" was declared but never referenced\n", nil},
		{"NVRTC 13, two kernels", `k.cu(3): warning #177-D: variable "i" was declared but never referenced
ptxas info    : 16 bytes gmem
ptxas info    : Compiling entry function '_Z1bPf' for 'sm_90a'
ptxas info    : Function properties for _Z1bPf
ptxas         .     256 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 31 registers, used 0 barriers
ptxas info    : Compile time = 23.816 ms
ptxas info    : Compiling entry function 'a' for 'sm_90a'
ptxas info    : Function properties for a
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 1 barriers, 512 bytes smem
ptxas info    : Compile time = 3.548 ms
`, []KernelResources{
			{Entry: "_Z1bPf", Arch: "sm_90a", Registers: 31, StackBytes: 256, SpillStoreBytes: 8, SpillLoadBytes: 12},
			{Entry: "a", Arch: "sm_90a", Registers: 12, Barriers: 1, SharedBytes: 512},
		}},
		{"a called function's stack is not the kernel's", `ptxas info    : Compiling entry function '_Z1kPfi' for 'sm_90a'
ptxas info    : Function properties for _Z1kPfi
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 25 registers, used 0 barriers
ptxas info    : Function properties for _Z1ffi
ptxas         .     1240 bytes stack frame, 32 bytes spill stores, 32 bytes spill loads
`, []KernelResources{{Entry: "_Z1kPfi", Arch: "sm_90a", Registers: 25}}},
		{"assembler of CUDA 11 and 12", `ptxas info    : 0 bytes gmem, 24 bytes cmem[3]
ptxas info    : Compiling entry function 'gemm' for 'sm_80'
ptxas info    : Function properties for gemm
    40 bytes stack frame, 36 bytes spill stores, 36 bytes spill loads
ptxas info    : Used 255 registers, used 2 barriers, 40 bytes cumulative stack size, 49152+0 bytes smem, 400 bytes cmem[0], 16 bytes cmem[2], 128 bytes lmem
`, []KernelResources{{Entry: "gemm", Arch: "sm_80", Registers: 255, Barriers: 2, StackBytes: 40, SpillStoreBytes: 36, SpillLoadBytes: 36, SharedBytes: 49152, ConstBytes: 416, LocalBytes: 128}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ParsePtxas(tt.log); !slices.Equal(got, tt.want) {
				t.Errorf("ParsePtxas = %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func FuzzParsePtxas(f *testing.F) {
	f.Add("ptxas info    : Compiling entry function 'a' for 'sm_90a'\nptxas info    : Used 12 registers, used 1 " +
		"barriers, 512 bytes smem\n")
	f.Add("Used 99999999999999999999 registers")
	f.Fuzz(func(t *testing.T, log string) {
		kernels := ParsePtxas(log)
		if n := strings.Count(log, "Compiling entry function '"); len(kernels) > n {
			t.Errorf("%d kernels from %d announcements", len(kernels), n)
		}
		for _, k := range kernels {
			if k.Registers < 0 || k.SharedBytes < 0 || k.StackBytes < 0 {
				t.Errorf("negative figure in %+v", k)
			}
		}
	})
}
