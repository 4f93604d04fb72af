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

// tooLarge says that machine code or variables are larger than can be run, or nothing.
func tooLarge(what string, bytes uint64) string {
	if bytes <= maxImage {
		return ""
	}
	return fmt.Sprintf("%s of %d bytes: at most %d", what, bytes, maxImage)
}

// provided lists the functions of the driver that a kernel may call. What else there is allocates from the heap, which
// outlives the call, or launches other kernels.
var provided = []string{"vprintf", "__assertfail"}

// heapCalls are the driver's functions behind malloc, new and their like.
var heapCalls = []string{"malloc", "free", "__cuda_syscall_aligned_malloc"}

// strangers says which functions a program calls that no kernel may, the heap's aside, or nothing.
func strangers(p cubin.Program) string {
	list := slices.DeleteFunc(slices.Clone(p.Calls), func(name string) bool {
		return slices.Contains(provided, name) || slices.Contains(heapCalls, name)
	})
	if len(list) == 0 {
		return ""
	}
	return "calls " + strings.Join(list, ", ") + ": of what is not in its source a kernel may call printf and assert"
}

// state lists what of a program keeps its content beyond a call. That is each variable without initial values, since
// nothing can come of reading it but what an earlier call has left, and each other one that the PTX shows to be
// written. Tables that are written in a way that the PTX does not show are found when they have changed, on the
// device.
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
