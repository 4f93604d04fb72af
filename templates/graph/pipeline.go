package graph

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"darwarp/kernels"
)

// pipelineName is the family of a graph that is cut into stages.
const pipelineName = "pipeline"

// Staged reports whether a graph can be cut into stages that families take.
func (g *Graph) Staged() bool { return len(g.stages(mostStages)) > 1 }

// HasPipeline reports whether a folder has the family of a graph that was cut.
func HasPipeline(files map[string][]byte) bool { return files[pipelineName+".toml"] != nil }

// pipeline makes the family of a graph that no other one takes, by the name of the files; none: it has no such cut.
// Each stage has the kernels of a family, in a namespace of its own, and its genes. What it gives lies in scratch.
func (g *Graph) pipeline() (files map[string][]byte) {
	list := g.stages(mostStages)
	if len(list) < 2 {
		return nil
	}
	files = map[string][]byte{}
	all, main := &kernels.Family{Arch: "sm_80", About: fmt.Sprintf("%d stages, each by kernels of its own", len(list))}, ""
	results := g.results()
	handed := map[string]string{}
	var parts []*stage
	for i, part := range list {
		for k, name := range part.Outputs {
			handed[name] = cmp.Or(results[name], between(i, k))
		}
		s, err := newStage(part, i, results, handed)
		if err != nil {
			return nil
		}
		parts = append(parts, s)
	}
	thin(parts, pipelineBits)
	for _, s := range parts {
		s.rename()
	}
	all.Start = startsOf(parts)
	for i, s := range parts {
		s.join(all)
		main += fmt.Sprintf("\n// Stage %d of %d: %s.\nnamespace %s {\n%s}  // namespace %s\n", i+1, len(list),
			s.program.about(), s.prefix, s.partials(files), s.prefix)
	}
	text, err := toml.Marshal(all)
	if err != nil {
		return nil
	}
	files[pipelineName+".toml"] = text
	files[pipelineName+".cu.tmpl"] = []byte(includeOurs + main)
	return files
}

// results are the names in the folder of what the graph gives.
func (g *Graph) results() map[string]string {
	var list []output
	for _, name := range g.Outputs {
		list = append(list, output{name: name})
	}
	all := map[string]string{}
	for i, name := range g.names(list).outputs {
		all[g.Outputs[i]] = name
	}
	return all
}

const includeOurs = "#include <darwarp/darwarp.cuh>\n"

// stage is one of a pipeline's: a family of its graph, whose names get a prefix.
type stage struct {
	program *program
	family  *kernels.Family
	files   map[string][]byte // of the family, by their names in the graph's own folder
	name    string            // of the family
	prefix  string
	renamed map[string]string // genes, derived values, scratch, and what stages hand on
	keeps   int               // points that are tried first whose values stay
}

// newStage makes the family of the i-th part of a graph. handed are the names of what the stages up to it give: results
// of the graph, or scratch.
func newStage(part *Graph, i int, results, handed map[string]string) (*stage, error) {
	p, err := part.program()
	if err != nil {
		return nil, err
	}
	s := &stage{program: p, prefix: fmt.Sprintf("s%d", i+1), renamed: map[string]string{}, family: &kernels.Family{}}
	n := p.graph.names(p.outputs)
	if s.files, err = p.familyFiles(n); err != nil {
		return nil, err
	}
	list := p.suited()
	s.name = list[len(list)-1]
	if err := toml.Unmarshal(s.files[s.name+".toml"], s.family); err != nil {
		return nil, err
	}
	for j, t := range p.graph.Tensors {
		if name := handed[t.Name]; name != "" {
			s.renamed[n.tensors[j]] = name
		}
	}
	for j, o := range p.outputs {
		s.renamed[n.outputs[j]] = handed[o.name]
		if results[o.name] == "" {
			s.family.Scratch = append(s.family.Scratch, kernels.ScratchSpec{Name: n.outputs[j],
				Bytes: "elem * " + bracket(n.one(product(texts(o.shape))))})
		}
	}
	return s, nil
}

// between is the scratch in which a stage hands the k-th of its results on.
func between(stage, k int) string {
	if k == 0 {
		return fmt.Sprintf("between%d", stage+1)
	}
	return fmt.Sprintf("between%d_%d", stage+1, k+1)
}

