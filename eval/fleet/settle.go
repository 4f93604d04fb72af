package fleet

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"darwarp/eval/internal/ratio"
	"darwarp/kernels"
)

// Two workers of one kind that do not agree on a kernel's times are not both to be believed. Other work on a machine
// makes all kernels slower there, for a while; a lie is of one kernel, and so is a defect that matters. So what is
// compared then is how that kernel stands to the yardstick, both timed anew on each worker. Who has other work is set
// aside until it times the yardstick as the others do. Left out, for good, is who makes a kernel faster than two others
// do, each time that it is asked.

// seen is what workers make of a kernel, by workload: ns as on the first worker, or shares of the yardstick's.
type seen map[*member]map[string]float64

// look is a kernel's times on workers, which are asked beside each other unless they were before.
func (f *Fleet) look(ctx context.Context, s *sheet, who ...*member) (seen, error) {
	for _, m := range who {
		s.on(m)
	}
	all := seen{}
	for _, m := range who {
		at, err := s.wait(ctx, m)
		if err != nil {
			return nil, err
		}
		f.roster.ratiosOf(m).Scale(at)
		all[m] = medians(at)
	}
	return all, nil
}

func medians(times []kernels.Timing) map[string]float64 {
	by := make(map[string]float64, len(times))
	for _, t := range times {
		by[t.Workload] = t.Median
	}
	return by
}

// shares times a kernel and the yardstick anew. Where it is the yardstick itself its times have to do.
func (f *Fleet) shares(ctx context.Context, s *sheet, who ...*member) (seen, error) {
	y := f.facts.yardstick()
	now := f.newSheet(s.job, s.brief)
	if y == nil || y.job.ID == s.job.ID {
		return f.look(ctx, now, who...)
	}
	old := f.newSheet(y.job, true)
	for _, m := range who {
		old.on(m)
	}
	all, err := f.look(ctx, now, who...)
	if err != nil {
		return nil, err
	}
	by, err := f.look(ctx, old, who...)
	for m, at := range by {
		for load, ns := range at {
			all[m][load] /= ns
		}
	}
	return all, err
}

// settle asks who of two workers is right about a kernel's times: a third decides where it is no other work that makes
// them differ. claimed are the times that the second one gave it before, which home has found too short; nil: none.
// undecided says why the kernel is not to be believed: there is no third, or not all have answered.
func (f *Fleet) settle(ctx context.Context, s *sheet, one, other *member, claimed []kernels.Timing) (undecided string) {
	times, err := f.look(ctx, s, one, other)
	if err != nil {
		return err.Error()
	}
	if len(alone(times)) == 0 {
		f.doubtClaim(ctx, other, claimed, times[other])
		return ""
	}
	shares, err := f.shares(ctx, s, one, other)
	if err != nil {
		return err.Error()
	}
	if len(alone(shares)) == 0 {
		f.setAside(slower(times), fmt.Sprintf("it takes longer than another for %s, and for an older kernel as well: "+
			"has it other work?", s.job.ID.Short()))
		return ""
	}
	for _, third := range f.roster.others(one, other) {
		shares, err := f.shares(ctx, s, one, other, third)
		if err != nil {
			continue
		}
		if odd := alone(shares); len(odd) < 2 {
			f.outvote(odd, shares, s.job)
			return ""
		}
	}
	return fmt.Sprintf("workers %s and %s do not agree on the times of %s, and no third is there to decide", one.name,
		other.name, s.job.ID.Short())
}

// outvote leaves out whoever is alone, and again, with too short a time. Too long a time can have many reasons.
func (f *Fleet) outvote(odd []*member, of seen, j *kernels.Job) {
	for _, m := range odd {
		if slower(of) == m {
			f.setAside(m, fmt.Sprintf("it takes longer for %s than two others", j.ID.Short()))
			continue
		}
		f.leaveOut(m, fmt.Sprintf("it times %s as faster than two others do, each time", j.ID.Short()))
		for _, w := range f.roster.waiting() {
			f.work.Go(func() { f.welcome(w) })
		}
	}
}

