package device

import "darwarp/kernels"

// Open takes a device. The reply is OpenReply.
type Open struct {
	Index   int    `json:"index"`
	Harness []byte `json:"harness,omitempty"` // cubin of harness.cu for this device; empty: only look
	Driver  string `json:"driver"`            // path of libcuda
	Library string `json:"library,omitempty"` // path of libcublasLt, empty: none
}

// OpenReply describes the device.
type OpenReply struct {
	Count    int            `json:"count"` // devices on this machine
	Device   kernels.Device `json:"device"`
	MaxClock float64        `json:"max_clock"` // SM MHz
	Free     int            `json:"free"`      // bytes of device memory
	Shares   bool           `json:"shares"`    // two processes may work on it and have memory in common
}

// Prepare allocates and fills the cases. Slots of SlotBytes follow each other in the output memory, which is the first
// inherited file: of the device where OnDevice says so, else of the machine.
type Prepare struct {
	Cases     []Case `json:"cases"`
	Slots     int    `json:"slots"`
	SlotBytes int    `json:"slot_bytes"`
	GuardKey  uint64 `json:"guard_key"`
	OnDevice  bool   `json:"on_device,omitempty"`
	// CaseBytes bounds the device memory that cases and scratch take, where others have plans for the rest; 0: all of it.
	CaseBytes int `json:"case_bytes,omitempty"`
	// Palettes are values like those of a case's outputs, check.PaletteSize of each: outputs are refilled with
	// them. One stands for all cases of its size.
	Palettes map[int][]byte `json:"palettes,omitempty"`
	// Given takes the inputs of all cases from the input memory, in place of those that the seeds make. Only the cpu
	// device does.
	Given bool `json:"given,omitempty"`
	// Maker is the program that has the kernels of Case.Maker; none where no inputs are made from others.
	Maker []byte `json:"maker,omitempty"`
}

// Truth runs the reference kernel on every prepared case and writes the truth memory. Only a
// process that never loads a candidate is asked for it. There is no reply.
type Truth struct {
	Cubin    []byte           `json:"cubin"`            // empty: there is none, and only inputs are wanted
	Launches []kernels.Launch `json:"launches"`         // by case
	Inputs   []int            `json:"inputs,omitempty"` // cases whose inputs go to the input memory, packed
}

// Inputs asks for a case's inputs, for something that runs elsewhere. The reply is InputsReply.
type Inputs struct {
	Case int `json:"case"`
	// Of is a case that was not prepared, in whose place none is; its inputs lack what Omission says, if there is one.
	// Only a process that never loads a candidate is asked for it.
	Of       *Case     `json:"of,omitempty"`
	Omission *Omission `json:"omission,omitempty"`
}

// InputsReply is the inputs of a case one after the other.
type InputsReply struct {
	Bytes []byte `json:"-"`
}

// Blob is where the bytes go.
func (r *InputsReply) Blob() *[]byte { return &r.Bytes }

// Library looks for the library's best algorithm for a run. The reply is LibraryReply.
type Library struct {
	Run     Run           `json:"run"`
	DType   kernels.DType `json:"dtype"`
	Dims    kernels.Dims  `json:"dims"`              // m, n, k
	Outputs []int         `json:"outputs,omitempty"` // cases of the run whose outputs go to slot 0, packed
}

// LibraryReply names what was found.
type LibraryReply struct {
	About string   `json:"about"`
	Tried int      `json:"tried"`
	Best  float64  `json:"best"` // ns a call
	Hash  []uint64 `json:"hash"` // of the outputs in slot 0
	Fault *Fault   `json:"fault,omitempty"`
}

// Trim gives back all memory that can be made anew, for somebody else who needs it.
type Trim struct{}

// Ceilings measures the device's limits, products in a type among them. The reply is kernels.Ceilings.
type Ceilings struct {
	DType kernels.DType `json:"dtype"`
}
