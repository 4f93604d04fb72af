package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval"
	"darwarp/kernels"
)

// Agree says on which points the GPU and the cpu device are compared.
type Agree struct {
	session.Target
	Samples int
	Seed    uint64
	JSON    bool
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

// Run compares the devices, in one element type after the other, and fails where they do not agree.
func (f Agree) Run(ctx context.Context, con *console.Console) error {
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
		found, err := agreeOn(ctx, con, f, s)
		if err != nil {
			return err
		}
		same = same && len(found.Differ) == 0
		all = append(all, found)
		if !f.JSON {
			agreementText(con, s.Bundle.Problem.Name, found)
		}
	}
	if f.JSON {
		if err := con.PrintJSON(all); err != nil {
			return err
		}
	}
	if !same {
		return exit.Quietly(exit.Failed)
	}
	return ctx.Err()
}

// agreeOn compares the sampled points in one element type.
func agreeOn(ctx context.Context, con *console.Console, f Agree, s *session.Session) (out agreement, err error) {
	twins, err := s.Twins(ctx, f.Target, con.Sayf)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, twins.Close()) }()
	gpu, cpu := twins.GPU.Device(), twins.CPU.Device()
	out = agreement{DType: s.DType, GPU: gpu.Label(), CPU: cpu.Label(), Verdicts: map[string]int{},
		Families: map[string]int{}, Classes: map[string]eval.Spread{}}
	if s.Spaces, s.LeftOut, err = session.SpacesOn(s.Bundle, gpu, s.DType, s.Pins, s.Workloads); err != nil {
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
	for p := range s.RandomPoints(f.Seed) {
		if len(points) == f.Samples*len(s.Spaces) {
			break
		}
		points = append(points, p)
	}
	for _, x := range s.Spaces {
		points = append(points, session.Point{Family: x.Family, Genes: x.Family.Defaults()})
	}
	con.Sayf("comparing %s of %s %s ...", report.Quantity(len(points), "point"), s.Bundle.Problem.Name, s.DType)
	return out, comparePoints(ctx, con, s, twins, points, &out)
}

// comparePoints runs the points, as many at once as there are compilers.
func comparePoints(
	ctx context.Context, con *console.Console, s *session.Session, twins *eval.Twins, points []session.Point,
	out *agreement,
) error {
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

func compareOne(
	ctx context.Context, s *session.Session, twins *eval.Twins, p session.Point,
) (c eval.Compared, v kernels.Variant, err error) {
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

func agreementText(con *console.Console, problem string, g agreement) {
	families := ""
	for _, name := range slices.Sorted(maps.Keys(g.Families)) {
		families += fmt.Sprintf("%s %d  ", name, g.Families[name])
	}
	left := ""
	for _, name := range g.Left {
		left += name + " "
	}
	report.Fields(con.Out, "",
		[2]string{"problem", problem + " " + string(g.DType)},
		[2]string{"devices", g.GPU + " and " + g.CPU},
		[2]string{"points", families},
		[2]string{"left out", left},
		[2]string{"agree", fmt.Sprintf("%d of %d", g.Agree, g.Points-g.Foreign)})
	fmt.Fprintln(con.Out)
	t := report.NewTable("lr", "verdicts (GPU, cpu)", "points")
	for _, v := range slices.Sorted(maps.Keys(g.Verdicts)) {
		t.Row(v, g.Verdicts[v])
	}
	t.Write(con.Out)
	fmt.Fprintln(con.Out)
	t = report.NewTable("lrrrrl", "inputs", "outputs", "same bits", "outside", "worst", "at")
	for _, name := range slices.Sorted(maps.Keys(g.Classes)) {
		s := g.Classes[name]
		t.Row(name, report.Count(s.Elements), report.Percent(float64(s.Equal)/float64(max(1, s.Elements))),
			report.Count(s.Outside), fmt.Sprintf("%.2f", s.Worst), s.Where)
	}
	t.Write(con.Out)
	for _, d := range g.Differ {
		con.Printf("\n%s: GPU %s, cpu %s\n  %s\n", d.Variant.Label(), d.GPU.Outcome, d.CPU.Outcome,
			cmp.Or(d.CPU.Detail, d.GPU.Detail, fmt.Sprintf("%+v", d.Classes)))
	}
	fmt.Fprintln(con.Out)
}
