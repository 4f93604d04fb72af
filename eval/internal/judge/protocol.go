// Package judge compares outputs with the truth on the GPU, in a process of its own: it owns the truth and the memory
// that device workers copy outputs to, makes inputs and truth itself, and never loads a candidate. Its verdicts are
// those of package checker, element by element and word by word.
package judge

import (
	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// Request asks for one thing. Exactly one of the first four fields is set.
type Request struct {
	Open  *device.Open     `json:"open,omitempty"`  // with the harness; the reply is device.OpenReply
	Setup *Setup           `json:"setup,omitempty"` // once; no reply, but the output memory is sent through the channel
	Truth *Truth           `json:"truth,omitempty"` // no reply
	Check *checker.Request `json:"check,omitempty"` // anything but Setup; the reply is checker.JudgeReply
	// Given says that the outputs that Check judges lie at the beginning of the host memory, for they come from elsewhere.
	Given bool `json:"given,omitempty"`
}

// Setup allocates the output memory and loads what compares.
type Setup struct {
	Check     checker.Setup    `json:"check"`
	Slots     int              `json:"slots"`
	Compare   []byte           `json:"compare"`   // cubin of Source
	Reference []byte           `json:"reference"` // cubin of the reference kernel
	Launches  []kernels.Launch `json:"launches"`  // of it, by case
	Budget    int              `json:"budget"`    // bytes of truth that are kept, those used last
}

// Truth makes truths before a verdict is waited for.
type Truth struct {
	Cases []int `json:"cases"`
}
