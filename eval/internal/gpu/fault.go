package gpu

import (
	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"errors"
	"slices"
	"strings"
)

// errScratch marks an allocation that the candidate's plan asked for.
var errScratch = errors.New("scratch memory")

// refusal is what a candidate asks for and this device does not give.
type refusal string

func (r refusal) Error() string { return string(r) }

// ours lists the driver's calls that no candidate has a part in: our buffers, and copies between them.
var ours = []string{"cuMem"}

// refusals are the driver's calls that fail where a candidate asks for what the device does not give.
var refusals = []string{"cuLaunch", "cuModule", "cuFunc", "cuTensorMap"}

// fault turns an error into a candidate's fault where it is one; any other stays our error. Memory that runs out
// while a candidate is loaded, launched or made part of a graph runs out for its tables or its stack: the driver
// sets aside nothing else then.
func fault(where string, err error) (*device.Fault, error) {
	if r := refusal(""); errors.As(err, &r) {
		return &device.Fault{Case: where, Text: err.Error(), Launch: true}, nil
	}
	var e *cuda.Error
	if !errors.As(err, &e) {
		return nil, err
	}
	calls := func(list []string) bool {
		return slices.ContainsFunc(list, func(call string) bool { return strings.HasPrefix(e.Call, call) })
	}
	out := &device.Fault{Case: where, Code: e.Code, Text: e.Error(), Sticky: e.Sticky()}
	switch {
	case e.Code == cuda.OutOfMemory && !errors.Is(err, errScratch) && calls(ours):
		return nil, err
	case e.Code == cuda.OutOfMemory:
		out.Launch, out.Text = true, "no device memory left for its tables, stack or scratch: "+err.Error()
	case calls(refusals) && !e.Sticky():
		out.Launch, out.Text = true, err.Error() // which kernel, which map
	}
	return out, nil
}
