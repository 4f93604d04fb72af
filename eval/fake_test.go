package eval

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// fake is a device worker without a device. It computes y = 2x like an honest one, unless the name of
// the kernel it is to launch says what goes wrong: the entry "hang" hangs, "segv" dies, and so on.
type fake struct {
	out, truth []byte
	prep       device.Prepare
	blocks     int // of the duel
	gpu        int // its index; see fakehost_test.go
}

func fakeMain(args []string) int {
	files, err := device.Inherit(args)
	if err != nil {
		panic(err)
	}
	f := &fake{out: inherited(0), truth: files.Truth}
	return proc.Main(func(_ context.Context, fr proc.Frame, c *proc.Conn) error {
		var req device.Request
		if err := fr.Decode(&req); err != nil {
			return err
		}
		return c.Reply(f.handle(&req, c))
	})
}

func inherited(i int) []byte {
	f, err := proc.Inherited(i)
	if err != nil {
		panic(err)
	}
	m, err := proc.OpenShared(f)
	if err != nil {
		panic(err)
	}
	return m.Map()
}

func (f *fake) handle(req *device.Request, c *proc.Conn) any {
	if name := req.Name(); name == os.Getenv("DARWARP_FAKE_KILLED") {
		dieOnce(name, syscall.SIGKILL)
	}
	f.early(req.Truth != nil)
	switch {
	case req.Open != nil:
		dev, _ := kernels.ArchDevice("sm_90a")
		dev.Name, dev.MemoryBytes = "fake GPU", 4<<30
		f.open(req.Open.Index, &dev)
		return device.OpenReply{Count: 1, Device: dev, MaxClock: 1980, Shares: os.Getenv("DARWARP_FAKE_JUDGE") != ""}
	case req.Prepare != nil:
		f.prep = *req.Prepare
		return nil
	case req.Truth != nil:
		f.makeTruth()
		return nil
	case req.Power != nil:
		return device.PowerReply{Proofs: make([]device.ProofReply, len(req.Power.Proofs))}
	case req.Trim != nil:
		return nil
	case req.Ceilings != nil:
		return kernels.Ceilings{Bandwidth: 4e12, L2: 8e12, Matrix: 7e14}
	case req.Gate != nil:
		return f.gate(req.Gate, c)
	case req.Time != nil:
		return f.time(req.Time, c)
	case req.Duel != nil:
		return f.duel(req.Duel, c)
	case req.Disturb != nil:
		return f.disturbed(req.Disturb, c)
	case req.Inputs != nil:
		var reply device.InputsReply
		for _, v := range input(&f.prep.Cases[req.Inputs.Case]) {
			reply.Bytes = binary.LittleEndian.AppendUint32(reply.Bytes, math.Float32bits(float32(v)))
		}
		return &reply
	}
	return nil
}

// input is the n elements of a case's x.
func input(c *device.Case) []float64 {
	rng := rand.New(rand.NewPCG(c.Seed, 1))
	x := make([]float64, c.Dims["n"])
	for i := range x {
		x[i] = float64(float32(rng.NormFloat64()))
		if c.Class == "exact" {
			x[i] = float64(rng.IntN(3) - 1)
		}
	}
	return x
}

func (f *fake) makeTruth() {
	for i := range f.prep.Cases {
		c := &f.prep.Cases[i]
		x := input(c)
		at := c.TruthAt
		for j, v := range x {
			binary.LittleEndian.PutUint64(f.truth[at+8*j:], math.Float64bits(2*v))
		}
		at += (8*len(x) + 255) &^ 255
		for j, v := range x {
			binary.LittleEndian.PutUint32(f.truth[at+4*j:], math.Float32bits(float32(2*math.Abs(v))))
		}
	}
}

func (f *fake) write(c *device.Case, at int, factor float64) {
	for j, v := range input(c) {
		binary.LittleEndian.PutUint32(f.out[at+4*j:], math.Float32bits(float32(factor*v)))
	}
}

func (f *fake) gate(req *device.Gate, c *proc.Conn) any {
	entry := req.Calls[device.Called(req.Calls)[0]].Launches[0].Entry
	c.Phase("gate")
	f.fail()
	misbehave(entry, c)
	reply := device.GateReply{Cases: make([]device.CaseReply, len(f.prep.Cases))}
	places, err := f.prep.Places(req)
	if err != nil {
		panic(err)
	}
	ran := device.Called(req.Calls)
	for _, i := range ran {
		cs := &f.prep.Cases[i]
		f.write(cs, places[i], factorOf(entry, cs.Trial, i == f.last())*f.factor())
		reply.Cases[i] = device.CaseReply{Ran: true, Hash: cs.Seed, Same: true, Nanos: 10e3}
		if strings.HasPrefix(entry, "glacial") {
			reply.Cases[i].Nanos = speeds["glacial"]
		}
		if strings.HasPrefix(entry, "lengthy") {
			reply.Cases[i].Nanos = speeds["lengthy"]
		}
		lost := len(req.Sets) > 0 && i == req.Sets[0] && req.Slow(reply.Cases[i].Nanos)
		if reply.Lost = lost || entry == "gives_up"; reply.Lost && i == req.Sets[0] {
			break
		}
	}
	if len(req.Sets) > 0 && entry == "glacial_wrong" {
		f.write(&f.prep.Cases[req.Sets[0]], places[req.Sets[0]], 2.01)
	}
	f.fault(entry, &reply, &reply.Cases[ran[len(ran)-1]], c)
	return reply
}

