package graph

import (
	"fmt"
	"strings"
)

// passData is a pass over the row for the families: its stats.
type passData struct {
	Number int
	Stats  []statData
	Twice  bool // there are stats that take two passes, or one by merging
}

type statData struct {
	ID           int
	Kind         string // in C++
	Term         string // function of an element
	First, Other string // fields of the row
	Twice        bool
	Truth        string // how the truth is found
}

func (p *program) passData() (out []passData) {
	for depth := 1; depth <= p.passes(); depth++ {
		d := passData{Number: depth}
		for _, s := range p.stats {
			if s.depth != depth {
				continue
			}
			data := statData{ID: s.id, Kind: s.kind.name, Term: fmt.Sprintf("term%d", s.id), Twice: s.kind.twice,
				First: fmt.Sprintf("s%d_0", s.id), Other: fmt.Sprintf("s%d_1", s.id)}
			data.Truth = data.truth(p.alike())
			d.Stats, d.Twice = append(d.Stats, data), d.Twice || s.kind.twice
		}
		out = append(out, d)
	}
	return out
}

// has says which sums are used.
func (p *program) has() map[string]bool {
	out := map[string]bool{"Product": false, "Extremes": false, "Firsts": false, "Moments": false, "ExpSum": false,
		"LogSum": false, "Twice": false}
	for _, s := range p.stats {
		switch s.kind {
		case greatest, least:
			out["Extremes"] = true
		case firstMost, firstLow:
			out["Firsts"] = true
		default:
			out[s.kind.name] = true
		}
		out["Twice"] = out["Twice"] || s.kind.twice
	}
	return out
}

// truth is the code of a stat in the reference: what each thread adds up, and what the block makes of it. terms is K of
// the error model where equal numbers are counted, and empty where they are not.
func (s statData) truth(terms string) string {
	code := truths[s.Kind]
	out := "        double a = " + code.start + ", b = 0, c = 0;\n" +
		s.sweep(code.take, code.adds, "float(%s)", "alike", terms) +
		"        row." + s.First + " = " + longer(code.first, code.adds, "alike", terms) + ";" + over
	if code.second == "" {
		return out
	}
	retake := strings.Replace(code.retake, "most_of", "row."+s.First, 1)
	return out + "\n        const double first = row." + s.First + ".v;\n        double d = " + code.again +
		", f = 0, g = 0;\n" + s.sweep(retake, code.readds, code.equals, "again", terms) +
		"        row." + s.Other + " = " + longer(code.second, code.readds, "again", terms) + ";" + over
}

// sweep is a pass over the row. Where something is added up, equal numbers are counted in passing: those that fp32
// makes equal of the term that stands for %s, as distances from a mean of numbers that are nearly 0.
func (s statData) sweep(body, adds, equals, name, terms string) string {
	begin, end := "", ""
	if terms != "" && adds != "" {
		begin = "        Alike " + name + "{0, 0};\n" +
			"        if (share.first(terms) < terms) {\n" +
			"            gather(in, n, k, (share.first(terms) + terms - 1) % terms, e);\n" +
			"            " + name + ".before = " + fmt.Sprintf(equals, s.Term+"(e, row, n).v") + ";\n        }\n"
		body += " " + name + ".see(" + fmt.Sprintf(equals, "t.v") + ", " + adds + ");"
		end = "        const double " + name + "_more = Alike::more(plus(" + name + ".equal, share), " + terms + ");\n"
	}
	return begin + "        for (Index r = share.first(terms); r < terms; r += share.step()) {\n" +
		"            gather(in, n, k, r, e);\n" +
		"            const Num t = " + s.Term + "(e, row, n);\n            " + body + "\n        }\n" + end
}

// longer has the error of a sum count as many times more as its equal numbers ask for.
func longer(result, adds, name, terms string) string {
	switch {
	case terms == "" || adds == "":
		return result
	case strings.HasPrefix(result, "spread_of"):
		return strings.TrimSuffix(result, ")") + ", " + name + "_more)"
	}
	result = strings.Replace(result, "plus(c, share)", name+"_more * plus(c, share)", 1)
	return strings.Replace(result, "plus(g, share)", name+"_more * plus(g, share)", 1)
}

