package cpu

import (
	"strings"
	"testing"
)

// TestStaticShared: what no assembler for a GPU takes is not taken here either, and what one takes is.
func TestStaticShared(t *testing.T) {
	pool := compiler(t)
	const use = " s[threadIdx.x] = y[1]; __syncthreads(); y[0] = s[255 - threadIdx.x]; "
	kernel := func(name, body string) string {
		return "extern \"C\" __global__ void " + name + "(float *y) {" + body + "}\n"
	}
	for _, tt := range []struct{ name, source, want string }{
		{"48 KiB", kernel("k", "__shared__ float s[12288];"+use), ""},
		{"one number more", kernel("k", "__shared__ float s[12289];"+use), "kernel k has 49156 bytes"},
		{"137 KB", kernel("k", "__shared__ float s[34250];"+use), "kernel k has 137000 bytes of static shared data, at most"},
		{"two arrays", kernel("k", "{ __shared__ float s[8192];"+use+"} __shared__ float s[8192];"+use), "65536 bytes"},
		{"of a class", kernel("k", "__shared__ __half s[30000]; s[threadIdx.x] = __float2half(y[1]); __syncthreads(); "+
			"y[0] = __half2float(s[3]);"), "60000 bytes"},
		{"outside of the kernel", "__shared__ float s[20000];\n" + kernel("k", use), "kernel of this source has 80000 bytes"},
		{"in two kernels", kernel("k", "__shared__ float s[8192];"+use) + kernel("l", "__shared__ float s[8192];"+use), ""},
		{"in one of two", kernel("k", "__shared__ float s[20000];"+use) + kernel("l", use[:0]), "kernel k has 80000 bytes"},
		{"instances of a template", "template <int N> __global__ void k(float *y) {__shared__ float s[N];" + use + "}\n" +
			"template __global__ void k<8000>(float *);\ntemplate __global__ void k<8001>(float *);\n", ""},
		{"dynamic", "extern __shared__ float s[];\n" + kernel("k", use), ""},
		{"in a comment", kernel("k", "/* __shared__ float s[20000]; */ y[0] = 1;"), ""},
	} {
		out, err := pool.Compile(t.Context(), tt.source)
		if err != nil || (out.Failure == "") != (tt.want == "") || !strings.Contains(out.Failure, tt.want) {
			t.Errorf("%s: %q, %v, want %q", tt.name, out.Failure, err, tt.want)
		}
	}
}
