package attack

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

const exitGroup = unix.SYS_EXIT_GROUP

// leaves says that a call returns twice: the new process ends at once.
func leaves(nr int) bool { return nr == unix.SYS_CLONE || nr == unix.SYS_CLONE3 }

// Entry is the kernel of Source: (float *y, int which).
const Entry = "attack"

// Words is how many floats y has: the outcome, and memory for the kernel to write.
const Words = 2048

// scratchAt is where that memory begins, in floats.
const scratchAt = 1024

// Source is a candidate that makes the attacks, one a launch. It calls no function: the machine code of its system
// calls is a table, in the section of code.
func Source(all []Attack) string {
	var b strings.Builder
	text := func(name string, code []byte) {
		fmt.Fprintf(&b, "__attribute__((section(\".text.%s,\\\"ax\\\",@progbits#\"))) static const unsigned char %s[] = %s;\n",
			name, name, bytesOf(code))
	}
	text("stub", machineCall)
	text("start", machineSpawn)
	b.WriteString("typedef long (*call_t)(long, long, long, long, long, long, long);\ntypedef long (*spawn_t)(long);\n" +
		"static inline long vector(float *y, int at, long base, long bytes) {\n    long *v = reinterpret_cast<long *>(y + at);\n" +
		"    v[0] = base, v[1] = bytes;\n    return reinterpret_cast<long>(v);\n}\n")
	var cases strings.Builder
	for i, a := range all {
		native(&b, &cases, i, a)
	}
	fmt.Fprintf(&b, `extern "C" __global__ void %s(float *y, int which) {
    long *out = reinterpret_cast<long *>(y);
    long scratch = reinterpret_cast<long>(y + %d);
    const call_t call = reinterpret_cast<call_t>(reinterpret_cast<long>(stub));
    const spawn_t spawn = reinterpret_cast<spawn_t>(reinterpret_cast<long>(start));
    long r[8] = {}, at = 0, n = 0;
    (void)call, (void)spawn, (void)scratch;
    switch (which) {
%s    }
    out[0] = at;
    out[1] = n;
}
`, Entry, scratchAt, &cases)
	return b.String()
}

// native writes an attack's data and its case of the switch.
func native(data, cases *strings.Builder, number int, a Attack) {
	fmt.Fprintf(cases, "    case %d:\n", number)
	if a.Spawn > 0 {
		fmt.Fprintf(cases, "        at = spawn(%d), n = at < %d ? -11 : at;\n        break;\n", a.Spawn, a.Spawn)
		return
	}
	write := func(list []Call, what string) {
		for i, c := range list {
			args := make([]string, 7)
			args[0] = fmt.Sprint(c.Nr)
			for j := range 6 {
				args[j+1] = "0"
				if j < len(c.Args) {
					args[j+1] = argument(data, c.Args[j], fmt.Sprintf("%s%d_%d_%d", what, number, i, j))
				}
			}
			if what != "data" {
				fmt.Fprintf(cases, "        call(%s);\n", strings.Join(args, ", "))
				continue
			}
			fmt.Fprintf(cases, "        at = %d;\n        for (int i = 0; i < %d && n >= 0; ++i) n = call(%s);\n", i,
				max(1, c.Repeat), strings.Join(args, ", "))
			if leaves(c.Nr) {
				fmt.Fprintf(cases, "        if (n == 0) call(%d, 0, 0, 0, 0, 0, 0);\n", exitGroup)
			}
			fmt.Fprintf(cases, "        r[%d] = n;\n        if (n < 0) break;\n", i)
		}
	}
	write(a.Calls, "data")
	write(a.After, "after")
	cases.WriteString("        break;\n")
}

// argument is an argument in C, with its data written before.
func argument(data *strings.Builder, a any, name string) string {
	switch v := a.(type) {
	case int:
		return fmt.Sprintf("%dL", v)
	case Result:
		return fmt.Sprintf("r[%d]", int(v))
	case Scratch:
		return "scratch"
	case string:
		return argument(data, []byte(v), name)
	case []byte:
		fmt.Fprintf(data, "static const unsigned char %s[] = %s;\n", name, bytesOf(append(v[:len(v):len(v)], 0)))
		return "reinterpret_cast<long>(" + name + ")"
	case Vector:
		at := argument(data, v.At, name)
		return fmt.Sprintf("vector(y, %d, %s, %d)", scratchAt+v.Slot, at, v.Bytes)
	}
	panic(fmt.Sprintf("argument of type %T", a))
}

func bytesOf(code []byte) string {
	parts := make([]string, len(code))
	for i, c := range code {
		parts[i] = fmt.Sprint(c)
	}
	return "{" + strings.Join(parts, ",") + "}"
}