// over ends a block whose part of the row is in what was just added up.
const over = "\n        if (share.over()) return;"

// stages are the sweeps over a row of which each needs what those before it have found, the outputs' among them.
func (p *program) stages() int {
	n := 1
	for _, s := range p.stats {
		n++
		if truths[s.kind.name].second != "" {
			n++
		}
	}
	return n
}

// truthCode is the truth of a stat: a is its value, b and c gather errors of roundings and of sums. adds and readds are
// what is added up, where something is, and equals is what is equal where what is added up again is.
type truthCode struct{ start, take, first, again, retake, second, adds, readds, equals string }

const (
	addUp     = "a += t.v, b += t.e, c += fabs(t.v) + t.k;"
	extremes  = "a = t.v != t.v || t.v %s a ? t.v : a, b = fmax(b, t.e), c = fmax(c, t.k);"
	extremum  = "num(%s(a, share), most(b, share), most(c, share))"
	posDouble = "double(__int_as_float(0x7f800000))"
)

var truths = map[string]truthCode{
	"Sum": {start: "0", take: addUp, adds: "t.v", first: "num(plus(a, share), plus(b, share), plus(c, share))"},
	"Product": {start: "1", take: "a *= t.v, b += t.e / fabs(t.v), c += t.k / fabs(t.v);",
		first: "product(all(a, share, 1, [](double x, double y) { return x * y; }), plus(b, share), plus(c, share))"},
	"Greatest": {start: "-" + posDouble, take: fmt.Sprintf(extremes, ">"), first: fmt.Sprintf(extremum, "most")},
	"Least":    {start: posDouble, take: fmt.Sprintf(extremes, "<"), first: fmt.Sprintf(extremum, "below")},
	"FirstGreatest": {start: "-" + posDouble, take: fmt.Sprintf(extremes, ">"), first: fmt.Sprintf(extremum, "most"),
		again: posDouble, retake: firstPlace, second: firstOf},
	"FirstLeast": {start: posDouble, take: fmt.Sprintf(extremes, "<"), first: fmt.Sprintf(extremum, "below"),
		again: posDouble, retake: firstPlace, second: firstOf},
	"Moments": {
		start:  "0",
		take:   addUp,
		first:  "mean_of(plus(a, share), plus(b, share), plus(c, share), double(terms))",
		again:  "0",
		retake: "const double x = t.v - first; d += x * x, f += 2 * fabs(x) * t.e, g += 2 * fabs(x) * t.k;",
		second: "spread_of(plus(d, share), plus(f, share), plus(g, share), double(terms))",
		adds:   "t.v",
		readds: "x * x",
		equals: "float(%s - first)",
	},
	"ExpSum": exponentials("most(a, share)"),
	"LogSum": exponentials("fmax(-1.7976931348623157e308, fmin(most(a, share), 1.7976931348623157e308))"),
}

// exponentials is the truth of the sum of exp(x - top).
func exponentials(top string) truthCode {
	return truthCode{start: "-" + posDouble, take: fmt.Sprintf(extremes, ">"), first: "exactly(" + top + ")",
		again: "0", retake: "const Num y = op_exp(n.model(), Num{t.v - first, fabs(t.v - first) + t.e, t.k}); " +
			"d += y.v, f += y.e, g += y.v + y.k;",
		second: "num(plus(d, share), plus(f, share), plus(g, share))", readds: "y.v", equals: "float(exp(%s - first))"}
}

// firstPlace is where the most is found, in d, and how many numbers it may be by what numbers of this row err, in f.
// Where these are more than one, any place is right.
const (
	firstPlace = "if ((t.v == first || t.v != t.v) && !(d <= double(r))) d = double(r); f += rivals(t.v, most_of);"
	firstOf    = "plus(f, share) > 1 ? exactly(no_place()) : exactly(below(d, share))"
)
