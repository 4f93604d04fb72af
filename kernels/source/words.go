package source

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// keywords cannot be macros: a source in which they are others cannot be read.
var keywords = strings.Fields(`alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t
	char16_t char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit
	continue decltype default defined delete do double dynamic_cast else enum explicit export extern false final float
	for friend goto if import inline int long module mutable namespace new noexcept not not_eq nullptr operator or or_eq
	override private protected public register reinterpret_cast requires return short signed sizeof static static_assert
	static_cast struct switch template this thread_local throw true try typedef typeid typename typeof union unsigned
	using virtual void volatile wchar_t while xor xor_eq`)

// upper are the compiler's own names with capitals that device code has a use for. The others tell compilers, systems
// and libraries apart, or paste words.
var upper = []string{"__NV_E4M3", "__NV_E5M2", "__NV_NOSAT", "__NV_SATFINITE", "__LINE__"}

// system matches names that headers of a system or of a compiler for the host may have made macros, or that are
// attributes: with the compiler's own names in small letters that change what a declaration is.
var system = regexp.MustCompile(`^(__(attribute|declspec|typeof|extension|pragma|host|has_|glibc|gnu|bos|` +
	`nonnull|errordecl|warn|try|catch|throw|except|finally|extern|import|export|stub_|specialization|device_builtin|` +
	`cudart_builtin|builtin_(alloca|apply|va|frame|return|longjmp|setjmp|eh|LINE|FILE|FUNCTION|source))\w*|` +
	`NV_\w*|linux|unix|i386|import|module|export|thread_local|virtual|goto|try|catch|throw|typeid)$`)

func reserved(name string) bool {
	return strings.HasPrefix(name, "__") || len(name) > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z'
}

// strange says why a word cannot be used, or nothing.
func strange(t token) string {
	switch {
	case t.kind == mark && (t.text == "#" || t.text == "##"):
		return fmt.Sprintf("%s outside of a directive", t.text)
	case t.kind != word || slices.Contains(upper, t.text):
		return ""
	case t.text == "__host__":
		return "__host__: code of the host is not allowed: expected __device__ alone"
	case reserved(t.text) && strings.ContainsAny(t.text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), system.MatchString(t.text):
		return t.text + " is not allowed: compilers, or those for device and host, differ in what it means"
	}
	return ""
}
