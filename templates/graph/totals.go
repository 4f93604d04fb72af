package graph

import "slices"

// totalOf adds up a number of each row over all rows.
func (l *lowering) totalOf(x *value) *value {
	i := slices.IndexFunc(l.totals, func(s *stat) bool { return s.arg == x })
	if i < 0 {
		i = len(l.totals)
		l.totals = append(l.totals, &stat{kind: sumOf, arg: x, depth: x.depth, id: i})
	}
	return l.intern(&value{kind: isTotal, stat: l.totals[i], total: true, key: "total" + numeral(i)})
}

// reduced is what a loss makes of its terms, a number of each row, as its argument says: 0 none, 1 the mean, 2 the sum.
func (l *lowering) reduced(n *Node, term *value, how float64, rows string) (*value, error) {
	switch how {
	case 0:
		return term, nil
	case 1:
		return l.op("div", l.totalOf(term), l.length(rows)), nil
	case 2:
		return l.totalOf(term), nil
	}
	return nil, refusal(n, "reduction is %g: expected 0 (none), 1 (mean) or 2 (sum)", how)
}

// addsRows reports whether an operator adds up what other operators have made of all rows, and where that lies.
func (l *lowering) addsRows(n *Node) (place, bool) {
	from := l.operandNode(n)
	if from == nil || n.Op != "sum" && n.Op != "mean" || len(l.sort(true)) == 0 || len(l.sort(false)) == 0 {
		return nil, false
	}
	axes, err := summed(l, n)
	if err != nil || len(axes) != len(from.Shape) {
		return nil, false
	}
	at, err := l.outputPlace(from)
	if err != nil || !slices.Equal(slices.Concat(at...), l.sort(false)) {
		return nil, false
	}
	return at, true
}

// totalling is how operators add up, as losses say it.
var totalling = map[string]float64{"mean": 1, "sum": 2}

// addsAll reports whether an operator adds up a number of each place, where others reduce rows.
func (l *lowering) addsAll(n *Node) bool {
	if len(l.sort(true)) == 0 || len(l.sort(false)) == 0 || len(n.Args) == 0 || n.Args[0].kind != 'r' ||
		!same(l.shape(n.Args[0].Ref), l.base) {
		return false
	}
	if _, ok := lossTable[n.Op]; ok {
		return true
	}
	axes, err := summed(l, n)
	return totalling[n.Op] > 0 && err == nil && len(axes) == len(l.base)
}

// rowsTotal is the value of such an operator.
func (l *lowering) rowsTotal(n *Node, at place) (*value, error) {
	x, err := l.build(n.Args[0].Ref, at)
	if err != nil {
		return nil, err
	}
	if x.varies || x.total {
		return nil, refusal(n, "it adds up what is no number of each row")
	}
	return l.reduced(n, x, totalling[n.Op], product(texts(l.nodes[n.Args[0].Ref].Shape)))
}

// onlyTotals reports whether a value depends on rows by way of sums over all of them alone.
func onlyTotals(v *value) bool {
	switch v.kind {
	case isLoad, isStat, isAcc, isPlace:
		return false
	}
	return !v.ofRows
}

// placeOfRows is where a number of each row lies, for a result of that rank.
func (l *lowering) placeOfRows(rank int) (at place) {
	for _, axes := range l.places {
		if !slices.ContainsFunc(axes, func(a int) bool { return l.domain[a].reduced }) {
			at = append(at, axes)
		}
	}
	for len(at) > rank {
		i := slices.IndexFunc(at, func(axes []int) bool { return len(axes) == 0 })
		if i < 0 {
			break
		}
		at = slices.Delete(at, i, i+1)
	}
	return at
}
