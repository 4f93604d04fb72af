package device

import (
	"slices"

	"darwarp/kernels"
)

// Case is one set of inputs that candidates are run on. Workload is empty for check shapes.
type Case struct {
	Name     string           `json:"name"` // "257x255x129 normal"
	Workload string           `json:"workload,omitempty"`
	Dims     kernels.Dims     `json:"dims"`
	Class    string           `json:"class"`
	Hard     int              `json:"hard,omitempty"`   // the number of the input that a hard class is about
	Mix      [][]string       `json:"mix,omitempty"`    // of class Mixed: the classes of the lines, by input
	Beside   []string         `json:"beside,omitempty"` // classes of the other inputs' lines; none: normal
	Apart    bool             `json:"apart,omitempty"`  // each line of the hard input has outputs of its own
	Whole    float64          `json:"whole,omitempty"`  // up to which int32 inputs without a range go; 0: as their class
	Terms    []Terms          `json:"terms,omitempty"`  // where the terms of its sums lie
	Trial    bool             `json:"trial,omitempty"`  // run only for a would-be champion
	Seed     uint64           `json:"seed"`
	Buffers  []kernels.Buffer `json:"buffers"`
	TruthAt  int              `json:"truth_at"`        // where its truth starts in the truth memory
	Maker    *kernels.Launch  `json:"maker,omitempty"` // makes the inputs that follow from others; nil: none do
}

// Drawn says how the whole numbers of a buffer are drawn. Indices and masks of which each number is as likely as any
// other never agree, and hardly ever have an end of a long range among them, as real ones do.
func (c *Case) Drawn(b *kernels.Buffer) kernels.Drawn {
	if b.Drawn == nil {
		return kernels.Drawn{Low: -min(c.Whole*beyond, mostWhole), High: c.Whole, How: kernels.Unbounded}
	}
	d := *b.Drawn
	if c.Workload != "" && !ByLine(c.Class) {
		d.Share = 0 // what is timed has what the problem's users have
	}
	switch {
	case Agrees(b) && c.Class == Rare:
		d.How = kernels.Agreed
	case Agrees(b) && ByLine(c.Class), holdsCodes(b) && (c.Class == Mixed || c.Class == Striped):
		d.How = kernels.Clustered
	case d.How == kernels.Permutation && ByLine(c.Class):
		d.How = kernels.NearlyInOrder
	}
	return d
}

// holdsCodes reports whether a buffer holds numbers of eight bits with a sign. Where lines are of many classes, runs of
// their ends and of equal ones come side by side: drawn evenly, four that saturate a sum of sixteen bits never do.
// Packed codes, of uint8, have no runs: where all of a line are its zero point, its terms are 0 and leave no room for
// rounding.
func holdsCodes(b *kernels.Buffer) bool {
	return b.Drawn != nil && b.Drawn.How == kernels.Evenly && b.DType == kernels.I8
}

// Agrees reports whether a buffer holds indices or a mask, whose numbers may agree.
func Agrees(b *kernels.Buffer) bool {
	return b.Drawn != nil && b.Drawn.How == kernels.Evenly && slices.Contains(agreeing, b.DType)
}

// Whole numbers without a range are some that many times as large as the others go, but no larger than that.
const (
	beyond    = 128
	mostWhole = 1 << 29
)

// Draws reports whether the whole numbers of a buffer are drawn, whatever the class.
func (c *Case) Draws(b *kernels.Buffer) bool {
	return b.Drawn != nil && b.DType.Whole() || b.DType == kernels.I32 && b.Drawn == nil && c.Whole > 1
}

// agreeing are the types of indices and masks: numbers of eight bits are codes.
var agreeing = []kernels.DType{kernels.I32, kernels.I64, kernels.Mask}

// OutBytes is the room its outputs take, each rounded up to 256 bytes.
func (c *Case) OutBytes() int {
	n := 0
	for _, b := range c.Buffers {
		if b.Out {
			n += Align(b.Bytes())
		}
	}
	return n
}

// TruthBytes is the room its truth takes: a float64 value and a float32 scale per output element.
func (c *Case) TruthBytes() int {
	n := 0
	for _, b := range c.Buffers {
		if b.Out {
			n += Align(8*b.Elems()) + Align(4*b.Elems())
		}
	}
	return n
}

// TruthPlace is where the truth of one output lies, from the place where the case's begins.
type TruthPlace struct{ Value, Scale int }

// Truths places the truth of each output.
func (c *Case) Truths() []TruthPlace {
	var out []TruthPlace
	at := 0
	for _, b := range c.Outputs() {
		p := TruthPlace{at, at + Align(8*b.Elems())}
		at = p.Scale + Align(4*b.Elems())
		out = append(out, p)
	}
	return out
}

// Outputs lists its output buffers.
func (c *Case) Outputs() []kernels.Buffer {
	var out []kernels.Buffer
	for _, b := range c.Buffers {
		if b.Out {
			out = append(out, b)
		}
	}
	return out
}

// Salt tells the hash of one buffer of a case from those of others.
func Salt(buffer int) uint64 { return uint64(buffer) << 48 }
