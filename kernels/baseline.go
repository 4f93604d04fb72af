package kernels

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"darwarp/kernels/expr"
)

// Baseline is what a user would run instead.
type Baseline struct {
	Kind string `toml:"kind" json:"kind"`                     // cublaslt or torch
	Name string `toml:"name,omitempty" json:"name,omitempty"` // for tables; default: the kind
	// Call is, for torch, one Python expression that gives the output, or a tuple of the outputs. It sees
	// the input tensors by name, the dims as ints, torch, F (torch.nn.functional) and math.
	Call    string `toml:"call,omitempty" json:"call,omitempty"`
	Backend string `toml:"backend,omitempty" json:"backend,omitempty"` // for torch, one of torchBackends; default eager
	TF32    bool   `toml:"tf32,omitempty" json:"tf32,omitempty"`       // for torch: products in fp32 may round to tf32
	// Module is, for torch, what the call needs besides: a Python module, seen by its name. Where it is not installed
	// there is no figure.
	Module string `toml:"module,omitempty" json:"module,omitempty"`
	// Over dims, elem and dtype: where it does not hold there is no figure
	When string `toml:"when,omitempty" json:"when,omitempty"`

	when *expr.Expr
}

// baselineKinds are the baselines that darwarp can run.
var baselineKinds = []string{"cublaslt", "torch"}

// torchBackends are the ways that torch can run a call: as it comes, through torch.compile, and with one
// backend of scaled_dot_product_attention alone.
var torchBackends = []string{"eager", "compile", "max-autotune", "flash", "efficient", "math", "cudnn"}

// moduleName is a Python module as an import statement names it.
var moduleName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*){0,7}$`)

// maxCall bounds a call in bytes. It is code: nothing of it is cleaned.
const maxCall = 1000

// maxModule bounds the name of a module in bytes.
const maxModule = 100

// Applies reports whether the baseline has a figure at this size.
func (b *Baseline) Applies(p *Problem, dims Dims, t DType) (bool, error) {
	if b.when == nil {
		return true, nil
	}
	ok, err := b.when.Bool(p.Env(dims, t))
	if err != nil {
		return false, fmt.Errorf("baseline %s: when: %w", b.Name, err)
	}
	return ok, nil
}

// Compiles reports whether torch compiles the call before it runs, which takes up to a minute for a size.
func (b *Baseline) Compiles() bool { return b.Backend == "compile" || b.Backend == "max-autotune" }

// BaselineNames are the names of what the problem is compared with.
func (p *Problem) BaselineNames() (names []string) {
	for i := range p.Baselines {
		names = append(names, p.Baselines[i].Name)
	}
	return names
}

func (p *Problem) checkBaselines(n *notes, scope expr.Scope) {
	seen := map[string]bool{NaiveStart: true}
	for i := range p.Baselines {
		b, key := &p.Baselines[i], fmt.Sprintf("baseline[%d]", i)
		if b.Name == "" {
			b.Name = b.Kind
		}
		if !slices.Contains(baselineKinds, b.Kind) {
			n.addf(key+".kind", "unknown baseline %q: expected one of %s", b.Kind, strings.Join(baselineKinds, ", "))
			continue
		}
		if CheckLabel(b.Name) != nil || seen[b.Name] {
			n.addf(key+".name", "%q is not usable: expected a new name of letters, digits, '-', '_' and '.'", b.Name)
		}
		seen[b.Name] = true
		b.checkKind(n, key)
		if b.When != "" {
			e, err := expr.CompileBool(b.When, scope)
			n.add(key+".when", err)
			b.when = e
		}
	}
}

func (b *Baseline) checkKind(n *notes, key string) {
	if b.Kind != "torch" {
		if b.Call != "" || b.Backend != "" || b.TF32 || b.Module != "" {
			n.addf(key, "call, backend, tf32 and module are keys of kind = \"torch\"")
		}
		return
	}
	if b.Backend == "" {
		b.Backend = "eager"
	}
	if !slices.Contains(torchBackends, b.Backend) {
		n.addf(key+".backend", "unknown backend %q: expected one of %s", b.Backend, strings.Join(torchBackends, ", "))
	}
	if b.Module != "" && (len(b.Module) > maxModule || !moduleName.MatchString(b.Module)) {
		n.addf(key+".module", "%q is no Python module: expected a name as in \"flash_attn_interface\"", b.Module)
	}
	if strings.TrimSpace(b.Call) == "" || CheckLine(b.Call, maxCall) != nil {
		n.addf(key+".call", "expected a Python expression on one line that gives the output, as in \"A @ B.T\"")
	}
}
