package eval

import (
	"cmp"
	"math/rand/v2"
	"strings"
	"syscall"
	"time"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/duel"
	"darwarp/eval/internal/proc"
)

// speeds are the times in ns by entry; others take 10 us.
var speeds = map[string]float64{"fast": 9e3, "too_fast": 0.001, "zero": 0, "negative": -5, "slow": 100e3,
	"glacial": 125e6, "glacial_yet_faster": 115e6,
	"replays": 2e3, "half_as_fast": 19.5e3, "nearly_half": 5.3e3, "seven_tenths": 7e3, "four_fifths": 8e3,
	"lengthy": 5e6, "lengthy_yet_faster": 4.7e6,
	"dips": 9.5e3, "low": 9.5e3, "visited": 9.5e3, "loud": 9.5e3, "stormy": 1e3,
	"killed_in_duel": 8e3, "killed_at_the_end": 8e3,
	"replays_scratch": 2e3, "stores_what_differs": 8e3, "seen_only": 8e3, "seen_a_little": 9.5e3, "strays_in_duel": 8e3,
	"spoils_in_duel": 8e3,
	"marks_in_duel":  8e3, "half_in_duel": 8e3, "crashes_in_duel": 8e3, "hangs_in_duel": 8e3, "wrong_on_trial": 8e3,
	"impossible": 0.001, "cached": 9e3}

// unseen are the times of calls on inputs that were not seen before, where they are others.
var unseen = map[string]float64{"replays_scratch": 10.5e3, "stores_what_differs": 9e3, "seen_only": 10.4e3,
	"seen_a_little": 10e3}

// again are the times of fresh calls that are repeated, over those before, where they are not the same.
var again = map[string]float64{"replays_scratch": 0.2, "stores_what_differs": 0.8}

func speed(entry string, fresh bool) float64 {
	ns, ok := speeds[strings.TrimRight(entry, "x")] // of many that differ in their names alone
	if !ok {
		ns = 10e3
	}
	if other, ok := unseen[entry]; ok && fresh {
		return other
	}
	return ns
}

// strayed are the writes of a kernel's timed launches to what it must not write to, by its name.
func strayed(entry string) *device.Strays {
	return map[string]*device.Strays{
		"strays_later":   {Where: "1025 normal", Bytes: 4},                // of a case that is not timed
		"spoils_later":   {Where: "the buffers of cold runs", Input: "x"}, // which are made once for all candidates
		"marks_later":    {Where: "4096 normal", Left: 8},                 // in scratch that is to be left cleared
		"strays_in_duel": {Where: "1025 normal", Bytes: 4},
		"spoils_in_duel": {Where: "4096 normal", Input: "x"},
		"marks_in_duel":  {Where: "4096 normal", Left: 8},
	}[entry]
}

// record puts outputs of so many samples into a slot, as a device does whose outputs no hash is known of.
func (f *fake) record(req *device.Record, side, samples int, cases []int, factor float64) []int {
	tape := f.prep.NewTape(req, side, samples)
	rng := rand.New(rand.NewPCG(1, 2))
	for range samples {
		_ = tape.Take(cases, rng, func(k, at int) error { f.write(&f.prep.Cases[cases[k]], at, factor); return nil })
	}
	return tape.Cases()
}

