package env

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// leastSpace is the address space that workers have enough of. Compile workers limit themselves to 8 GiB; a cpu worker
// reserves 10 to 12 GiB, of which it uses little; the driver of a GPU reserves more than all memory there is.
const leastSpace = 16 << 30

// CheckLimits says what is missing before a worker dies of it.
func CheckLimits() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur >= leastSpace {
		return nil
	}
	return &Error{What: fmt.Sprintf("%d GiB of address space", leastSpace>>30),
		Why: fmt.Sprintf("ulimit -v allows %.1f GiB, and workers need more", float64(limit.Cur)/(1<<30)),
		Do:  "Raise the limit with ulimit -v unlimited"}
}