// rename gives the family's own names a prefix, everywhere.
func (s *stage) rename() {
	f := s.family
	own := func(name *string) {
		if s.renamed[*name] == "" {
			s.renamed[*name] = s.prefix + "_" + *name
		}
		*name = s.renamed[*name]
	}
	for i := range f.Genes {
		own(&f.Genes[i].Name)
	}
	for i := range f.Lets {
		own(&f.Lets[i].Name)
	}
	for i := range f.Scratch {
		own(&f.Scratch[i].Name)
	}
	for i, point := range f.Start {
		f.Start[i] = map[string]any{}
		for gene, v := range point {
			f.Start[i][s.renamed[gene]] = v
		}
	}
	for i := range f.Genes {
		s.in(&f.Genes[i].When, &f.Genes[i].Matters)
	}
	for i := range f.Lets {
		s.in(&f.Lets[i].Value)
	}
	for i := range f.Scratch {
		s.in(&f.Scratch[i].Bytes)
	}
	for i := range f.Constraints {
		s.in(&f.Constraints[i].Rule)
	}
	for i := range f.Launches {
		s.inLaunch(&f.Launches[i])
	}
}

func (s *stage) inLaunch(l *kernels.LaunchSpec) {
	l.Entry = s.prefix + "_" + l.Entry
	s.in(&l.When, &l.Smem)
	for _, list := range [][]string{l.Grid, l.Block, l.Cluster, l.Args} {
		for i := range list {
			s.in(&list[i])
		}
	}
}

// nameRE is a name in an expression, or a text that has none.
var nameRE = regexp.MustCompile(`'[^']*'|[A-Za-z_][\w.]*`)

// in renames the names in expressions.
func (s *stage) in(texts ...*string) {
	for _, text := range texts {
		*text = nameRE.ReplaceAllStringFunc(*text, func(name string) string {
			if now := s.renamed[name]; now != "" {
				return now
			}
			return name
		})
	}
}

// join adds the stage to the pipeline's family.
func (s *stage) join(to *kernels.Family) {
	f := s.family
	to.Genes, to.Lets = append(to.Genes, f.Genes...), append(to.Lets, f.Lets...)
	to.Constraints = append(to.Constraints, f.Constraints...)
	to.Scratch, to.Launches = append(to.Scratch, f.Scratch...), append(to.Launches, f.Launches...)
}

// What is renamed in templates: actions, their fields and the partials that they ask for, and the names of kernels.
var (
	actionRE  = regexp.MustCompile(`\{\{.*?\}\}`)
	fieldRE   = regexp.MustCompile(`"[^"]*"|\.[A-Za-z_]\w*`)
	partialRE = regexp.MustCompile(`\{\{-?\s*template "(\w+)"`)
	kernelRE  = regexp.MustCompile(`(extern "C" __global__ void [^\n]*\n)(\w+)\(`)
)

// partials writes the stage's partials under names of its own, and returns the text of its kernels.
func (s *stage) partials(files map[string][]byte) (main string) {
	for name, text := range s.files {
		if short, ok := strings.CutPrefix(name, "_"); ok {
			files["_"+s.prefix+"_"+short] = []byte(s.text(text))
		}
	}
	return s.text(s.files[s.name+".cu.tmpl"])
}

// text is a template of the family as one of the stage.
func (s *stage) text(of []byte) string {
	text := strings.ReplaceAll(string(of), includeOurs, "")
	text = kernelRE.ReplaceAllString(text, "${1}"+s.prefix+"_${2}(")
	return actionRE.ReplaceAllStringFunc(text, func(action string) string {
		if partialRE.MatchString(action) {
			return partialRE.ReplaceAllStringFunc(action, func(call string) string {
				return strings.Replace(call, `"`, `"`+s.prefix+"_", 1)
			})
		}
		return fieldRE.ReplaceAllStringFunc(action, func(field string) string {
			if now := s.renamed[strings.TrimPrefix(field, ".")]; now != "" && strings.HasPrefix(field, ".") {
				return "." + now
			}
			return field
		})
	})
}
