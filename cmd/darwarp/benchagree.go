package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval"
	"darwarp/kernels"
)

type agreeFlags struct {
	session.Target
	samples int
	seed    uint64
	json    bool
}

func (a *app) benchAgreeCmd() *cobra.Command {
	var f agreeFlags
	c := &cobra.Command{
		Use:   "agree PROBLEM|DIR",
		Short: "Run sampled points on the GPU and on the cpu device, and compare their outputs",
		Long: "agree takes the default and random points of every family's space, runs each on the GPU and on the cpu\n" +
			"device, on the same secret inputs, and compares verdicts and outputs. Differences are told in units of what\n" +
			"the error model allows between one output and the truth. It fails when a verdict differs, or an output by\n" +
			"more than one unit. Nothing is timed.",
		Example: "  darwarp bench agree gemm --samples 50\n  darwarp bench agree ./mykernel --dtype bf16 --workload m=64,n=64,k=64",
		Args:    argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if f.samples < 1 {
				return exit.Usagef("--samples %d: expected 1 or more", f.samples)
			}
			f.Problem = args[0]
			stop := console.OnInterrupt(c.Context())
			defer stop.Release()
			return stop.Explain(a.agree(stop.Soft, f))
		},
	}
	fs := c.Flags()
	fs.IntVar(&f.samples, "samples", 24, "points of each family")
	fs.Uint64Var(&f.seed, "seed", 1, "of the draw")
	fs.StringVar(&f.DType, "dtype", "", "element type (default: all of the problem's)")
	fs.StringArrayVar(&f.Workloads, "workload", nil, "a size to run beside the check shapes: a name or m=..,n=..,k=..; repeatable (default: the small ones)")
	fs.StringArrayVar(&f.Genes, "gene", nil, "restrict a gene: NAME=VALUE,VALUE; repeatable")
	fs.IntVar(&f.Jobs, "jobs", 0, "compiles at once on each device (default: one a core)")
	fs.StringVar(&f.Sandbox, "sandbox", "best", "fence in compilers and candidates: best (what the kernel has), strict (refuse without) or off")
	fs.BoolVar(&f.json, "json", false, "print JSON")
	return c
}

// agreement is what was found for one element type.
type agreement struct {
	DType    kernels.DType          `json:"dtype"`
	GPU      string                 `json:"gpu"`
	CPU      string                 `json:"cpu"`
	Points   int                    `json:"points"`
	Agree    int                    `json:"agree"`
	Verdicts map[string]int         `json:"verdicts"`              // "ok, ok": on the GPU, on the processor
	Families map[string]int         `json:"families"`              // points of each
	Left     []string               `json:"left_out,omitempty"`    // families that the cpu device does not run
	Foreign  int                    `json:"unsupported,omitempty"` // points whose sources it does not: neither way
	Classes  map[string]eval.Spread `json:"classes"`               // by input class, of all points
	Differ   []disagreement         `json:"differ,omitempty"`
}

// disagreement is a point on which the devices do not agree.
type disagreement struct {
	Variant kernels.Variant `json:"variant"`
	eval.Compared
}

func (a *app) agree(ctx context.Context, f agreeFlags) error {
	if !slices.Contains(eval.SandboxModes(), f.Sandbox) {
		return exit.Usagef("--sandbox %q: expected %s", f.Sandbox, strings.Join(eval.SandboxModes(), ", "))
	}
	s, err := f.Read()
	if err != nil {
		return err
	}
	dtypes := s.Bundle.Problem.DTypes
	if f.DType != "" {
		dtypes = []kernels.DType{s.DType}
	}
	if len(f.Workloads) == 0 {
		s.Workloads = s.Bundle.Problem.SmallWorkloads()
	}
	var all []agreement
	same := true
	for _, s.DType = range dtypes {
		found, err := a.agreeOn(ctx, f, s)
		if err != nil {
			return err
		}
		same = same && len(found.Differ) == 0
		all = append(all, found)
		if !f.json {
			a.agreementText(s.Bundle.Problem.Name, found)
		}
	}
	if f.json {
		if err := a.PrintJSON(all); err != nil {
			return err
		}
	}
	if !same {
		return exit.Quietly(exit.Failed)
	}
	return ctx.Err()
}

