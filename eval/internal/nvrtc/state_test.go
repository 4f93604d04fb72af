package nvrtc

import (
	"bytes"
	"testing"
)

func TestIdle(t *testing.T) {
	const declared = ".global .align 4 .b8 kept[64];\n"
	for _, tt := range []struct {
		name, ptx string
		want      bool
	}{
		{"declared alone", declared, true},
		{"at the very end", ".global .u32 kept", true},
		{"used", declared + "mov.u64 %rd1, kept;", false},
		{"with an offset", declared + "ld.global.u32 %r1, [kept+8];", false},
		{"in a table", declared + ".global .u64 where = generic(kept);", false},
		{"part of other names", declared + "mov.u64 %rd1, kept2; mov.u64 %rd1, _kept; mov.u64 %rd1, %kept; mov.u64 %rd1, " +
			"kept$1;", true},
		{"used between what looks like a comment", declared + ".pragma \"/*\"; mov.u64 %rd1, kept; .pragma \"*/\";", false},
		{"not declared", "mov.u64 %rd1, other;", false},
	} {
		if got := Idle([]byte(tt.ptx), "kept"); got != tt.want {
			t.Errorf("%s: %v, expected %v", tt.name, got, tt.want)
		}
	}
}

func TestWritten(t *testing.T) {
	for _, tt := range []struct {
		name, ptx string
		want      bool
	}{
		{"read", "ld.global.u32 %r1, [kept];", false},
		{"stored to", "st.global.u32 [kept], %r1;", true},
		{"stored to on a condition", "@%p1 st.global.u32 [kept+4], %r1;", true},
		{"added to", "atom.global.add.u32 %r1, [kept], 1;", true},
		{"copied to", "cp.async.bulk.global.shared::cta.bulk_group [kept], [s], 16;", true},
		{"by a register", "mov.u64 %rd1, kept;\nadd.s64 %rd2, %rd1, 8;\nst.global.u32 [%rd2], %r1;", true},
		{"by a generic address", "mov.u64 %rd1, kept;\ncvta.const.u64 %rd2, %rd1;\nst.u32 [%rd2], %r1;", true},
		{"what it holds is an address", "ld.global.u64 %rd1, [kept];\nst.global.u32 [%rd1], %r1;", false},
		{"its address is stored", "mov.u64 %rd1, kept;\nst.global.u64 [%rd9], %rd1;", false},
		{"by a register of another function",
			".func f() {\nmov.u64 %rd1, kept;\nret;\n}\n.visible .entry k() {\nst.global.u32 [%rd1], %r1;\n}", false},
		{"by a register of other assembly",
			"{ .reg .b64 p; mov.u64 p, kept; }\n{ .reg .b64 p; mov.u64 p, %rd2; st.global.u32 [p], %r1; }", false},
		{"in the second function", ".weak .func (.param .b32 r) f() {\nret;\n}\n.entry k() {\nmov.u64 %rd1, kept;\n" +
			"st.global.u32 [%rd1], %r1;\n}", true},
		{"in a comment", "// st.global.u32 [kept], %r1;", false},
		{"behind a label", "L1: st.global.u32 [kept], %r1;", true},
	} {
		if got := Written([]byte(tt.ptx), []string{"kept", "other"}); got["kept"] != tt.want || got["other"] {
			t.Errorf("%s: %v, expected %v", tt.name, got, tt.want)
		}
	}
}

func FuzzState(f *testing.F) {
	f.Add([]byte(".version 9.0\n.global .align 4 .u32 kept;\n.visible .entry k() { ld.global.u32 %r1, [kept]; ret; }"))
	f.Add([]byte(".visible .global .align 16 .b8 kept[2][8] = {1, 2};\n@%p1 st.global.u32 [kept], %r2; // kept"))
	f.Fuzz(func(t *testing.T, ptx []byte) {
		if Written(ptx, []string{"kept"})["kept"] && !bytes.Contains(ptx, []byte("kept")) {
			t.Error("a variable is written whose name is nowhere")
		}
		Idle(ptx, "kept")
	})
}
