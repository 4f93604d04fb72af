package cuda

import (
	"fmt"
	"slices"
)

// Error is a driver call that did not succeed.
type Error struct {
	Code int    // CUresult
	Name string // such as CUDA_ERROR_ILLEGAL_ADDRESS
	Call string // the function that returned it, not always the one that caused it
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s (%d)", e.Call, e.Name, e.Code) }

// Codes that callers distinguish.
const (
	InvalidValue         = 1
	OutOfMemory          = 2
	InvalidImage         = 200
	NoBinaryForGPU       = 209
	InvalidHandle        = 400
	NotFound             = 500
	NotReady             = 600
	IllegalAddress       = 700
	LaunchOutOfResources = 701
	LaunchTimeout        = 702
	IllegalInstruction   = 715
	MisalignedAddress    = 716
	LaunchFailed         = 719
	CooperativeTooLarge  = 720
	NotSupported         = 801
	InvalidClusterSize   = 912
)

// harmless lists the codes that refuse one call and do not affect the process. A fault of a kernel (214, 220, 226,
// 700, 702, 709, 710, 714 to 719, 721) poisons it: every later call fails, and neither resetting the context nor
// retaining a new one helps. So does any code that is not listed, such as those of newer drivers.
var harmless = []int{
	InvalidValue, OutOfMemory, 3, // not initialized
	34, 36, 46, // stub library, newer driver needed, device unavailable
	100, 101, 102, // no device, invalid device, not licensed
	InvalidImage, 201, NoBinaryForGPU, 215, 217, 218, 221, 222, 223, 224, 225, // images, contexts, limits, PTX
	300, 301, 302, 303, 304, // source, files, shared objects
	InvalidHandle, 401, 402, NotFound, NotReady,
	LaunchOutOfResources, 703, 704, 705, 708, 711, 712, 713, CooperativeTooLarge,
	800, NotSupported, 802, 803, 804, 811, 812, // not permitted, not supported, system, device-side launches
	900, 901, 902, 903, 904, 905, 906, 907, 908, 910, // stream capture and graphs
	InvalidClusterSize, 913, 914, 915,
}

// Sticky reports whether the process can no longer use CUDA: it must end, and a new one replace it.
func (e *Error) Sticky() bool { return !slices.Contains(harmless, e.Code) }
