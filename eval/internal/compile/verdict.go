package compile

import (
	"fmt"
	"slices"
	"strings"

	"darwarp/eval/internal/cubin"
	"darwarp/eval/internal/nvrtc"
)

// maxImage bounds a program's machine code with its tables, and its variables. A duel sends two programs to a device
// worker as base64 within one message, which is 64 MiB at most (proc.maxFrame); this leaves a third of it free.
const maxImage = 16 << 20

// tooLarge is the message if machine code or variables are too large to run, or empty.
func tooLarge(what string, bytes uint64) string {
	if bytes <= maxImage {
		return ""
	}
	return fmt.Sprintf("%s of %d bytes: at most %d", what, bytes, maxImage)
}

// provided lists the functions of the driver that a kernel may call. The others allocate from the heap, which
// outlives the call, or launch other kernels.
var provided = []string{"vprintf", "__assertfail"}

// heapCalls are the driver's functions behind malloc, new and the like.
var heapCalls = []string{"malloc", "free", "__cuda_syscall_aligned_malloc"}

// foreignCalls is the message about functions that no kernel may call, except the heap's, or empty.
func foreignCalls(p cubin.Program) string {
	list := slices.DeleteFunc(slices.Clone(p.Calls), func(name string) bool {
		return slices.Contains(provided, name) || slices.Contains(heapCalls, name)
	})
	if len(list) == 0 {
		return ""
	}
	return "calls " + strings.Join(list, ", ") + ": of functions that are not in its source, " +
		"a kernel may only call printf and assert"
}

// state lists the variables of a program that keep their content beyond a call: each one without initial values,
// since a read of it can only return what an earlier call has left, and each other one that is visibly written in the
// PTX. Tables that are written in other ways are found on the device, when they have changed.
func state(p cubin.Program, ptx []byte) []string {
	used := slices.DeleteFunc(slices.Clone(p.Variables), func(v cubin.Variable) bool { return nvrtc.Idle(ptx, v.Name) })
	var names, found []string
	for _, v := range used {
		names = append(names, v.Name)
	}
	written := nvrtc.Written(ptx, names)
	for _, v := range used {
		if !v.Initialised || v.Managed || written[v.Name] {
			found = append(found, v.String())
		}
	}
	if slices.ContainsFunc(p.Calls, func(name string) bool { return slices.Contains(heapCalls, name) }) {
		found = append(found, cubin.Heap)
	}
	return found
}
