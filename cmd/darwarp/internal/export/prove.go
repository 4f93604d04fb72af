package export

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Proof is what building an export's units with nvcc showed.
type Proof struct {
	NVCC  string // its version, such as 13.0
	Units int    // whose object has no code of the host but what nvcc adds
}

// UnprovenError says that what nvcc makes of an export is more than was judged.
type UnprovenError struct {
	File string
	Err  error
}

func (e *UnprovenError) Error() string { return e.File + ": " + e.Err.Error() }

func (e *UnprovenError) Unwrap() error { return e.Err }

// Prove builds the units of an export with nvcc, in a folder for a while, and looks at the objects. An UnprovenError
// says that one has code of the host; other errors, that nvcc does not build it here.
func Prove(ctx context.Context, nvcc string, write func(dir string) error, all ...Kernel) (p Proof, err error) {
	temp, err := os.MkdirTemp("", "darwarp-prove-")
	if err != nil {
		return p, err
	}
	defer os.RemoveAll(temp)
	dir := filepath.Join(temp, "export")
	if err := write(dir); err != nil {
		return p, err
	}
	if p.NVCC, err = release(ctx, nvcc); err != nil {
		return p, err
	}
	for i, k := range all {
		from := code("kernel.cu")
		if _, err := os.Stat(filepath.Join(dir, string(from))); err != nil {
			from = code(fmt.Sprintf("kernel_%d.cuh", i))
		}
		u, err := k.unit(code(fmt.Sprintf("kernel_%d", i)), from)
		if err != nil {
			return p, err
		}
		b := builder{ctx, nvcc, dir, temp, k}
		if err := b.hostless(u); err != nil {
			return p, err
		}
		p.Units++
	}
	return p, nil
}

var releaseRE = regexp.MustCompile(`release ([0-9]+\.[0-9]+)`)

func release(ctx context.Context, nvcc string) (string, error) {
	out, err := exec.CommandContext(ctx, nvcc, "--version").Output()
	if m := releaseRE.FindSubmatch(out); m != nil {
		return string(m[1]), nil
	}
	return "", errors.Join(fmt.Errorf("%s does not say its version", nvcc), err)
}

// builder compiles the units of one kernel.
type builder struct {
	ctx             context.Context
	nvcc, dir, temp string
	kernel          Kernel
}

func (b builder) run(args ...string) ([]byte, error) {
	out := filepath.Join(b.temp, "out")
	all := append([]string{"-O3", "-std=c++17", string(b.kernel.ArchFlag())}, b.kernel.NVCCFlags...)
	cmd := exec.CommandContext(b.ctx, b.nvcc, append(append(all, "-Iinclude", "-o", out), args...)...)
	cmd.Dir = b.dir
	if text, err := cmd.CombinedOutput(); err != nil {
		lines := strings.SplitAfter(string(text), "\n")
		return nil, fmt.Errorf("nvcc: %w\n%s", err, strings.Join(lines[:min(len(lines), 20)], ""))
	}
	return os.ReadFile(out)
}

// hostless refuses an object with code of the host other than nvcc's own.
func (b builder) hostless(u unit) error {
	object, err := b.run("-c", string(u.File))
	if err != nil {
		return err
	}
	if err := u.hostless(object); err != nil {
		return &UnprovenError{string(u.File), err}
	}
	return nil
}

// glue matches the names of what nvcc adds to every object with kernels: how they are registered.
var glue = regexp.MustCompile(`^(DW\.ref\.__gxx_personality_v0|(_ZL\d+)?(__sti____cudaRegisterAll|` +
	`__cuda(UnregisterBinaryUtil|LaunchKernel_helper)|____nv_dummy_param_ref|__internal_cast_u2s|` +
	`__nv_(cudaEntityRegisterCallback|init_managed_rt_with_module|save_fatbinhandle_for_managed_rt))[a-zPv]*` +
	`(\.(cold|part|isra|constprop)[.0-9]*)*)$`)

// needed are the functions that this glue calls.
var needed = regexp.MustCompile(
	`^(__cuda(GetKernel|InitModule|LaunchKernel|PopCallConfiguration|PushCallConfiguration|` +
		`Register(FatBinary|FatBinaryEnd|Function|Var|ManagedVar|HostVar)|UnregisterFatBinary)|cudaLaunchKernel\w*|` +
		`cudaGetKernel|atexit|exit|__cxa_(guard_(abort|acquire|release)|atexit)|__gxx_personality_v0|_Unwind_Resume|` +
		`__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|__dso_handle)$`)

// hostless looks at an object's names and at what runs when a program starts, which is one function that registers.
func (u unit) hostless(object []byte) error {
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return fmt.Errorf("the object: %w", err)
	}
	for _, s := range f.Sections {
		starts := s.Type == elf.SHT_INIT_ARRAY || s.Type == elf.SHT_PREINIT_ARRAY || s.Type == elf.SHT_FINI_ARRAY ||
			slices.Contains([]string{".ctors", ".dtors", ".init", ".fini"}, s.Name)
		if starts && (s.Type != elf.SHT_INIT_ARRAY || s.Size > 8) {
			return fmt.Errorf("the host runs code of it before main (section %s)", s.Name)
		}
	}
	all, err := f.Symbols()
	if err != nil {
		return fmt.Errorf("the object: %w", err)
	}
	for _, s := range all {
		if err := u.known(s); err != nil {
			return err
		}
	}
	return nil
}

// known refuses the name of a function that is neither nvcc's nor a kernel's stub.
func (u unit) known(s elf.Symbol) error {
	kind := elf.ST_TYPE(s.Info)
	switch {
	case s.Section == elf.SHN_UNDEF && s.Name != "" && !needed.MatchString(s.Name):
		return fmt.Errorf("the host calls %s", s.Name)
	case s.Section == elf.SHN_UNDEF, kind == elf.STT_SECTION, kind == elf.STT_FILE:
		return nil
	case kind == elf.STT_FUNC || kind == elf.STT_GNU_IFUNC || elf.ST_BIND(s.Info) != elf.STB_LOCAL:
		if s.Name != u.Symbol && !glue.MatchString(s.Name) && !u.stub(s.Name) && !u.inside(s) {
			return fmt.Errorf("code or data of the host: %s", s.Name)
		}
	}
	return nil
}

// stub reports whether a name is that of the function by which the host launches a kernel, or of its parts. No other
// name of a source has the kernel's new one within it.
func (u unit) stub(name string) bool {
	return slices.ContainsFunc(u.read.Kernels, func(kernel string) bool {
		return strings.Contains(name, u.Symbol+"_"+kernel)
	})
}

// inside reports whether a name is one of the source's namespace, where nvcc leaves a function that only exits for
// each __device__ one.
func (u unit) inside(s elf.Symbol) bool {
	return strings.HasPrefix(s.Name, "_Z") &&
		strings.Contains(s.Name, fmt.Sprintf("%d%s_source", len(u.Symbol)+7, u.Symbol)) &&
		(elf.ST_TYPE(s.Info) == elf.STT_FUNC || elf.ST_BIND(s.Info) == elf.STB_WEAK)
}
