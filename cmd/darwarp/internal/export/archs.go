package export

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"darwarp/kernels"
)

// A portfolio of several runs of one problem has kernels for several architectures, and chooses first by the GPU's
// compute capability, and then by shape.

// arch is an architecture that kernels were found on.
type arch struct {
	Capability int  // 90 for 9.0
	Only       bool // sm_90a: code for it runs on no other
	name       string
}

var numberedRE = regexp.MustCompile(`^sm_([0-9]{2,3})([a-z]?)$`)

// archOf is that of a kernel.
func archOf(k Kernel) (arch, error) {
	m := numberedRE.FindStringSubmatch(k.Target())
	if m == nil {
		return arch{}, fmt.Errorf("%s is for %s: kernels of several devices are for architectures such as sm_80",
			k.Candidate.ID.Short(), k.Target())
	}
	n, err := strconv.Atoi(m[1])
	return arch{n, m[2] != "", k.Target()}, err
}

// part is what was found on one device.
type part struct {
	*sheet // of the first kernel
	Found  kernels.Portfolio
	First  int  // its first kernel
	Alone  bool // without a set being measured: its times are its own
}

// Number is the architecture, as CMake writes it.
func (a arch) Number() string { return a.name[len("sm_"):] }

// parts are the portfolios of all devices, this one first. Two cannot be of one architecture: nothing could choose.
func (p Portfolio) parts() []Portfolio { return append([]Portfolio{p}, p.Others...) }

// addArchs says which kernel is for which architecture, where there are several.
func (s *portfolioSheet) addArchs(parts []Portfolio) error {
	first := 0
	for _, p := range parts {
		s.Parts = append(s.Parts, &part{s.Sheets[first], p.Found, first, p.Alone})
		if first += len(p.Kernels); len(parts) == 1 {
			return nil
		}
		a, err := archOf(p.Kernels[0])
		if err != nil {
			return err
		}
		if slices.ContainsFunc(s.Archs, func(b arch) bool { return b.Capability == a.Capability }) {
			return fmt.Errorf("two of the devices are %s: nothing can choose between their kernels", a.name)
		}
		for range p.Kernels {
			s.ArchOf = append(s.ArchOf, len(s.Archs))
		}
		s.Archs = append(s.Archs, a)
	}
	return nil
}

// Several reports whether there are kernels for several architectures: of one kernel there are none.
func (s *sheet) Several() bool { return false }

// Several reports whether there are kernels for several architectures.
func (s *portfolioSheet) Several() bool { return len(s.Archs) > 1 }

// ArchNames are the architectures, for people.
func (s *portfolioSheet) ArchNames() string {
	if !s.Several() {
		return s.Device.Arch
	}
	text := ""
	for i, a := range s.Archs {
		if i > 0 {
			text += ", "
		}
		text += a.name
	}
	return text
}

// KernelArch is the architecture of a kernel, as CMake writes it.
func (s *portfolioSheet) KernelArch(kernel int) string { return s.Sheets[kernel].Gencode() }

// programArchs are nvcc's flags for what runs on all of the GPUs: the reference, and what checks.
func (s *portfolioSheet) programArchs() (flags []string) {
	for _, a := range s.Archs {
		virtual := "-gencode=arch=compute_" + a.Number() + ",code="
		if flags = append(flags, virtual+a.name); !a.Only { // and later ones
			flags = append(flags, virtual+"compute_"+a.Number())
		}
	}
	return flags
}
