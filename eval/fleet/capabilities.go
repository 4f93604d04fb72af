package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"darwarp/kernels"
)

// Capabilities is what home can do, but for what the tools around a worker would tell.
func (f *Fleet) Capabilities() kernels.Capabilities {
	c := kernels.Capabilities{Machine: f.machine, Load: f.load, Provenances: f.Provenances, Remember: f.remember,
		Weigh: f.facts.weigh}
	if f.roster.times() { // while nobody is there, too: a search has begun with it, and the next home is waited for
		c.Control, c.Pace, c.Trial = f.control, f.pace, f.trial
	}
	if all := f.roster.ready(); len(all) > 0 && all[0].times {
		c.Publisher = publisher{f}
	}
	return c
}

// mostGPUs bounds what a sample of a fleet lists.
const mostGPUs = 256

// machine sums up what the workers tell of themselves.
func (f *Fleet) machine(context.Context) (sum kernels.Machine) {
	sum.Idle = f.idle()
	f.roster.mu.Lock()
	defer f.roster.mu.Unlock()
	for _, m := range f.roster.members {
		g := kernels.GPU{Name: m.name, Util: -1, SMClock: -1, MemClock: -1, Temp: -1, Power: -1, MemUsed: -1,
			LeftOut: m.out}
		if k := m.last.Machine; k != nil && m.here() {
			sum.Compile.Busy, sum.Compile.Total = sum.Compile.Busy+k.Compile.Busy, sum.Compile.Total+k.Compile.Total
			sum.Device.Busy, sum.Device.Total = sum.Device.Busy+k.Device.Busy, sum.Device.Total+k.Device.Total
			sum.Queue += k.Queue
			if len(k.GPUs) > 0 {
				g = k.GPUs[0]
				g.Name = m.name + ", " + g.Name
			}
		}
		if g.Index = len(sum.GPUs); m.here() || m.out != "" {
			sum.GPUs = append(sum.GPUs, g)
		}
	}
	sum.GPUs = sum.GPUs[:min(len(sum.GPUs), mostGPUs)]
	return sum
}

// load is the share of the time that devices were in use, on average, and how many device workers it took.
func (f *Fleet) load() (busy float64, workers int) {
	f.roster.mu.Lock()
	defer f.roster.mu.Unlock()
	n, anyone := 0, slices.ContainsFunc(f.roster.members, func(m *member) bool { return m.here() && !m.helps })
	for _, m := range f.roster.members {
		if workers += m.last.Workers; (m.here() || !anyone) && !m.helps { // where all have left, what they said last
			busy += m.last.Busy
			n++
		}
	}
	return busy / float64(max(1, n)), workers
}

// hear answers a worker that says it is there.
func (f *Fleet) hear(msg *nats.Msg) {
	var h hello
	if err := json.Unmarshal(msg.Data, &h); err != nil {
		_ = msg.Respond(encode(welcome{Refused: "the search cannot read what this worker says"}))
		return
	}
	now := time.Now()
	if checkName(h.Worker) == nil && f.bear.isTaken(&h, now) {
		_ = msg.Respond(encode(welcome{Taken: true}))
		return
	}
	if h.Task != "" && h.Task != f.task { // open for what the search was about before it was resumed
		h.Proof, h.Compiles = nil, ""
	}
	at, w, joined := f.admit(h, now)
	if w.Refused == "" {
		f.roster.noteOpening(&h, now)
	}
	if w.Session, w.Task = f.post.session, f.task; h.Session == w.Session {
		w.Again = f.post.await(h.Told)
	}
	if joined == nil {
		_ = msg.Respond(encode(w)) // a worker that does not hear it asks again
		return
	}
	at.work.Go(func() {
		err := at.openQueues(joined)
		if err != nil {
			at.roster.turnAway(joined)
			if w.Kind = ""; isRefusal(err) { // else it asks again
				w.Refused = err.Error()
			}
			_ = msg.Respond(encode(w))
			return
		}
		at.greet(joined)
		_ = msg.Respond(encode(w))
		at.welcome(joined)
	})
}

// greet says who has come.
func (f *Fleet) greet(m *member) {
	if m.helps {
		f.cfg.Say("worker %s joins, to compile", m.name)
	} else {
		f.cfg.Say("worker %s joins: %s", m.name, described(m.proof.Device))
	}
}

// openQueues makes the queues that a worker takes from, where they are not there.
func (f *Fleet) openQueues(m *member) error {
	if m.helps {
		return f.post.open(f.ctx, compileQueue(f.post.session), f.names.Compile(f.kind()))
	}
	if err := f.post.open(f.ctx, anyQueue(f.post.session, f.kind()), f.names.AnyOf(f.kind())); err != nil {
		return err
	}
	return f.post.open(f.ctx, toQueue(m.name, f.post.session), f.names.To(m.name))
}

// publisher measures winners at home.
type publisher struct{ *Fleet }

// Final times a candidate once more.
func (p publisher) Final(ctx context.Context, j *kernels.Job) (kernels.Result, error) {
	a, home, err := p.askHome(ctx, request{Do: doFinal}, j)
	if err != nil {
		return kernels.Result{}, err
	}
	return a.verdict(home.key)
}

// FindBaseline looks for a baseline at home.
func (p publisher) FindBaseline(ctx context.Context, name string) (missing map[string]string, err error) {
	a, _, err := p.askHome(ctx, request{Do: doFind, Name: name})
	if err != nil {
		return nil, err
	}
	missing = map[string]string{}
	for what, why := range a.Missing {
		missing[kernels.CleanLine(what, kernels.MaxAbout)] = kernels.CleanDetail(why)
	}
	return missing, nil
}

// BaselineTimes times a baseline as Final does a candidate.
func (p publisher) BaselineTimes(ctx context.Context, name string) (r kernels.BaselineResult, err error) {
	a, home, err := p.askHome(ctx, request{Do: doBaseline, Name: name})
	if err == nil && a.Times == nil {
		err = fmt.Errorf("%w: %s answered without times", kernels.ErrLost, a.Worker)
	}
	if err != nil {
		return r, err
	}
	r = *a.Times
	if err := r.Admit(); err != nil {
		return r, fmt.Errorf("%w: %s: %w", kernels.ErrLost, a.Worker, err)
	}
	p.facts.describe(name, a.About)
	r.Provenance = home.key
	return r, nil
}

// About says which algorithm a baseline took when it was timed.
func (p publisher) About(name, workload string) string {
	return p.facts.described(name, workload)
}

// Compare has a candidate fight a baseline.
func (p publisher) Compare(ctx context.Context, name string, j *kernels.Job, cache string) (kernels.Duel, error) {
	d, _, err := p.askDuel(ctx, request{Do: doCompare, Name: name, Cache: cache}, j)
	return d, err
}

// Versus has two candidates fight at every workload, hot or cold.
func (p publisher) Versus(ctx context.Context, champion, challenger *kernels.Job, cache string) (kernels.Duel, error) {
	d, _, err := p.askDuel(ctx, request{Do: doVersus, Cache: cache}, champion, challenger)
	return d, err
}