func (f *fake) time(req *device.Time, c *proc.Conn) any {
	entry := req.Calls[0].Launches[0].Entry
	if entry == "hang_later" {
		c.Phase("time")
		time.Sleep(time.Hour)
	}
	ns, factor := speed(entry, false)*f.slower(entry), 2.0
	if entry == "half_when_timed" {
		factor = 1
	}
	reply := device.TimeReply{Strays: strayed(entry)}
	if strings.HasSuffix(entry, "_in_duel") {
		reply.Strays = nil
	}
	for _, run := range req.Runs {
		r := device.RunReply{Calls: 20, Checked: 20, Clock: 1900, Single: ns + 2e3}
		for i := range cmp.Or(req.Count, 20) {
			r.Samples = append(r.Samples, ns*(1+0.001*float64(i%3)))
		}
		r.Screened = run.Bar > 0 && ns > 2*run.Bar
		r.Recorded = f.record(req.Record, 0, req.Count, run.Cases, factor)
		switch entry {
		case "cached":
			r.Wrong = 10
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
		reply.Strays = &device.Strays{Kept: "answers (64 bytes)"}
	}
	return reply
}

// disturb is what happens to a pair of a duel, by the name of the challenger, in its first blocks.
func (f *fake) disturb(entry string, i int, a, b float64, reply *device.DuelReply) (float64, float64) {
	clock := 1900.0
	switch {
	case entry == "dips" && f.blocks > 1 && f.blocks < 4, entry == "low" && f.blocks > 0:
		if i%2 == 1 {
			clock = 1100
		}
	case entry == "stormy" && i%10 == 1: // two pairs of each twenty
		b *= 50
		fallthrough
	case entry == "stormy":
		clock = 1100 * float64(1+i%2)
	case entry == "visited" && f.blocks == 1 && i%3 == 0:
		a *= 2
	case entry == "loud" && f.blocks > 0 && f.blocks < 3 && i%4 == 0:
		a, b = a*1.1, b/1.1
	case entry == "loud" && f.blocks > 0 && f.blocks < 3 && i%4 == 1:
		a, b = a/1.1, b*1.1
	}
	reply.A.Clock, reply.B.Clock = append(reply.A.Clock, 1900), append(reply.B.Clock, clock)
	return a, b
}

func (f *fake) duel(req *device.Duel, c *proc.Conn) any {
	var reply device.DuelReply
	entries := [2]string{req.A.Calls[0].Launches[0].Entry, req.B.Calls[0].Launches[0].Entry}
	entry, fresh := entries[1], req.Run.Fresh > 0
	bank := 8
	if req.Estimates != [2]float64{} {
		bank = 2
	}
	if fresh && (len(req.Run.Cases) != bank || len(req.A.Expect[0]) != len(req.B.Expect[0])) {
		panic("a fresh duel without a bank")
	}
	if entry == "killed_in_duel" || entry == "killed_at_the_end" {
		dieOnce(entry, syscall.SIGKILL)
	}
	if req.Pairs == duel.Batch && !fresh { // not the opening
		f.blocks++
	}
	for i := range req.Pairs {
		a, b := f.disturb(entry, i, speed(entries[0], fresh), speed(entry, fresh), &reply)
		jitter := 1 + 0.0002*float64(i%5)
		if fresh && entry == "seen_a_little" {
			jitter = 1 + 0.01*float64(i%2) - 0.005
		}
		reply.A.Samples, reply.B.Samples = append(reply.A.Samples, a*jitter), append(reply.B.Samples, b/jitter)
	}
	if req.Pairs != duel.Batch {
		f.blocks = 0
	}
	for i, name := range entries {
		side := reply.Side(i)
		c.Phase(device.Turn(req.Run.Workload, i))
		f.duelAs(name, req, i, side, &reply)
		if fresh {
			for range req.Pairs {
				side.Repeat = append(side.Repeat, cmp.Or(again[name], 1))
			}
		}
	}
	return reply
}

// duelAs is what a kernel does in a duel, by its name.
func (f *fake) duelAs(name string, req *device.Duel, i int, side *device.Side, reply *device.DuelReply) {
	factor := 2.0
	switch name {
	case "hangs_in_duel":
		time.Sleep(time.Hour)
	case "crashes_in_duel":
		reply.Fault, reply.Faulted = &device.Fault{Case: "duel", Code: 700, Text: "CUDA_ERROR_ILLEGAL_ADDRESS (700)",
			Sticky: true}, i+1
	case "cached":
		side.Wrong = 1
	case "half_in_duel":
		factor = 1
	}
	side.Strays = strayed(name)
	side.Recorded = f.record(req.Record, i, req.Pairs, req.Run.Cases[:max(2, req.Run.Fresh)], factor)
}
