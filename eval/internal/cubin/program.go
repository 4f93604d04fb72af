package cubin

import (
	"bytes"
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Program is what machine code defines and needs besides its instructions.
type Program struct {
	Variables []Variable
	Calls     []string // functions that the driver would have to provide
}

// Variable is a named piece of memory that lives as long as its module: a __device__ or __constant__ variable, a
// table, a string.
type Variable struct {
	Name        string // as in the file: the compiler's
	Bytes       uint64
	Initialised bool // with other values than zeros
	Constant    bool // in constant memory
	Managed     bool // in memory that the host has as well
}

func (v Variable) String() string { return fmt.Sprintf("%s (%d bytes)", Readable(v.Name), v.Bytes) }

// Bytes is the size of all variables together.
func (p Program) Bytes() (sum uint64) {
	for _, v := range p.Variables {
		if sum += v.Bytes; sum < v.Bytes {
			return math.MaxUint64
		}
	}
	return sum
}

// Heap stands in place of a variable's name if a program calls an allocator.
const Heap = "memory of malloc and new"

// managed is the bit of a symbol's st_other that marks __managed__ variables as NVRTC 13.0 sets it.
const managed = 4

// userConstants is the section of __constant__ variables. Those of other banks are the compiler's: parameters,
// literals, addresses.
const userConstants = ".nv.constant3"

// Inspect reads a cubin's variables and calls. The loader does not distinguish const from other variables, and keeps
// all of them, also constant memory, in pages that kernels can write (measured: docs/internals/trust.md), whatever
// the flags of their sections say.
func Inspect(image []byte) (Program, error) {
	f, all, err := open(image)
	if err != nil {
		return Program{}, err
	}
	var p Program
	for _, s := range all {
		switch {
		case s.Section == elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC:
			p.Calls = append(p.Calls, s.Name)
		case elf.ST_TYPE(s.Info) == elf.STT_OBJECT && s.Size > 0 && int(s.Section) < len(f.Sections):
			in := f.Sections[s.Section]
			v := Variable{Name: s.Name, Bytes: s.Size, Initialised: in.Type != elf.SHT_NOBITS,
				Constant: in.Name == userConstants, Managed: s.Other&managed != 0}
			if v.Constant || in.Flags&elf.SHF_WRITE != 0 && !strings.HasPrefix(in.Name, ".nv.shared") {
				p.Variables = append(p.Variables, v)
			}
		}
	}
	slices.SortFunc(p.Variables, func(a, b Variable) int { return cmp.Compare(a.Name, b.Name) })
	slices.Sort(p.Calls)
	return p, nil
}

// Variables lists those that an object file of the host defines in sections of one kind.
func Variables(object []byte, in func(*elf.Section) bool) ([]Variable, error) {
	f, all, err := open(object)
	if err != nil {
		return nil, err
	}
	var found []Variable
	for _, s := range all {
		switch {
		case elf.ST_TYPE(s.Info) != elf.STT_OBJECT || s.Size == 0:
		case s.Section == elf.SHN_COMMON, int(s.Section) < len(f.Sections) && in(f.Sections[s.Section]):
			found = append(found, Variable{Name: s.Name, Bytes: s.Size})
		}
	}
	slices.SortFunc(found, func(a, b Variable) int { return cmp.Compare(a.Name, b.Name) })
	return found, nil
}

func open(image []byte) (*elf.File, []elf.Symbol, error) {
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return nil, nil, fmt.Errorf("read ELF: %w", err)
	}
	all, err := f.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, nil, fmt.Errorf("read ELF: %w", err)
	}
	return f, all, nil
}

var (
	// scoped is how the assembler names a variable that is declared inside a function's body: $__name__31$1.
	scoped = regexp.MustCompile(`^\$__(.+)__\d+(?:\$\d+)?$`)
	// local finds the name of a variable of a function behind that of the function.
	local  = regexp.MustCompile(`E\d+[A-Za-z_]\w*$`)
	length = regexp.MustCompile(`\d+`)
)

// Readable is a variable's name as its author wrote it, as far as the mangled name shows it (Itanium C++ ABI, 5.1):
// the identifiers of its last nested name, without the compiler's own for unnamed namespaces.
func Readable(name string) string {
	if m := scoped.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	if !strings.HasPrefix(name, "_Z") {
		return name
	}
	if at := local.FindStringIndex(name); strings.HasPrefix(name, "_ZZ") && at != nil {
		name = name[at[0]:]
	}
	var parts []string
	for {
		at := length.FindStringIndex(name)
		if at == nil {
			break
		}
		n, err := strconv.Atoi(name[at[0]:at[1]])
		rest := name[at[1]:]
		if err != nil || n > len(rest) {
			break
		}
		if part := rest[:n]; !strings.HasPrefix(part, "_INTERNAL_") && !strings.HasPrefix(part, "_GLOBAL__N_") {
			parts = append(parts, part)
		}
		name = rest[n:]
	}
	return cmp.Or(strings.Join(parts, "::"), name)
}
