package device

import (
	"fmt"
	"math"

	"darwarp/eval/internal/check"
	"darwarp/kernels"
)

// Power asks whether the check would find what is missing: the reference kernel is run on inputs of which some terms
// are replaced by what adds nothing, and its result is judged as a candidate's. The reply is PowerReply. Only a process
// that never loads a candidate is asked for it.
type Power struct {
	Cubin  []byte  `json:"cubin"`
	Proofs []Proof `json:"proofs"`
}

// Proof is one size and input class.
type Proof struct {
	Case      Case            `json:"case"` // with inputs of its own
	Launch    kernels.Launch  `json:"launch"`
	Length    check.Length    `json:"length"`
	ULPs      float64         `json:"ulps"`
	Rounded   kernels.DType   `json:"rounded,omitempty"` // type that terms are rounded to before they are added
	Coherent  bool            `json:"coherent,omitempty"`
	Acc       []kernels.DType `json:"acc"` // accumulators in use
	Omissions []Omission      `json:"omissions,omitempty"`
}

// Omission is what a wrong kernel might leave out: the terms From to To of all lines, or of one.
type Omission struct {
	What  string `json:"what"`  // "the last 1/64 of k"
	Terms int    `json:"terms"` // index in Case.Terms
	From  int    `json:"from"`
	To    int    `json:"to"`
	Line  int    `json:"line"` // -1: all
	// Further lines, where it is one. Whether its end is seen is then a matter of its numbers: see Proof.unseen
	More []int `json:"more,omitempty"`
}

// MoreLines is how many further lines an omission of one line may have, and linesAhead how many more of them must be
// seen than not, or not than are, for no others to be asked.
const (
	MoreLines  = 31
	linesAhead = 6
)

// PowerReply has one entry per proof.
type PowerReply struct {
	Proofs []ProofReply `json:"proofs"`
}

// ProofReply says what the check cannot do with inputs of this class.
type ProofReply struct {
	Missed string `json:"missed,omitempty"` // a wrong output that would pass
	Unfit  string `json:"unfit,omitempty"`  // an accumulator that these inputs do not suit: right kernels may be refused

	Largest float64 `json:"largest,omitempty"` // the largest output, or sum of magnitudes
}

// ReferenceRun makes the truth of a proof's case on a device.
type ReferenceRun interface {
	// Truth is what a proof looks at of each output (Case.TruthsIn), on the case's inputs less what o says; nil: all of
	// them.
	Truth(o *Omission) ([]check.Truth, error)
}

// Run judges omissions, up to the first that goes unseen, and outputs that are wrong on any inputs.
func (p *Proof) Run(r ReferenceRun) (reply ProofReply, err error) {
	truths, err := r.Truth(nil)
	if err != nil {
		return reply, err
	}
	reply.Largest = largest(truths)
	trials := p.trials(truths)
	for _, t := range trials {
		if t.Limited() {
			reply.Unfit = string(t.Model.Acc)
		}
		for _, w := range t.Wrong() {
			if out := w.Make(); out != nil && t.Passes(out) {
				reply.Missed = p.missed(w.Name, t)
			}
		}
	}
	for i := range p.Omissions {
		missed, err := p.unseen(r, &p.Omissions[i], trials, truths)
		if err != nil {
			return reply, fmt.Errorf("without %s: %w", p.Omissions[i].What, err)
		}
		if missed != "" {
			reply.Missed = missed
			break
		}
	}
	return reply, nil
}

// largest is the largest output, or sum of magnitudes; the largest number where that is inf or NaN, which JSON has not.
func largest(truths []check.Truth) (v float64) {
	for _, t := range truths {
		for i, x := range t.Value {
			v = max(v, math.Abs(x), float64(t.Scale[i]))
		}
	}
	if v = min(v, math.MaxFloat64); !(v >= 0) {
		return math.MaxFloat64
	}
	return v
}

