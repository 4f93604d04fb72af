package kernels

import (
	"slices"
	"strings"

	"darwarp/kernels/expr"
)

// Maker is the kernel, in the reference's file, that makes the inputs that follow from others: what a forward pass has
// saved for a backward one. Its parameters are: the inputs that are not made, in order as const pointers, then pointers
// to those that are, then the dims in order as int. It has to give the same bits every time.
type Maker struct {
	Entry string   `toml:"entry" json:"entry"`
	Grid  []string `toml:"grid" json:"grid"`
	Block []string `toml:"block" json:"block"`
	// Torch is a Python expression over the same inputs and dims that gives those that are made, as a tuple: what
	// baselines are timed on
	Torch string `toml:"torch,omitempty" json:"torch,omitempty"`
}

// makerExprs are its sizes, compiled.
type makerExprs struct{ grid, block []*expr.Expr }

func (p *Problem) compileMaker(n *notes, scope expr.Scope) {
	made := slices.ContainsFunc(p.Tensors, func(t Tensor) bool { return t.Made })
	m := p.Reference.Maker
	if m == nil {
		if made {
			n.addf("reference.maker", "missing: expected the kernel that makes the inputs that are made")
		}
		return
	}
	if !made {
		n.addf("reference.maker", "makes nothing: expected an input with made = true")
	}
	if CheckIdentifier(m.Entry) != nil {
		n.addf("reference.maker.entry", "%q: expected the kernel's name", m.Entry)
	}
	p.exprs.maker.grid = p.gridExprs(n, "reference.maker.grid", m.Grid, scope)
	p.exprs.maker.block = p.gridExprs(n, "reference.maker.block", m.Block, scope)
	p.checkMakerOfTorch(n, m)
}

func (p *Problem) checkMakerOfTorch(n *notes, m *Maker) {
	torch := slices.ContainsFunc(p.Baselines, func(b Baseline) bool { return b.Kind == "torch" })
	if given := strings.TrimSpace(m.Torch) != ""; torch && !given || CheckLine(m.Torch, maxCall) != nil {
		n.addf("reference.maker.torch", "expected a Python expression on one line that gives the inputs that are made")
	}
}

// checkMade says what is wrong with a tensor that is made.
func (t *Tensor) checkMade(n *notes, key string) {
	switch {
	case !t.Made:
	case t.Role != "in":
		n.addf(key+".made", "only inputs are made from others")
	case t.Range != nil || t.Draw != "":
		n.addf(key+".made", "expected neither range nor draw: the numbers follow from other inputs")
	case t.DType != "" && (!t.DType.Outputs() || t.DType == E4M3):
		n.addf(key+".made", "%s: expected fp16, bf16, fp32 or int32 of what is made", t.DType)
	}
}

// MakerLaunch resolves the launch of the maker at one size, with the dims as arguments; nil where nothing is made.
func (p *Problem) MakerLaunch(dims Dims, t DType) (*Launch, error) {
	if p.Reference.Maker == nil {
		return nil, nil
	}
	l, err := p.ourLaunch("reference.maker", p.Reference.Maker.Entry, p.exprs.maker.grid, p.exprs.maker.block,
		p.Env(dims, t), dims)
	if err != nil {
		return nil, err
	}
	for _, name := range p.DimNames {
		l.Args = append(l.Args, Arg{Kind: "i32", Int: dims[name]})
	}
	return &l, nil
}
