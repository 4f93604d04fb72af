package sandbox

import (
	"slices"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// table has the numbers of the system calls of this architecture, nil if there is no filter for it.
func table() map[string]int {
	info, err := arch.GetInfo("")
	if err != nil {
		return nil
	}
	return info.SyscallNames
}

// known leaves out the names that this architecture does not have, and repetitions.
func known(names []string) (list []string) {
	numbers := table()
	for _, name := range names {
		if _, ok := numbers[name]; ok && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

func knownRules(rules []rule) []rule {
	numbers := table()
	return slices.DeleteFunc(rules, func(r rule) bool {
		_, ok := numbers[r.Name]
		return !ok
	})
}

func seccompWorks() bool {
	mode, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	return table() != nil && err == nil && (mode == 0 || mode == 2)
}

// seccomp applies the filter to this thread. start is where the path of the program lies that it then becomes.
func (p *Profile) seccomp(start uintptr) error {
	if !seccompWorks() {
		return nil // Check has refused this if it matters
	}
	return seccomp.LoadFilter(seccomp.Filter{Policy: *p.policy(start)})
}
