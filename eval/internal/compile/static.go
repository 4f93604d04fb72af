package compile

import (
	"bytes"
	"debug/elf"
	"fmt"
	"regexp"
	"strings"

	"darwarp/eval/internal/cubin"
)

// mostStaticShared is how much static shared memory a kernel may have on every architecture, in bytes; more must be
// dynamic (CUDA C++ Programming Guide, "Compute Capabilities": the first 48 KB need no opt-in).
const mostStaticShared = 48 << 10

// tooMuchStatic is what the assembler says of a kernel with too much static shared memory.
func tooMuchStatic(entry string, bytes int) string {
	return fmt.Sprintf("error: kernel %s has %d bytes of static shared data, at most %d", entry, bytes, mostStaticShared)
}

// local is the name of a variable of a function with that of the function (Itanium C++ ABI, 5.1.6).
var local = regexp.MustCompile(`^(_ZZ.*E)\d+[A-Za-z_]\w*$`)

// staticShared refuses an object for the cpu device that no assembler for a GPU would take: it says which kernel has
// more static shared memory than any may have, or nothing. Shared variables are thread-local ones there. What a kernel
// takes by calling functions, or by using variables outside of them, is known only where the source has one kernel, and
// no template that could make several of it.
func staticShared(object []byte, source string) (string, error) {
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return "", fmt.Errorf("read object: %w", err)
	}
	all, err := f.Symbols()
	if err != nil {
		return "", fmt.Errorf("read object: %w", err)
	}
	text := notCode.ReplaceAllString(source, " ")
	single := strings.Count(text, "__global__") == 1 && !strings.Contains(text, "template")
	sums, total, largest := map[string]int{}, 0, ""
	for _, s := range all {
		if elf.ST_TYPE(s.Info) != elf.STT_TLS || s.Section == elf.SHN_UNDEF || strings.HasPrefix(s.Name, "_ZGV") {
			continue // of another kind, dynamic, or the compiler's own guard of a constructor
		}
		total += int(s.Size)
		if m := local.FindStringSubmatch(s.Name); m != nil {
			if sums[m[1]] += int(s.Size); sums[m[1]] > sums[largest] {
				largest = m[1]
			}
		}
	}
	most := sums[largest]
	if single {
		most = total
	}
	if most <= mostStaticShared {
		return "", nil
	}
	return tooMuchStatic(readable(largest), most), nil
}

// readable is the name of a function before those of its variables.
func readable(function string) string {
	if function == "" {
		return "of this source"
	}
	return cubin.Readable("_Z" + strings.TrimPrefix(function, "_ZZ"))
}
