package compile

import (
	"fmt"
	"regexp"
	"strings"

	"darwarp/kernels"
)

// lacking finds in the compiler's messages a name that CUDA has and the emulation does not: those of intrinsics and
// of CUDA's own namespaces.
var lacking = regexp.MustCompile(`'(__|nvcuda|cuda::)[^']*' (was not declared|has not been declared|is not a ` +
	`member)|is not a member of '(nvcuda|cuda)|undeclared identifier '__|attempt to use poisoned|not emulated`)

// explain is the beginning of the compiler's messages.
func (s *cxx) explain(out string, err error) string {
	const most = 20
	text := strings.TrimSpace(cleanLog(out,
		[]string{overlayDir(s.folder), includeDir(s.folder), pchDir(s.folder), workDir(s.folder), s.folder}))
	if text == "" {
		text = "the compiler gave up: " + err.Error()
	}
	lines := strings.Split(text, "\n")
	return kernels.CleanDetail(strings.Join(lines[:min(len(lines), most)], "\n"))
}

// notCode matches comments and literals, in which a word means nothing.
var (
	notCode  = regexp.MustCompile(`//[^\n]*|/\*(?s:.*?)\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`)
	assembly = regexp.MustCompile(`\b(asm|__asm|__asm__)\b`)
)

// usesAssembly names the line of the first inline PTX. It is for a readable message: the prelude poisons the words,
// so no use gets past it.
func usesAssembly(source string) string {
	blank := notCode.ReplaceAllStringFunc(source, func(s string) string {
		return strings.Repeat("\n", strings.Count(s, "\n")) + " "
	})
	if at := assembly.FindStringIndex(blank); at != nil {
		return fmt.Sprintf("%s:%d: inline PTX is not emulated: the cpu device runs what the device include library has a "+
			"function for", sourceName, lineOf(blank, at[0]))
	}
	return ""
}