// last is the last of the cases that every candidate is judged on.
func (f *fake) last() (last int) {
	for i := range f.prep.Cases {
		if !f.prep.Cases[i].Trial {
			last = i
		}
	}
	return last
}

// fault makes of a gate's reply what a kernel's name says, at the last case of all if it says so.
func (f *fake) fault(entry string, reply *device.GateReply, last *device.CaseReply, c *proc.Conn) {
	if name, late := strings.CutSuffix(entry, "_at_last"); late && reply.Cases[f.last()].Ran {
		entry = name
	}
	switch entry {
	case "race":
		last.Same = false
	case "out_of_bounds":
		reply.Strays = &device.Strays{Where: cs0(f), Bytes: 3}
	case "mutates":
		reply.Strays = &device.Strays{Where: cs0(f), Input: "x"}
	case "leaves_marks":
		reply.Strays = &device.Strays{Where: cs0(f), Left: 8}
	case "half":
		reply.Cases = reply.Cases[:len(reply.Cases)/2]
	case "sticky":
		reply.Fault = &device.Fault{Case: cs0(f), Code: 700, Text: "CUDA_ERROR_ILLEGAL_ADDRESS (700)", Sticky: true}
		c.Finish(*reply)
	case "refused":
		reply.Fault = &device.Fault{Case: "load", Code: 701, Text: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701)", Launch: true}
	case "keeps":
		reply.Strays = &device.Strays{Kept: "answers (64 bytes)"}
	}
}

// factorOf is what a kernel multiplies a case by, which should be 2.
func factorOf(entry string, trial, last bool) float64 {
	switch {
	case strings.TrimRight(entry, "x") == "wrong", entry == "wrong_at_last" && last, entry == "wrong_on_trial" && trial:
		return 2.01
	case entry == "gives_nan":
		return math.NaN()
	}
	return 2
}

// disturbed is right in every run, unless the entry says what goes wrong beside another stream.
func (f *fake) disturbed(req *device.Disturb, c *proc.Conn) any {
	entry := req.Calls[req.Cases[0]].Launches[0].Entry
	c.Phase("disturb")
	reply := device.DisturbReply{Nanos: 1e6}
	switch {
	case entry == "hangs_disturbed":
		time.Sleep(time.Hour)
	case entry == "dies_disturbed":
		die(syscall.SIGSEGV)
	case entry == "dies_once_disturbed":
		dieOnce(entry, syscall.SIGSEGV)
	case entry == "killed_disturbed":
		die(syscall.SIGKILL)
	case entry == "faults_disturbed":
		reply.Fault = &device.Fault{Case: "disturb", Code: 700, Text: "CUDA_ERROR_ILLEGAL_ADDRESS (700)", Sticky: true}
		c.Finish(reply)
	case entry == "races_disturbed" && req.Bursts:
		reply.Wrong = []int{1}
	case entry == "strays_disturbed":
		reply.Strays = &device.Strays{Where: cs0(f), Bytes: 4}
	case entry == "mutates_disturbed":
		reply.Strays = &device.Strays{Where: "4096 normal", Input: "x"}
	case entry == "keeps_disturbed":
		reply.Strays = &device.Strays{Where: cs0(f), Left: 8}
	case entry == "dice" && len(req.Cases) > 500: // only where there are many
		reply.Wrong = []int{99}
	}
	places, total := device.Pack(f.prep.Cases, req.Cases)
	if len(req.Expect) > 0 {
		return reply
	}
	if total > f.prep.SlotBytes {
		panic("more outputs than a slot has room for")
	}
	for k, i := range req.Cases {
		factor := 2.0
		if entry == "wrong_sums_disturbed" && k == len(req.Cases)-1 {
			factor = 2.01
		}
		f.write(&f.prep.Cases[i], req.Slot*f.prep.SlotBytes+places[k], factor)
	}
	return reply
}

func cs0(f *fake) string { return f.prep.Cases[0].Name }

// misbehave does what takes the whole process along.
func misbehave(entry string, c *proc.Conn) {
	switch entry {
	case "hang":
		time.Sleep(time.Hour)
	case "stopped":
		die(syscall.SIGSTOP)
	case "segv":
		die(syscall.SIGSEGV)
	case "killed":
		die(syscall.SIGKILL)
	case "segv_once":
		dieOnce(entry, syscall.SIGSEGV)
	case "internal":
		os.Exit(proc.ExitInternal)
	case "exits":
		os.Exit(0)
	case "flood":
		for i := range 1 << 20 {
			c.Phase(fmt.Sprint("phase ", i))
		}
	case "garbage":
		_, _ = os.NewFile(4, "replies").WriteString("\xff\xff\xff\xff and now something else")
		time.Sleep(time.Second)
	}
}

// dieOnce dies unless it did under that name before.
func dieOnce(name string, sig syscall.Signal) {
	mark := filepath.Join(os.Getenv("DARWARP_FAKE"), name)
	if _, err := os.Stat(mark); err != nil {
		_ = os.WriteFile(mark, nil, 0o600)
		die(sig)
	}
}

func die(sig syscall.Signal) {
	_ = syscall.Kill(os.Getpid(), sig)
	time.Sleep(time.Minute)
}
