package templates

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"darwarp/kernels"
)

// The limits of a lifted family: its space is small enough to be looked through beside everything else.
const (
	maxLifted      = 8       // genes
	maxLiftedValue = 1 << 16 // of a constant
	leastInPlan    = 8       // smaller numbers of a plan are taken for what they are
)

// constantRE is an integer constant of a source, with its name and its value.
var constantRE = regexp.MustCompile(`\bconstexpr\s+(?:unsigned\s+)?int\s+([A-Za-z_]\w*)\s*=\s*([0-9]{1,6})\s*;`)

// constant is one that a source has once.
type constant struct {
	gene     string
	value    int
	from, to int // of its value in the source
}

// Lift makes a family of a whole kernel: the template is its source with its integer constants, constexpr int N = 64,
// left open, and the plan follows where a number in it is the value of one constant alone. It is for Draft to check,
// and for the gate to find out which values are right. ok is false where the source has no such constant.
func (b *Bundle) Lift(v *kernels.Variant, dev kernels.Device) (declaration, template string, ok bool) {
	if v.Plan == nil {
		return "", "", false
	}
	list := b.constants(v.Source)
	if len(list) == 0 {
		return "", "", false
	}
	f := kernels.Family{About: "constants of a kernel", Arch: dev.Arch, PlanSpec: follow(*v.Plan, list)}
	if !strings.HasPrefix(f.Arch, "sm_") { // a device without one takes what is written for the least it stands for
		f.Arch = fmt.Sprintf("sm_%d", dev.CC)
	}
	if v.Acc != kernels.FP32 {
		f.Accumulate = string(v.Acc)
	}
	var text strings.Builder
	at := 0
	for _, c := range list {
		text.WriteString(literal(v.Source[at:c.from]) + "{{." + c.gene + "}}")
		at = c.to
		f.Genes = append(f.Genes, kernels.Gene{Name: c.gene, Values: around(c.value), Default: c.value})
	}
	text.WriteString(literal(v.Source[at:]))
	toml, err := toml.Marshal(f)
	return string(toml), text.String(), err == nil
}

// literal is a text that a template writes as it is.
func literal(text string) string { return strings.ReplaceAll(text, "{{", `{{"{{"}}`) }

// constants are the first of a source whose names can be those of genes.
func (b *Bundle) constants(source string) (list []constant) {
	taken := map[string]bool{"device": true, "elem": true, "out_elem": true, "dtype": true, "T": true}
	for _, d := range b.Problem.DimNames {
		taken[d] = true
	}
	for _, t := range b.Problem.Tensors {
		taken[t.Name] = true
	}
	for _, m := range constantRE.FindAllStringSubmatchIndex(source, -1) {
		gene := strings.ToLower(source[m[2]:m[3]])
		value, err := strconv.Atoi(source[m[4]:m[5]])
		if err != nil || value < 1 || value > maxLiftedValue || taken[gene] || len(list) == maxLifted {
			continue
		}
		taken[gene] = true
		list = append(list, constant{gene, value, m[4], m[5]})
	}
	return list
}

// around are the values to try in place of one, in order.
func around(v int) (out []any) {
	near := []int{v / 2, v, 2 * v}
	if v <= 8 {
		near = append(near, v-1, v+1)
	}
	slices.Sort(near)
	for _, n := range slices.Compact(near) {
		if n > 0 {
			out = append(out, n)
		}
	}
	return out
}

var numberRE = regexp.MustCompile(`\b[0-9]+\b`)

// follow is a plan whose numbers are those of constants, where it is clear of which.
func follow(plan kernels.PlanSpec, list []constant) kernels.PlanSpec {
	by := map[string][]string{}
	for _, c := range list {
		if c.value >= leastInPlan {
			by[strconv.Itoa(c.value)] = append(by[strconv.Itoa(c.value)], c.gene)
		}
	}
	put := func(text string) string {
		return numberRE.ReplaceAllStringFunc(text, func(n string) string {
			if len(by[n]) == 1 {
				return by[n][0]
			}
			return n
		})
	}
	all := func(texts []string) (out []string) {
		for _, t := range texts {
			out = append(out, put(t))
		}
		return out
	}
	plan.Launches = slices.Clone(plan.Launches)
	for i := range plan.Launches {
		l := &plan.Launches[i]
		l.Grid, l.Block, l.Smem, l.Args = all(l.Grid), all(l.Block), put(l.Smem), all(l.Args)
		l.TensorMaps = slices.Clone(l.TensorMaps)
		for k := range l.TensorMaps {
			m := &l.TensorMaps[k]
			m.Shape, m.Box = all(m.Shape), all(m.Box)
		}
	}
	plan.Scratch = slices.Clone(plan.Scratch)
	for i := range plan.Scratch {
		plan.Scratch[i].Bytes = put(plan.Scratch[i].Bytes)
	}
	return plan
}
