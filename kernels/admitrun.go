package kernels

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

const (
	maxRounds   = 2 * maxWorkloads
	maxMessages = 64
	maxProposed = 4096     // candidates of one reply
	maxPrompt   = 16 << 20 // bytes of a message, or of a reply
	maxCounters = 256      // metrics of a workload
	maxKernels  = maxWorkloads
)

// deviceKinds are what a device can be; a table without one has none.
var deviceKinds = []string{"", "cuda", "cpu", "replay"}

// Admit checks a device. Its name, driver and toolchain are only shown.
func (d *Device) Admit() error {
	clean(MaxLine, &d.Name, &d.UUID, &d.Driver, &d.Toolchain)
	if !slices.Contains(deviceKinds, d.Kind) {
		return fmt.Errorf("kind: %s: expected cuda, cpu or replay", quoted(d.Kind))
	}
	return cmp.Or(under("arch", CheckArch(d.Arch)), counts("cc", d.CC), counts("sms", d.SMs),
		counts("smem", d.SmemPerBlock, d.SmemPerSM), counts("regs_per_sm", d.RegsPerSM),
		counts("threads", d.MaxThreads, d.ThreadsPerSM), counts("l2_bytes", d.L2Bytes),
		counts("memory_bytes", d.MemoryBytes))
}

// Admit checks what figures stand on.
func (p *Provenance) Admit() error {
	clean(MaxLine, &p.Protocol, &p.Version, &p.Host, &p.CacheMode)
	if p.DType != "" && !p.DType.Valid() {
		return fmt.Errorf("dtype: unknown dtype %s", quoted(string(p.DType)))
	}
	if c := p.Ceilings; c != nil {
		if err := cmp.Or(unless0("ceilings.bandwidth", c.Bandwidth, 1, 1e30), unless0("ceilings.l2", c.L2, 1, 1e30),
			unless0("ceilings.matrix", c.Matrix, 1, 1e30),
			number("ceilings.launch", math.Abs(c.Launch), 0, longest)); err != nil {
			return err
		}
	}
	return cmp.Or(number("noise", p.Noise, 0, mostWork), inside("device", p.Device.Admit()))
}

// AdmitWorkloads checks the workloads of a run or a recording: there is one, each has a name of its own, and a weight.
func AdmitWorkloads(all []Workload) error {
	if len(all) == 0 || len(all) > maxWorkloads {
		return fmt.Errorf("workloads: %d: expected 1 to %d", len(all), maxWorkloads)
	}
	seen := map[string]bool{}
	return each("workloads", all, maxWorkloads, func(w *Workload) error {
		if seen[w.Name] {
			return fmt.Errorf("name: %q is there twice", w.Name)
		}
		seen[w.Name] = true
		return w.admit()
	})
}

func (w *Workload) admit() error {
	if len(w.Dims) > maxGenes {
		return fmt.Errorf("dims: %d: expected at most %d", len(w.Dims), maxGenes)
	}
	for name, v := range w.Dims {
		if err := CheckIdentifier(name); err != nil {
			return under("dims", err)
		}
		if v < 0 || v > 1<<31-1 {
			return fmt.Errorf("dims.%s: %d: expected 0 to 2147483647", name, v)
		}
	}
	return cmp.Or(under("name", CheckSize(w.Name)), number("weight", w.Weight, math.SmallestNonzeroFloat32,
		math.MaxFloat32))
}

// Admit checks the names and values of pins.
func (p Pins) Admit() error {
	if len(p) > maxGenes {
		return fmt.Errorf("%d: expected at most %d", len(p), maxGenes)
	}
	for name, values := range p {
		if err := CheckIdentifier(name); err != nil {
			return err
		}
		if len(values) > maxValues {
			return fmt.Errorf("%s: %d values: expected at most %d", name, len(values), maxValues)
		}
		for _, v := range values {
			if err := v.Admit(); err != nil {
				return under(name, err)
			}
		}
	}
	return nil
}

// Admit checks a duel. One that decided nothing may have no rounds and no ratio.
func (d *Duel) Admit() error {
	clean(MaxLine, &d.Champion, &d.Challenger)
	clean(MaxName, (*string)(&d.ChampionKind), (*string)(&d.Verdict), (*string)(&d.Culprit))
	cleanDetail(&d.Detail)
	return cmp.Or(under("proof", CheckLine(d.Provenance, MaxName)), bounds(d.Ratio, d.Lo, d.Hi),
		each("rounds", d.Rounds, maxRounds, (*DuelRound).admit))
}

func (r *DuelRound) admit() error {
	clean(MaxName, &r.Cache)
	return cmp.Or(under("workload", CheckSize(r.Workload)), number("champion", r.Champion, 0, longest),
		number("challenger", r.Challenger, 0, longest), bounds(r.Ratio, r.Lo, r.Hi),
		counts("pairs", r.Pairs), counts("discarded", r.Discarded), number("clock", r.Clock, 0, mostWork),
		number("repeat", r.Repeat[0], 0, mostWork), number("repeat", r.Repeat[1], 0, mostWork))
}

