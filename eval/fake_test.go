package eval

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"darwarp/eval/internal/gpu"
	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// fake is a device worker without a device. It computes y = 2x like an honest one, unless the name of
// the kernel it is to launch says what goes wrong: the entry "hang" hangs, "segv" dies, and so on.
type fake struct {
	out, truth []byte
	prep       gpu.Prepare
	blocks     int // of the duel
}

func fakeMain(args []string) int {
	files, err := gpu.Inherit(args)
	if err != nil {
		panic(err)
	}
	f := &fake{out: inherited(0), truth: files.Truth}
	return proc.Main(func(_ context.Context, fr proc.Frame, c *proc.Conn) error {
		var req gpu.Request
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

func (f *fake) handle(req *gpu.Request, c *proc.Conn) any {
	switch {
	case req.Open != nil:
		dev, _ := kernels.ArchDevice("sm_90a")
		dev.Name, dev.MemoryBytes = "fake GPU", 4<<30
		return gpu.OpenReply{Count: 1, Device: dev, MaxClock: 1980, Shares: os.Getenv("DARWARP_FAKE_JUDGE") != ""}
	case req.Prepare != nil:
		f.prep = *req.Prepare
		return nil
	case req.Truth != nil:
		f.makeTruth()
		return nil
	case req.Power != nil:
		return gpu.PowerReply{Proofs: make([]gpu.ProofReply, len(req.Power.Proofs))}
	case req.Ceilings != nil:
		return kernels.Ceilings{Bandwidth: 4e12, L2: 8e12, Matrix: 7e14}
	case req.Gate != nil:
		return f.gate(req.Gate, c)
	case req.Time != nil:
		return f.time(req.Time, c)
	case req.Duel != nil:
		return f.duel(req.Duel)
	case req.Disturb != nil:
		return f.disturbed(req.Disturb, c)
	case req.Inputs != nil:
		var reply gpu.InputsReply
		for _, v := range input(&f.prep.Cases[req.Inputs.Case]) {
			reply.Bytes = binary.LittleEndian.AppendUint32(reply.Bytes, math.Float32bits(float32(v)))
		}
		return &reply
	}
	return nil
}

// input is the n elements of a case's x.
func input(c *gpu.Case) []float64 {
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

func (f *fake) write(c *gpu.Case, at int, factor float64) {
	for j, v := range input(c) {
		binary.LittleEndian.PutUint32(f.out[at+4*j:], math.Float32bits(float32(factor*v)))
	}
}

func (f *fake) gate(req *gpu.Gate, c *proc.Conn) any {
	entry := req.Calls[gpu.Called(req.Calls)[0]].Launches[0].Entry
	c.Phase("gate")
	misbehave(entry, c)
	reply := gpu.GateReply{Cases: make([]gpu.CaseReply, len(f.prep.Cases))}
	places, err := f.prep.Places(req)
	if err != nil {
		panic(err)
	}
	ran := gpu.Called(req.Calls)
	for _, i := range ran {
		cs := &f.prep.Cases[i]
		factor := 2.0
		switch {
		case entry == "wrong", entry == "wrong_at_last" && i == ran[len(ran)-1]:
			factor = 2.01
		case entry == "wrong_on_trial" && cs.Trial:
			factor = 2.01
		case entry == "gives_nan":
			factor = math.NaN()
		}
		f.write(cs, places[i], factor)
		reply.Cases[i] = gpu.CaseReply{Ran: true, Hash: cs.Seed, Same: true, Nanos: 10e3}
	}
	last := &reply.Cases[ran[len(ran)-1]]
	switch entry {
	case "race":
		last.Same = false
	case "out_of_bounds":
		last.Guard = 3
	case "mutates":
		last.Mutated = "x"
	case "half":
		reply.Cases = reply.Cases[:len(reply.Cases)/2]
	case "sticky":
		reply.Fault = &gpu.Fault{Case: cs0(f), Code: 700, Text: "CUDA_ERROR_ILLEGAL_ADDRESS (700)", Sticky: true}
		c.Finish(reply)
	case "refused":
		reply.Fault = &gpu.Fault{Case: "load", Code: 701, Text: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701)", Launch: true}
	case "keeps":
		reply.Fault = &gpu.Fault{Kept: "answers (64 bytes)"}
	}
	return reply
}

// disturbed is right in every run, unless the entry says what goes wrong beside another stream.
func (f *fake) disturbed(req *gpu.Disturb, c *proc.Conn) any {
	entry := req.Calls[req.Cases[0]].Launches[0].Entry
	c.Phase("disturb")
	reply := gpu.DisturbReply{Nanos: 1e6}
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
		reply.Fault = &gpu.Fault{Case: "disturb", Code: 700, Text: "CUDA_ERROR_ILLEGAL_ADDRESS (700)", Sticky: true}
		c.Finish(reply)
	case entry == "races_disturbed" && req.Bursts:
		reply.Wrong = []int{1}
	case entry == "strays_disturbed":
		reply.Guard = 4
	case entry == "mutates_disturbed":
		reply.Mutated = "x of 4096 normal"
	case entry == "keeps_disturbed":
		reply.Left = 8
	case entry == "dice" && len(req.Cases) > 100: // only where there are many
		reply.Wrong = []int{99}
	}
	places, total := gpu.Pack(f.prep.Cases, req.Cases)
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

// speeds are the times in ns by entry; others take 10 us.
var speeds = map[string]float64{"fast": 9e3, "too_fast": 0.001, "zero": 0, "negative": -5, "slow": 100e3, "replays": 2e3,
	"dips": 9.5e3, "low": 9.5e3, "visited": 9.5e3, "loud": 9.5e3, "killed_in_duel": 8e3, "killed_at_the_end": 8e3}

func (f *fake) time(req *gpu.Time, c *proc.Conn) any {
	entry := req.Calls[0].Launches[0].Entry
	if entry == "hang_later" {
		c.Phase("time")
		time.Sleep(time.Hour)
	}
	ns, ok := speeds[entry]
	if !ok {
		ns = 10e3
	}
	var reply gpu.TimeReply
	for _, run := range req.Runs {
		r := gpu.RunReply{Calls: 20, Checked: 20, Clock: 1900, Single: ns + 2e3}
		for i := range cmp.Or(req.Count, 20) {
			r.Samples = append(r.Samples, ns*(1+0.001*float64(i%3)))
		}
		r.Screened = run.Bar > 0 && ns > 2*run.Bar
		switch entry {
		case "cached":
			r.Wrong = 10
		case "strays_later":
			r.Guard = 4
		case "replays":
			r.Single = 40e3
		}
		reply.Runs = append(reply.Runs, r)
		if r.Screened {
			break
		}
	}
	switch entry {
	case "no_runs":
		reply.Runs = nil
	case "keeps_later":
		reply.Fault = &gpu.Fault{Kept: "answers (64 bytes)"}
	}
	return reply
}

// disturb is what happens to a pair of a duel, by the name of the challenger, in its first blocks.
func (f *fake) disturb(entry string, i int, a, b float64, reply *gpu.DuelReply) (float64, float64) {
	clock := 1900.0
	switch {
	case entry == "dips" && f.blocks > 1 && f.blocks < 4, entry == "low" && f.blocks > 0:
		if i%2 == 1 {
			clock = 1100
		}
	case entry == "visited" && f.blocks == 1 && i%3 == 0:
		a *= 2
	case entry == "loud" && f.blocks > 0 && f.blocks < 3 && i%4 == 0:
		a, b = a*1.1, b/1.1
	case entry == "loud" && f.blocks > 0 && f.blocks < 3 && i%4 == 1:
		a, b = a/1.1, b*1.1
	}
	reply.ClockA, reply.ClockB = append(reply.ClockA, 1900), append(reply.ClockB, clock)
	return a, b
}

func (f *fake) duel(req *gpu.Duel) any {
	var reply gpu.DuelReply
	at := func(c gpu.Contender) float64 {
		if ns, ok := speeds[c.Calls[0].Launches[0].Entry]; ok {
			return ns
		}
		return 10e3
	}
	entry := req.B.Calls[0].Launches[0].Entry
	if entry == "killed_in_duel" || entry == "killed_at_the_end" {
		dieOnce(entry, syscall.SIGKILL)
	}
	if req.Pairs == duelBatch { // not the opening
		f.blocks++
	}
	for i := range req.Pairs {
		a, b := f.disturb(entry, i, at(req.A), at(req.B), &reply)
		jitter := 1 + 0.0002*float64(i%5)
		reply.A, reply.B = append(reply.A, a*jitter), append(reply.B, b/jitter)
	}
	if req.Pairs != duelBatch {
		f.blocks = 0
	}
	if slices.Contains([]string{req.A.Calls[0].Launches[0].Entry, req.B.Calls[0].Launches[0].Entry}, "cached") {
		reply.Wrong = 1
	}
	return reply
}
