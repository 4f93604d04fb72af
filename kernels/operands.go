package kernels

import "slices"

// readOperands reads what operands may be rounded to.
func (p *Problem) readOperands(n *notes) {
	switch {
	case p.Check.Operands == "":
	case p.Check.Operands != TF32:
		n.addf("check.operands", "%q: expected %q", p.Check.Operands, TF32)
	case p.Check.RoundedTerms || !slices.Equal(p.DTypes, []DType{FP32}):
		n.addf("check.operands", "%q is for problems in fp32 alone, without rounded_terms", TF32)
	}
}

// TermType is the type that the terms of sums, or with TF32 their factors, may be rounded to before they are added.
// Empty: to none.
func (c *Check) TermType(t DType) DType {
	if c.RoundedTerms {
		return t
	}
	return c.Operands
}

// Precision is what the numbers of a run in t are computed in, for tables: "strict fp32" where nothing is rounded to a
// narrower type on the way.
func (p *Problem) Precision(t DType) string {
	switch {
	case t != FP32:
		return string(t)
	case p.Check.Operands == TF32:
		return "fp32, products in tf32"
	}
	return "strict fp32"
}