// bounds checks a ratio with its interval, of which an end may be anywhere.
func bounds(ratio, lo, hi float64) error {
	return cmp.Or(unless0("ratio", ratio, 1/mostTimes, mostTimes), number("lo", lo, 0, math.MaxFloat64),
		number("hi", hi, 0, math.MaxFloat64))
}

// Admit checks a baseline's result, or the winner's.
func (b *BaselineResult) Admit() error {
	clean(MaxName, (*string)(&b.Kind))
	clean(MaxAbout, &b.About)
	for i := range b.Sanitized {
		s := &b.Sanitized[i]
		clean(MaxName, &s.Tool, &s.Verdict)
		cleanDetail(&s.Detail)
	}
	return cmp.Or(under("name", CheckLabel(b.Name)), under("proof", CheckLine(b.Provenance, MaxName)),
		each("times", b.Times, maxTimes, (*Timing).admit))
}

func (g *Gain) admit() error {
	if g.Workload != "" {
		if err := CheckSize(g.Workload); err != nil {
			return under("workload", err)
		}
	}
	return bounds(g.Ratio, g.Lo, g.Hi)
}

func (c *GeneChange) admit() error {
	clean(MaxName, &c.Gene, &c.From, &c.To)
	return nil
}

func (c *Counters) admit() error {
	clean(maxSize, &c.Workload)
	if len(c.Values) > maxCounters {
		return fmt.Errorf("values: %d: expected at most %d", len(c.Values), maxCounters)
	}
	return nil
}

// Admit checks what a choice buys.
func (i *Insight) Admit() error {
	cleanDetail(&i.Detail)
	clean(MaxName, &i.Cache)
	if len(i.Waves) > maxWorkloads {
		return fmt.Errorf("waves: %d: expected at most %d", len(i.Waves), maxWorkloads)
	}
	return cmp.Or(under("proof", CheckLine(i.Provenance, MaxName)), inside("gain", i.Gain.admit()),
		number("alone", i.Alone, 0, math.MaxFloat64), each("genes", i.Genes, maxGenes, (*GeneChange).admit),
		each("repaired", i.Repaired, maxGenes, (*GeneChange).admit), each("shapes", i.Shapes, maxWorkloads, (*Gain).admit),
		each("resources", i.Resources, maxResources, (*Resources).admit),
		each("counters", i.Counters, maxWorkloads, (*Counters).admit))
}

// Admit checks that a portfolio's choices are among its kernels. Older runs have choices without times.
func (p *Portfolio) Admit() error {
	clean(MaxName, &p.Cache)
	if len(p.Kernels) == 0 || len(p.Kernels) > maxKernels {
		return fmt.Errorf("kernels: %d: expected 1 to %d", len(p.Kernels), maxKernels)
	}
	return cmp.Or(under("proof", CheckLine(p.Provenance, MaxName)), under("objective", CheckSize(p.Objective.String())),
		inside("gain", p.Gain.admit()), counts("k", p.K),
		each("choices", p.Choices, maxWorkloads, func(c *Choice) error {
			if c.Kernel < 0 || c.Kernel >= len(p.Kernels) {
				return fmt.Errorf("kernel: %d: expected 0 to %d", c.Kernel, len(p.Kernels)-1)
			}
			return cmp.Or(under("workload", CheckSize(c.Workload)), number("time", c.Time, 0, longest),
				number("single", c.Single, 0, longest), c.Gain.admit())
		}))
}

// Admit checks a question to a language model with its reply. The texts stay as they are, for a reply can be used
// again; what counts tokens or money is held between nothing and more than anybody has.
func (e *Exchange) Admit() error {
	clean(MaxLine, &e.Arm, &e.Family)
	cleanDetail(&e.Refused, &e.Failed)
	e.Tokens.In, e.Tokens.Cached, e.Tokens.Out = held(e.Tokens.In), held(e.Tokens.Cached), held(e.Tokens.Out)
	e.Attempts = held(e.Attempts)
	if !(e.USD >= 0) {
		e.USD = 0
	}
	switch {
	case len(e.Asked) > maxMessages:
		return fmt.Errorf("asked: %d messages: expected at most %d", len(e.Asked), maxMessages)
	case len(e.Reply) > maxPrompt:
		return fmt.Errorf("reply: %d bytes: expected at most %d", len(e.Reply), maxPrompt)
	case len(e.Proposed) > maxProposed:
		return fmt.Errorf("proposed: %d candidates: expected at most %d", len(e.Proposed), maxProposed)
	case e.Took < 0:
		return errors.New("took: expected 0 or more")
	}
	return number("usd", e.USD, 0, mostWork)
}

func held(n int) int { return max(0, min(n, 1<<40)) }

// Admit checks what a candidate was held against.
func (t *Trial) Admit() error {
	if len(t.Parts) > maxTags {
		return fmt.Errorf("parts: %d: expected at most %d", len(t.Parts), maxTags)
	}
	for i := range t.Parts {
		d := &t.Parts[i]
		clean(MaxName, (*string)(&d.Part), (*string)(&d.Verdict))
		cleanDetail(&d.Detail)
		if err := number("s", d.Seconds, 0, longest); err != nil {
			return fmt.Errorf("parts[%d].%w", i, err)
		}
	}
	return under("proof", CheckLine(t.Provenance, MaxName))
}
