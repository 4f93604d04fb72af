package compile

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	tests := []struct {
		name, source, complaint string
	}{
		{"nothing included", "__global__ void k() {}", ""},
		{"all that is allowed", "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n# include\t<cuda_fp8.h>\n" +
			"#include <mma.h> // fragments\n#include /* x */ <darwarp/twice.cuh>", ""},
		{"other directives", "#pragma once\n#define A(x) #x\n#if 1\n#pragma unroll\n#endif\n#error no", ""},
		{"stringify", "#define S(name) #name\n#define P(a, b) a##b", ""},
		{"quoted", `#include "/etc/passwd"`, "line 1: only"},
		{"quoted library header", `#include "darwarp/twice.cuh"`, "only"},
		{"angled path", "int x;\n#include </etc/passwd>", "line 2: only"},
		{"walk out of the library", "#include <darwarp/../../etc/passwd>", "only"},
		{"unknown library header", "#include <darwarp/nothing.cuh>", "only"},
		{"system header", "#include <stdio.h>", "only"},
		{"macro", "#define F <stdio.h>\n#include F", "line 2: only"},
		{"indented", "\t#\t include </etc/passwd>", "only"},
		{"digraph", "%:include </etc/passwd>", "only"},
		{"trigraph", "??=include </etc/passwd>", "only"},
		{"comment between", "#/* a */include/* b */</etc/passwd>", "only"},
		{"comment over lines", "#/* a\n b */include </etc/passwd>", "only"},
		{"comment before", "/* a */ #include </etc/passwd>", "only"},
		{"spliced name", "#inc\\\nlude </etc/passwd>", "only"},
		{"spliced with blanks", "#inc\\ \t\nlude </etc/passwd>", "only"},
		{"spliced after the sign", "#\\\r\ninclude </etc/passwd>", "only"},
		{"after a string that looks like a comment", "const char* s = \"/*\";\n#include </etc/passwd>\n// */", "only"},
		{"carriage return only", "int a;\r#include </etc/passwd>\r", "only"},
		{"include_next", "#include_next <mma.h>", "#include_next is not"},
		{"import", "#import <mma.h>", "#import is not"},
		{"embed", "const char s[] = {\n#embed </etc/passwd>\n};", "line 2: #embed is not"},
		{"line", "#line 1 \"/etc/passwd\"", "#line is not"},
		{"line marker", "int a;\n# 33 \"other\"", "line 2: a number of a line after # is not"},
		{"line marker without a blank", "#33", "line 1: a number"},
		{"line marker behind a comment", "/* a\n b */ /* c */ #/* d */ 33 \"other\"", "a number"},
		{"spliced line marker", "#\\\n33", "a number"},
		{"digraph line marker", "%: 33", "a number"},
		{"line marker after a carriage return", "int a;\r# 33\r", "a number"},
		{"number signs in text", "// step #1, and # 2\nconst char* s = \"# 3\";\n#pragma unroll 4\n#if 1\n#endif", ""},
		{"escaped letter", `#inc\u006cude </etc/passwd>`, "escaped"},
		{"asking", "#if __has_include(</etc/passwd>)\n#endif", "__has_include is not"},
		{"asking for embed", "#if __has_embed(</etc/passwd>)\n#endif", "__has_embed is not"},
		{"NUL", "int a;\n\x00", "line 2: NUL"},
		{"too long", strings.Repeat(" ", maxSource+1), "at most"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Check(tt.source, library)
			if tt.complaint == "" && got != "" || !strings.Contains(got, tt.complaint) {
				t.Errorf("Check = %q, want %q in it", got, tt.complaint)
			}
		})
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("#include <mma.h>")
	f.Add("??=\\\n/**/embed")
	f.Fuzz(func(t *testing.T, source string) {
		// Whatever surrounds it, a plain include of another file is recognised.
		if Check(source+"\n#include </etc/passwd>\n", library) == "" {
			t.Errorf("missed after %q", source)
		}
	})
}
