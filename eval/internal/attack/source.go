package attack

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// leaves says that a call returns twice: the new process ends at once.
func leaves(nr int) bool { return nr == unix.SYS_CLONE || nr == unix.SYS_CLONE3 }

// Entry is the kernel of Source: (float *y, int which).
const Entry = "attack"

// Words is how many floats y has: the outcome, and memory for the kernel to write.
const Words = 2048

// scratchAt is where that memory begins, in floats.
const scratchAt = 1024

// head and tail are what stands before and behind an attack's data and code. The machine code of system calls is a
// table in the section of code.
const (
	head = `#define CODE(name) __attribute__((section(".text." #name ",\"ax\",@progbits#"))) \
    static const unsigned char name[]
typedef long (*call_t)(long, long, long, long, long, long, long);
typedef long (*spawn_t)(long);
static inline long vector(float *y, int at, long base, long bytes) {
    long *v = reinterpret_cast<long *>(y + at);
    v[0] = base, v[1] = bytes;
    return reinterpret_cast<long>(v);
}
`
	begin = `extern "C" __global__ void attack(float *y, int which) {
    long *out = reinterpret_cast<long *>(y);
    long scratch = reinterpret_cast<long>(y + %d);
    const call_t call = reinterpret_cast<call_t>(reinterpret_cast<long>(stub));
    const spawn_t spawn = reinterpret_cast<spawn_t>(reinterpret_cast<long>(start));
    long r[8] = {}, at = 0, n = 0;
    (void)call, (void)spawn, (void)scratch;
    switch (which) {
`
	end = `    }
    out[0] = at;
    out[1] = n;
}
`
)

// Source is a candidate that makes the attacks, one a launch. It calls no function of a library.
func Source(all []Attack) string {
	var w writer
	fmt.Fprintf(&w.data, "%sCODE(stub) = %s;\nCODE(start) = %s;\n", head, bytesOf(machineCall), bytesOf(machineSpawn))
	for i, a := range all {
		w.attack(i, a)
	}
	return w.data.String() + fmt.Sprintf(begin, scratchAt) + w.cases.String() + end
}

// writer writes attacks in C.
type writer struct{ data, cases strings.Builder }

// attack writes the data of one, and its case of the switch.
func (w *writer) attack(number int, a Attack) {
	fmt.Fprintf(&w.cases, "    case %d:\n", number)
	if a.Spawn > 0 {
		fmt.Fprintf(&w.cases, "        at = spawn(%d), n = at < %d ? -11 : at;\n        break;\n", a.Spawn, a.Spawn)
		return
	}
	for i, c := range a.Calls {
		call := w.call(c, fmt.Sprintf("data%d_%d", number, i))
		fmt.Fprintf(&w.cases, "        at = %d;\n        for (int i = 0; i < %d && n >= 0; ++i) n = %s;\n", i,
			max(1, c.Repeat), call)
		if leaves(c.Nr) {
			fmt.Fprintf(&w.cases, "        if (n == 0) call(%d, 0, 0, 0, 0, 0, 0);\n", unix.SYS_EXIT_GROUP)
		}
		fmt.Fprintf(&w.cases, "        r[%d] = n;\n        if (n < 0) break;\n", i)
	}
	for i, c := range a.After {
		fmt.Fprintf(&w.cases, "        %s;\n", w.call(c, fmt.Sprintf("after%d_%d", number, i)))
	}
	w.cases.WriteString("        break;\n")
}

// call is a system call in C.
func (w *writer) call(c Call, name string) string {
	args := []string{fmt.Sprint(c.Nr)}
	for j := range 6 {
		if j < len(c.Args) {
			args = append(args, w.argument(c.Args[j], fmt.Sprintf("%s_%d", name, j)))
		} else {
			args = append(args, "0")
		}
	}
	return "call(" + strings.Join(args, ", ") + ")"
}

// argument is an argument in C, with its data written before.
func (w *writer) argument(a any, name string) string {
	switch v := a.(type) {
	case int:
		return fmt.Sprintf("%dL", v)
	case Result:
		return fmt.Sprintf("r[%d]", int(v))
	case Scratch:
		return "scratch"
	case string:
		return w.argument([]byte(v), name)
	case []byte:
		fmt.Fprintf(&w.data, "static const unsigned char %s[] = %s;\n", name, bytesOf(append(v[:len(v):len(v)], 0)))
		return "reinterpret_cast<long>(" + name + ")"
	case Vector:
		return fmt.Sprintf("vector(y, %d, %s, %d)", scratchAt+v.Slot, w.argument(v.At, name), v.Bytes)
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
