package compile

import (
	"cmp"
	"encoding/hex"
	"errors"
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

// inspect reads machine code: its hash, what it defines and needs, and why it is refused, if it is.
func inspect(image []byte) (code string, program cubin.Program, refusal string, err error) {
	if refusal := tooLarge("machine code and tables", uint64(len(image))); refusal != "" {
		return "", program, refusal, nil
	}
	sum, err := cubin.Code(image)
	if errors.Is(err, cubin.ErrNoCode) {
		return "", program, "no kernel in the source", nil
	}
	if err != nil {
		return "", program, "", err
	}
	if program, err = cubin.Inspect(image); err != nil {
		return "", program, "", err
	}
	return hex.EncodeToString(sum), program, cmp.Or(tooLarge("variables", program.Bytes()), foreignCalls(program)), nil
}

// recheck looks at an outcome that was kept as a worker looks at a fresh one, as far as that needs no compiler: what
// has been refused stays refused, and machine code is what it is said to be.
func (p *Pool) recheck(out *Output) error {
	if out.Failure != "" {
		if len(out.Cubin) > 0 {
			return errors.New("a refusal with machine code")
		}
		return nil
	}
	if p.cfg.Worker == "cxx" {
		code, err := hostCode(out.Cubin)
		return errors.Join(err, sameCode(code, out.Code))
	}
	code, program, refusal, err := inspect(out.Cubin)
	if refusal != "" {
		err = errors.New(refusal)
	}
	keeps := slices.ContainsFunc(program.Variables, func(v cubin.Variable) bool { return v.Managed }) ||
		slices.ContainsFunc(program.Calls, func(name string) bool { return slices.Contains(heapCalls, name) })
	if keeps && out.State == "" {
		err = errors.Join(err, errors.New("it keeps memory beyond a call, and does not say so"))
	}
	return errors.Join(err, sameCode(code, out.Code))
}

func sameCode(found, said string) error {
	if found != said {
		return fmt.Errorf("machine code %.10s is said to be %.10s", found, said)
	}
	return nil
}

// counted is the message about what tells one call from another, or empty: special registers, and what the driver keeps
// beside parameters. A call is a function of its arguments.
func counted(ptx []byte) string {
	if list := nvrtc.Counters(ptx); len(list) > 0 {
		return "reads " + strings.Join(list, ", ") + ": a kernel may not know one call from another"
	}
	if list := nvrtc.Beside(ptx); len(list) > 0 {
		return "ld.param of " + strings.Join(slices.Compact(list), ", ") + ": a kernel may read its parameters alone, " +
			"by a name and an offset inside it"
	}
	return ""
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