// mostClaimed is how many claims of a worker may be wrong before it is left out.
const mostClaimed = 3

// doubtClaim counts a claim that its own worker does not repeat. Where the yardstick takes longer there than it did,
// too, it has other work now.
func (f *Fleet) doubtClaim(ctx context.Context, m *member, claimed []kernels.Timing, now map[string]float64) {
	y := f.facts.yardstick()
	if claimed == nil || y == nil {
		return
	}
	before, err := f.look(ctx, y, m)
	if err != nil {
		return
	}
	since, err := f.look(ctx, f.newSheet(y.job, true), m)
	if err != nil {
		return
	}
	for load, ns := range medians(claimed) {
		busier := max(1, since[m][load]/before[m][load])
		if now[load] > ratio.Most*busier*ns {
			if f.roster.countClaim(m) == mostClaimed {
				f.leaveOut(m, fmt.Sprintf("it gave %d kernels times that it did not repeat", mostClaimed))
			}
			return
		}
	}
}

// setAsideOutlier sets aside whoever of home and a worker is alone with the yardstick's times; without a third the
// worker. again says that it may be compared with another home now.
func (f *Fleet) setAsideOutlier(s *sheet, home, m *member, why error) (again bool) {
	const alike = "it does not time %s as others do: has it other work? (%v)"
	for _, third := range f.roster.others(home, m) {
		if all, err := f.look(f.ctx, s, home, m, third); err == nil {
			if odd := alone(all); len(odd) == 1 && odd[0] == home {
				f.setAside(home, fmt.Sprintf(alike, s.job.ID.Short(), why))
				return true
			}
			break
		}
	}
	f.setAside(m, fmt.Sprintf(alike, s.job.ID.Short(), why))
	return false
}

// setAside has a worker take no candidates for a while. Then it is asked again.
func (f *Fleet) setAside(m *member, why string) {
	why = kernels.CleanLine(why, kernels.MaxLine)
	pause, ok := f.roster.setAside(m, why)
	if !ok {
		return
	}
	f.cfg.Say("worker %s gets no candidates for %s: %s", m.name, pause, why)
	gone := f.roster.goneOf(m)
	f.work.Go(func() {
		select {
		case <-time.After(pause):
			if f.roster.recall(m) {
				f.welcome(m)
			}
		case <-gone:
		case <-f.ctx.Done():
		}
	})
}

// alone are those that are further from the middle than devices of one model are. Of two both are.
func alone(all seen) (odd []*member) {
	for m := range all {
		if high, low := all.off(m); high >= all.most() || low <= 1/all.most() {
			odd = append(odd, m)
		}
	}
	return odd
}

// slower is whoever takes longest, by the geometric mean of the workloads where it is furthest from the middle.
func slower(all seen) *member {
	return slices.MaxFunc(slices.Collect(maps.Keys(all)), func(a, b *member) int {
		high, low := all.off(a)
		above, below := all.off(b)
		return cmp.Compare(high*low, above*below)
	})
}

// most is how far from the middle one may be. Each of two is half as far from it as from the other.
func (all seen) most() float64 {
	if len(all) == 2 {
		return math.Sqrt(ratio.Most)
	}
	return ratio.Most
}

// off is how many times as long as the middle a worker takes, at most and at least. A workload that not all have is as
// far off as can be.
func (all seen) off(m *member) (high, low float64) {
	high, low = 0, math.Inf(1)
	for load := range all.loads() {
		var each []float64
		for _, at := range all {
			each = append(each, at[load])
		}
		slices.Sort(each)
		off := all[m][load] / math.Sqrt(each[(len(each)-1)/2]*each[len(each)/2])
		if math.IsNaN(off) {
			off = math.Inf(1)
		}
		high, low = max(high, off), min(low, off)
	}
	return high, low
}

func (all seen) loads() map[string]bool {
	loads := map[string]bool{}
	for _, at := range all {
		for load := range at {
			loads[load] = true
		}
	}
	return loads
}
