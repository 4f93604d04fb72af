package nvrtc

import (
	"strings"
	"testing"
)

func TestBeside(t *testing.T) {
	const entry = ".visible .entry k(\n\t.param .u64 .ptr .align 1 k_param_0,\n" +
		"\t.param .align 64 .b8 k_param_1[128]\n)\n{\n"
	const call = "{ .param .b64 a, b; .param .align 16 .b8 r[16]; st.param.b64 [a], %rd1; call (r), f, (a, b); "
	for _, tt := range []struct{ name, ptx, want string }{
		{"a parameter", entry + "ld.param.u64 %rd1, [k_param_0];", ""},
		{"a part of one", entry + "ld.param.v2.u32 {%r1, %r2}, [k_param_1+120];", ""},
		{"of an entry", entry + "ld.param::entry.u64 %rd1, [ k_param_0 + 4 ];", ""},
		{"what a function gives", entry + call + "ld.param.v2.b32 {%r1, %r2}, [r+8]; ld.param.b64 %rd2, [b]; }", ""},
		{"of a function", ".func (.param .b32 f_ret) f(.param .b32 f_param_0) { ld.param.b32 %r1, [f_param_0]; }", ""},
		{"of the larger of two", call + "}\n{ .param .b32 r; ld.param.b32 %r1, [r+12]; }", ""},
		{"before", entry + "ld.param.u64 %rd1, [k_param_0+-480];", "[k_param_0+-480]"},
		{"before, as a difference", entry + "ld.param.u64 %rd1, [k_param_0-480];", "[k_param_0-480]"},
		{"before, all the way round", entry + "ld.param.u64 %rd1, [k_param_0+18446744073709551136];",
			"[k_param_0+18446744073709551136]"},
		{"before, computed", entry + "ld.param.u64 %rd1, [k_param_0+(32-512)];", "[k_param_0+(32-512)]"},
		{"behind", entry + "ld.param.u32 %r1, [k_param_1+128];", "[k_param_1+128]"},
		{"by a register", entry + "mov.b64 %rd1, k_param_0; ld.param.u64 %rd2, [%rd1+-4];", ""},
		{"by a register of its own", "{ .reg .b64 p; ld.param.u64 %rd2, [p]; }", "[p]"},
		{"between what looks like a comment", entry + ".pragma \"/*\"; ld.param.u64 %rd1, [k_param_0+-8]; .pragma \"*/\";",
			"[k_param_0+-8]"},
		{"with a comment inside", entry + "ld.param.u64 %rd1, [k_param_0/**/+-8];", "[k_param_0/**/+-8]"},
		{"with a blank", entry + "ld .param.u64 %rd1, [k_param_0+-8];", "[k_param_0+-8]"},
		{"with blanks all over", entry + "ld . weak\n. param . u32 %r1, [k_param_0+-8];", "[k_param_0+-8]"},
		{"with a blank, a parameter", entry + "ld .param.u64 %rd1, [k_param_0];", ""},
		{"parted by a comment", entry + "ld/**/.param.u64 %rd1, [k_param_0+-8];", "[k_param_0+-8]"},
		{"behind one in a comment", entry + "ld.param.u64 %rd1, /*[k_param_0]*/ [k_param_0+-8];", "[k_param_0+-8]"},
		{"over two lines", entry + "ld.param.u64 %rd1,\n[\nk_param_0+-8\n];", "[\nk_param_0+-8\n]"},
		{"with a modifier", entry + "ld.weak.param.u32 %r1, [k_param_0+-8];", "[k_param_0+-8]"},
		{"with an index", entry + "ld.param.u32 %r1, k_param_1[200];", "k_param_1[200]"},
	} {
		if got := strings.Join(Beside([]byte(tt.ptx)), ", "); got != tt.want {
			t.Errorf("%s: %q, expected %q", tt.name, got, tt.want)
		}
	}
}

func FuzzBeside(f *testing.F) {
	f.Add([]byte(".entry k(.param .u64 p) { ld.param.u64 %rd1, [p+8]; ld.param.u32 %r1, [q]; }"))
	f.Fuzz(func(t *testing.T, ptx []byte) {
		if n := strings.Count(string(ptx), "param"); len(Beside(ptx)) > n {
			t.Errorf("more places than reads: %d", n)
		}
	})
}