// agreeOn compares the sampled points in one element type.
func (a *app) agreeOn(ctx context.Context, f agreeFlags, s *session.Session) (out agreement, err error) {
	twins, err := s.Twins(ctx, f.Target, a.Sayf)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, twins.Close()) }()
	gpu, cpu := twins.GPU.Device(), twins.CPU.Device()
	out = agreement{DType: s.DType, GPU: gpu.Label(), CPU: cpu.Label(), Verdicts: map[string]int{}, Families: map[string]int{}, Classes: map[string]eval.Spread{}}
	if s.Spaces, s.LeftOut, err = session.SpacesOn(s.Bundle, gpu, s.DType, s.Pins); err != nil {
		return out, err
	}
	s.Spaces = slices.DeleteFunc(s.Spaces, func(x *kernels.Space) bool {
		if x.Family.Runs(cpu) {
			return false
		}
		out.Left = append(out.Left, x.Family.Name)
		return true
	})
	var points []session.Point
	for p := range s.RandomPoints(f.seed) {
		if len(points) == f.samples*len(s.Spaces) {
			break
		}
		points = append(points, p)
	}
	for _, x := range s.Spaces {
		points = append(points, session.Point{Family: x.Family, Genes: x.Family.Defaults()})
	}
	a.Sayf("comparing %s of %s %s ...", report.Quantity(len(points), "point"), s.Bundle.Problem.Name, s.DType)
	return out, a.comparePoints(ctx, s, twins, points, &out)
}

// comparePoints runs the points, as many at once as there are compilers.
func (a *app) comparePoints(ctx context.Context, s *session.Session, twins *eval.Twins, points []session.Point, out *agreement) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	todo := make(chan session.Point)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(twins.GPU.Slots(), twins.CPU.Slots()) {
		wg.Go(func() {
			for p := range todo {
				c, v, err := compareOne(ctx, s, twins, p)
				if err != nil {
					cancel(err)
					continue
				}
				mu.Lock()
				out.add(p.Family.Name, v, c)
				mu.Unlock()
			}
		})
	}
	for _, p := range points {
		select {
		case todo <- p:
		case <-ctx.Done():
		}
	}
	close(todo)
	wg.Wait()
	return context.Cause(ctx)
}

func compareOne(ctx context.Context, s *session.Session, twins *eval.Twins, p session.Point) (c eval.Compared, v kernels.Variant, err error) {
	gpu, err := s.Bundle.Job(p.Family, p.Genes, twins.GPU.Device(), s.DType)
	if err != nil {
		return c, v, err
	}
	cpu, err := s.Bundle.Job(p.Family, p.Genes, twins.CPU.Device(), s.DType)
	if err != nil {
		return c, v, err
	}
	if gpu.Source != cpu.Source {
		return c, v, fmt.Errorf("family %s: the source for the cpu device is not that for the GPU", p.Family.Name)
	}
	c, err = twins.Compare(ctx, &gpu, &cpu)
	return c, gpu.Variant, err
}

func (g *agreement) add(family string, v kernels.Variant, c eval.Compared) {
	g.Points++
	g.Families[family]++
	g.Verdicts[c.GPU.Outcome.String()+", "+c.CPU.Outcome.String()]++
	for name, s := range c.Classes {
		sum := g.Classes[name]
		sum.Elements, sum.Equal, sum.Outside = sum.Elements+s.Elements, sum.Equal+s.Equal, sum.Outside+s.Outside
		if s.Worst > sum.Worst {
			sum.Worst, sum.Where = s.Worst, s.Where
		}
		g.Classes[name] = sum
	}
	switch {
	case c.Agree():
		g.Agree++
	case c.CPU.Outcome == kernels.Unsupported:
		g.Foreign++
	default:
		g.Differ = append(g.Differ, disagreement{v, c})
	}
}

func (a *app) agreementText(problem string, g agreement) {
	families := ""
	for _, name := range slices.Sorted(maps.Keys(g.Families)) {
		families += fmt.Sprintf("%s %d  ", name, g.Families[name])
	}
	left := ""
	for _, name := range g.Left {
		left += name + " "
	}
	report.Fields(a.Out, "", [2]string{"problem", problem + " " + string(g.DType)}, [2]string{"devices", g.GPU + " and " + g.CPU},
		[2]string{"points", families}, [2]string{"left out", left}, [2]string{"agree", fmt.Sprintf("%d of %d", g.Agree, g.Points-g.Foreign)})
	fmt.Fprintln(a.Out)
	t := report.NewTable("lr", "verdicts (GPU, cpu)", "points")
	for _, v := range slices.Sorted(maps.Keys(g.Verdicts)) {
		t.Row(v, g.Verdicts[v])
	}
	t.Write(a.Out)
	fmt.Fprintln(a.Out)
	t = report.NewTable("lrrrrl", "inputs", "outputs", "same bits", "outside", "worst", "at")
	for _, name := range slices.Sorted(maps.Keys(g.Classes)) {
		s := g.Classes[name]
		t.Row(name, report.Count(s.Elements), report.Percent(float64(s.Equal)/float64(max(1, s.Elements))), report.Count(s.Outside), fmt.Sprintf("%.2f", s.Worst), s.Where)
	}
	t.Write(a.Out)
	for _, d := range g.Differ {
		fmt.Fprintf(a.Out, "\n%s: GPU %s, cpu %s\n  %s\n", d.Variant.Label(), d.GPU.Outcome, d.CPU.Outcome, cmp.Or(d.CPU.Detail, d.GPU.Detail, fmt.Sprintf("%+v", d.Classes)))
	}
	fmt.Fprintln(a.Out)
}
