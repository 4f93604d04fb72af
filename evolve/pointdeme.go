package evolve

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"darwarp/kernels"
	"darwarp/mutate"
)

// pointDeme is the population of one space's points. A language model's family is closed until something of it is
// seen to work, and when many of its points cannot be rendered: then only what was asked for by name is judged.
type pointDeme struct {
	ranking
	num     int
	space   *kernels.Space
	start   int   // index of the family's default, -1 when it is not in the space
	likely  []int // indices of the points that the family says to try first
	known   map[int]struct{}
	view    *mutate.View
	outlook mutate.Outlook
	recall  mutate.Recall // what was best in another run
	niches  []*pointDeme  // ranked by one workload each; they share what is known
	all     func() []*member

	model  bool // a language model wrote the family
	closed bool
	judged int // points, those of killed lineages included
	broken int // points that could not be rendered
}

const (
	heldBack   = 30 // verdicts of its own before a search learns from what another run has known: see pool
	mostBroken = 8  // points of a language model's family that cannot be rendered, until it is closed
	youth      = 40 // verdicts of a language model's family until it has to hold its own among all
)

// newPointDeme makes an empty population; all gives everything that works, best first.
func newPointDeme(number int, space *kernels.Space, recall mutate.Recall, all func() []*member) *pointDeme {
	d := &pointDeme{
		num: number, space: space, start: -1, known: map[int]struct{}{}, view: mutate.NewView(space),
		recall: recall, all: all,
	}
	if p, err := space.Point(space.Family.Defaults()); err == nil {
		if i, ok := space.Index(p); ok {
			d.start = i
		} else if sizesRefuse(space, space.Family.Defaults()) {
			d.start, _ = space.Repair(p, rand.New(rand.NewPCG(1, 2))) // the same whenever the run goes on
		}
	}
	d.likely = likelyPoints(space)
	d.model = kernels.Grown(space.Family.Name)
	d.closed = d.model && d.start >= 0 && !space.Recorded()
	return d
}

// likelyPoints are the points that the family says to try first: those that the space has as they stand, since others
// are for other sizes; where it has none, the nearest ones.
func likelyPoints(space *kernels.Space) (list []int) {
	var near []int
	for _, g := range space.Family.Starts() {
		p, err := space.Point(g)
		if err != nil {
			continue
		}
		if i, ok := space.Index(space.Canonical(p)); ok {
			list = append(list, i)
		} else if i, ok := space.Repair(p, rand.New(rand.NewPCG(1, 2))); ok {
			near = append(near, i)
		}
	}
	if len(list) == 0 {
		return near
	}
	return list
}

// sizesRefuse reports whether what is legal is not so at the sizes that the space is for.
func sizesRefuse(space *kernels.Space, g kernels.Genome) bool {
	return space.Check(g) != nil && space.Family.Check(g, space.Device, space.DType) == nil
}

// rankBy ranks the population by so many single workloads, too: a kernel that is the best at one shape and poor at the
// others would else have no offspring.
func (d *pointDeme) rankBy(workloads int) {
	for range workloads {
		d.niches = append(d.niches, &pointDeme{num: d.num, space: d.space, known: d.known, view: d.view})
	}
}

// recalled is the operator that proposes what was best in another run.
func (d *pointDeme) recalled() mutate.Operator { return d.recall }

// declared is the family.
func (d *pointDeme) declared() *kernels.Family { return d.space.Family }

func (d *pointDeme) device() kernels.Device { return d.space.Device }
func (d *pointDeme) isClosed() bool         { return d.closed }

// verdicts is how many points were judged.
func (d *pointDeme) verdicts() int { return d.judged }

// size is how many points there are.
func (d *pointDeme) size() int { return d.space.Len() }

func (d *pointDeme) number() int    { return d.num }
func (d *pointDeme) family() string { return d.space.Family.Name }

func (d *pointDeme) job(r *renderer, t *task) (*kernels.Job, error) {
	return r.point(d.num, d.space, t.Index)
}

func (d *pointDeme) task(m *member) *task { return &task{Space: d.num, Index: m.index} }

func (d *pointDeme) check(t *task) error {
	if t.Index < -1 || t.Index >= d.space.Len() {
		return errors.New("the checkpoint names a point that does not exist")
	}
	return nil
}

func (d *pointDeme) claimed(index int) bool { _, ok := d.known[index]; return ok }

func (d *pointDeme) claim(index int) {
	if index >= 0 {
		d.known[index] = struct{}{}
	}
}

func (d *pointDeme) tried(t *task) error {
	if d.claimed(t.Index) {
		return fmt.Errorf("%w: %s", errTried, t.job.ID.Short())
	}
	return nil
}

// authored is true of the default of a model's family: it is what the model wrote, and the operators make the rest.
func (d *pointDeme) authored(index int) bool { return d.model && index >= 0 && index == d.start }

// exhausted reports whether every point was asked for.
func (d *pointDeme) exhausted() bool { return len(d.known) == d.space.Len() }

// checkDefault says why the family's default cannot run, if it cannot.
func (d *pointDeme) checkDefault() error {
	f := d.space.Family
	if err := d.space.Check(f.Defaults()); err != nil {
		return fmt.Errorf("the naive start, the default of family %s, cannot run on %s: %w",
			f.Name, d.space.Device.Name, err)
	}
	return nil
}

// startTask asks for the family's default.
func (d *pointDeme) startTask(o kernels.Origin) *task {
	return &task{Space: d.num, Index: d.start, Origin: o}
}

// unaskedDefault is each point that the family says to try first, and then its default, or the nearest point that the
// sizes allow, where it was not asked for yet. The default is plain, and last: a champion that is soon beaten has
// cost a duel and a trial, which take as long as a short search where a call takes milliseconds.
func (d *pointDeme) unaskedDefault() (p mutate.Proposal, ok bool) {
	for _, i := range append(slices.Clip(d.likely), d.start) {
		if i >= 0 && !d.claimed(i) {
			return mutate.Proposal{Index: i}, true
		}
	}
	return p, false
}

// open reports whether more may be asked for.
func (d *pointDeme) open() bool { return !d.exhausted() && !d.closed }

// young reports whether the family has had few verdicts yet: by its untuned points it would lose to those that were
// tuned for long.
func (d *pointDeme) young() bool { return d.model && len(d.best) > 0 && d.open() && d.judged < youth }

// unrendered notes a point that could not be rendered. The loop waits for each.
func (d *pointDeme) unrendered() {
	d.broken++
	d.closed = d.closed || d.model && d.broken >= mostBroken
}

// index finds a point, -1 where the space does not have it.
func (d *pointDeme) index(g kernels.Genome) int {
	if p, err := d.space.Point(g); err == nil {
		if at, ok := d.space.Index(p); ok {
			return at
		}
	}
	return -1
}

// place makes a task of genes; missing ones take their default.
func (d *pointDeme) place(g kernels.Genome) (*task, error) {
	p, err := d.space.Point(g)
	if err != nil {
		return nil, err
	}
	p = d.space.Canonical(p)
	if at, ok := d.space.Index(p); ok {
		return &task{Space: d.num, Index: at}, nil
	}
	if err := d.space.Check(d.space.Genome(p)); err != nil {
		return nil, err
	}
	return nil, errors.New("not in the searched space: " +
		"the run fixes some of these genes, or the recording does not have them")
}