// unseen says of an omission that it is not noticed; empty: it is. The end of one line may be worth no more than
// rounding by chance, and that of most others of the same class more: so if the first line goes unseen further ones
// are asked, and most of all must be seen. A bank of eight sets of which one in two tells it lets it pass once in 256.
// Lines whose end nobody could notice say nothing.
func (p *Proof) unseen(r ReferenceRun, o *Omission, trials []check.Trial, truths []check.Truth) (string, error) {
	one := func(o Omission) (telling, string, error) {
		lacking, err := r.Truth(&o)
		if err != nil {
			return nothing, "", err
		}
		found, missed := p.told(&o, trials, truths, lacking)
		return found, missed, nil
	}
	found, missed, err := one(*o)
	if err != nil || found != unnoticed {
		return "", err
	}
	ahead := int(found)
	for _, line := range o.More {
		other := *o
		other.Line = line
		found, _, err := one(other)
		if err != nil {
			return "", err
		}
		if ahead += int(found); ahead == linesAhead || ahead == -linesAhead {
			break
		}
	}
	if ahead > 0 {
		return "", nil
	}
	return missed, nil
}

// telling is what a check says of an output that lacks terms.
type telling int

const (
	unnoticed telling = iota - 1 // it passes
	nothing                      // it is as near to the right one as rounding
	noticed
)

// trials are the checks of each output, with sums in each accumulator; those of one accumulator follow each other.
func (p *Proof) trials(truths []check.Truth) []check.Trial {
	var list []check.Trial
	for _, acc := range p.Acc {
		for i, b := range p.Case.Outputs() {
			shape := b.Shape
			if len(Pieces(b.Elems())) > 1 {
				shape = []int{len(truths[i].Value)}
			}
			list = append(list, check.Trial{DType: b.DType, Truth: truths[i], Shape: shape,
				Model: check.Model{K: p.Length.K, Chain: p.Length.Chain, Acc: acc, ULPs: p.ULPs, Terms: p.Rounded,
					Coherent: p.Coherent}})
		}
	}
	return list
}

// told judges outputs that lack terms: one that is refused is enough. It says with sums in what type nothing is.
func (p *Proof) told(o *Omission, trials []check.Trial, truths, lacking []check.Truth) (found telling, missed string) {
	outs := len(truths)
	for i, l := range lacking {
		p.putBack(o, i, l.Value, truths[i].Value)
	}
	for first := 0; first < len(trials); first += outs {
		passes, refused := false, false
		for i, t := range trials[first : first+outs] {
			bits := check.Store(t.DType, lacking[i].Value)
			passes = passes || t.Passes(lacking[i].Value)
			refused = refused || !check.Judge(bits, t.DType, t.Truth, t.Model).Pass()
		}
		switch {
		case refused:
			found = noticed
		case passes:
			return unnoticed, p.missed("an output without "+o.What, trials[first])
		}
	}
	return found, ""
}

func (p *Proof) missed(what string, t check.Trial) string {
	return fmt.Sprintf("%s with sums in %s", what, t.Model.Acc)
}

// putBack gives outputs of the omitted terms themselves their right values, where an output has an axis for them: a
// kernel that forgets a term of a sum still writes what belongs to it.
func (p *Proof) putBack(o *Omission, output int, into, right []float64) {
	axis := p.Case.Terms[o.Terms].Outs[output]
	if axis < 0 {
		return
	}
	shape, inner := p.Case.Outputs()[output].Shape, 1
	for _, n := range shape[axis+1:] {
		inner *= n
	}
	j := 0
	for _, piece := range Pieces(p.Case.Outputs()[output].Elems()) {
		for i := piece.From; i < piece.To; i, j = i+1, j+1 {
			if at := i / inner % shape[axis]; at >= o.From && at < o.To {
				into[j] = right[j]
			}
		}
	}
}

// Erased says which elements of which buffer an omission makes neutral: those of the lines, Inner apart and Len long,
// from From to To.
func (c *Case) Erased(o *Omission) (buffer, inner, length int, neutral uint32) {
	t := c.Terms[o.Terms]
	shape := c.Buffers[t.Buffer].Shape
	inner = 1
	for _, n := range shape[t.Axis+1:] {
		inner *= n
	}
	return t.Buffer, inner, shape[t.Axis], t.Neutral
}
