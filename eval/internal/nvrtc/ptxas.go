package nvrtc

import (
	"regexp"
	"strconv"
	"strings"
)

// KernelResources is what the assembler says about one kernel. Sizes are in bytes; stack and spills
// are per thread, shared memory per block and without the dynamic part.
type KernelResources struct {
	Entry           string // the kernel's name in the cubin (mangled unless extern "C")
	Arch            string // such as sm_90a
	Registers       int
	Barriers        int
	StackBytes      int // stack frame
	SpillStoreBytes int // registers written to local memory
	SpillLoadBytes  int
	SharedBytes     int // static shared memory
	ConstBytes      int // constant banks together; newer assemblers do not print them
	LocalBytes      int // printed by older assemblers only
}

var (
	entryLine    = regexp.MustCompile(`Compiling entry function '([^']*)' for '([^']*)'`)
	functionLine = regexp.MustCompile(`Function properties for '?([^' ]+?)'?\s*$`)
	figure       = regexp.MustCompile(`(\d+)(?:\+\d+)? bytes (stack frame|spill stores|spill loads|smem|cmem\[\d+\]|lmem)`)
	registers    = regexp.MustCompile(`Used (\d+) registers`)
	barriers     = regexp.MustCompile(`used (\d+) barriers`)
)

// ParsePtxas reads the figures that --ptxas-options=-v leaves in a program's log, in the order of the log. Functions
// that were not inlined are left out: their stack is part of the driver's figure for local memory, which is known
// when the cubin is loaded.
func ParsePtxas(log string) []KernelResources {
	var kernels []KernelResources
	skip := true // no kernel's lines yet, or those of a function that is no kernel
	for line := range strings.Lines(log) {
		if m := entryLine.FindStringSubmatch(line); m != nil {
			kernels = append(kernels, KernelResources{Entry: m[1], Arch: m[2]})
			skip = false
			continue
		}
		if m := functionLine.FindStringSubmatch(line); m != nil {
			skip = len(kernels) == 0 || kernels[len(kernels)-1].Entry != m[1]
		}
		if !skip {
			kernels[len(kernels)-1].read(line)
		}
	}
	return kernels
}

func (k *KernelResources) read(line string) {
	if m := registers.FindStringSubmatch(line); m != nil {
		k.Registers = number(m[1])
	}
	if m := barriers.FindStringSubmatch(line); m != nil {
		k.Barriers = number(m[1])
	}
	for _, m := range figure.FindAllStringSubmatch(line, -1) {
		n := number(m[1])
		switch what := m[2]; what {
		case "stack frame":
			k.StackBytes = n
		case "spill stores":
			k.SpillStoreBytes = n
		case "spill loads":
			k.SpillLoadBytes = n
		case "smem":
			k.SharedBytes = n
		case "lmem":
			k.LocalBytes = n
		default: // one constant bank of several
			k.ConstBytes += n
		}
	}
}

// number is s, which is all digits; more digits than an int holds count as 0.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
