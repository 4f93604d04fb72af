package compile

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"darwarp/eval/internal/cubin"
)

// harmless are the functions outside of a candidate that it may call on the cpu device: the mathematical ones, those
// that move bytes, and those that compilers call on their own. A candidate is device code: on a GPU there is no
// operating system to call, so there is none here.
var harmless = []*regexp.Regexp{
	regexp.MustCompile(`^(a?(sin|cos|tan)h?|sincos|atan2|exp|exp2|exp10|expm1|log|log2|log10|log1p|logb|ilogb|pow|sqrt|` +
		`cbrt|hypot|fabs|floor|ceil|trunc|round|rint|nearbyint|l?l?rint|l?l?round|fma|fmod|remainder|remquo|fmin|fmax|fdim|` +
		`erf|erfc|tgamma|lgamma|ldexp|scalbn|frexp|modf|copysign|nextafter|j0|j1|y0|y1)f?$`),
	regexp.MustCompile(`^(mem(cpy|set|move|cmp)|abort|printf|puts|putchar|__assert_fail|__stack_chk_fail|__tls_get_addr|` +
		`__dso_handle|_GLOBAL_OFFSET_TABLE_|_TLS_MODULE_BASE_)$`),
	regexp.MustCompile(`^(__cxa_(guard_(acquire|release|abort)|begin_catch|end_catch|pure_virtual|` +
		`throw_bad_array_new_length)|__gxx_personality_v0|_Unwind_Resume|_ZSt\d+__throw_\w+|_Zd[la]Pvm?)$`),
	regexp.MustCompile(`^__[a-z]+([sdt]i|[bhsdtx]f)+[0-9]?$`), // of the compiler's own library
}

// heap matches the host's allocators, which replace the device's malloc and new here.
var heap = regexp.MustCompile(`^(malloc|free|calloc|realloc|aligned_alloc|_Zn[wa]m\w*)$`)

// foreign lists the functions that an object calls, except harmless ones and ours.
func foreign(object []byte, ours map[string]bool) ([]string, error) {
	undefined, _, err := symbols(object)
	return slices.DeleteFunc(undefined, func(name string) bool {
		return ours[name] || heap.MatchString(name) ||
			slices.ContainsFunc(harmless, func(re *regexp.Regexp) bool { return re.MatchString(name) })
	}), err
}

// symbols lists the global names that an object needs and those that it defines.
func symbols(object []byte) (undefined, defined []string, err error) {
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return nil, nil, fmt.Errorf("read object: %w", err)
	}
	all, err := f.Symbols()
	if err != nil {
		return nil, nil, fmt.Errorf("read object: %w", err)
	}
	for _, s := range all {
		switch {
		case elf.ST_BIND(s.Info) == elf.STB_LOCAL || s.Name == "":
		case s.Section == elf.SHN_UNDEF:
			undefined = append(undefined, s.Name)
		default:
			defined = append(defined, s.Name)
		}
	}
	return undefined, defined, nil
}

// hostState names the memory of an object that its functions can write and a later call can read: variables, and the
// heap. Shared memory is emulated by thread-local variables, which lie in sections of their own and are poisoned
// before every block; __constant__ variables are read-only after loading.
func hostState(object []byte) ([]string, error) {
	variables, err := cubin.Variables(object, func(s *elf.Section) bool {
		return s.Flags&elf.SHF_WRITE != 0 && s.Flags&elf.SHF_TLS == 0 && !strings.HasPrefix(s.Name, ".data.rel.ro")
	})
	if err != nil {
		return nil, err
	}
	var found []string
	for _, v := range variables {
		found = append(found, v.String())
	}
	undefined, _, err := symbols(object)
	if slices.ContainsFunc(undefined, heap.MatchString) {
		found = append(found, cubin.Heap)
	}
	return found, err
}

// hostCode is the SHA-256 of what a shared object puts into memory: two sources with the same code behave the same.
// Line numbers that a kernel has for its reports make equal kernels differ; that costs only one more run.
func hostCode(image []byte) (string, error) {
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return "", fmt.Errorf("read shared object: %w", err)
	}
	h := sha256.New()
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Type == elf.SHT_NOTE || strings.HasPrefix(s.Name, ".eh_frame") {
			continue
		}
		fmt.Fprintf(h, "%s %d ", s.Name, s.Size)
		if s.Type == elf.SHT_NOBITS || s.Size == 0 {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return "", fmt.Errorf("read section %s: %w", s.Name, err)
		}
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(data))))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
