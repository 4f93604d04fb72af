package tui

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// loadBatch is how many stored candidates are entered before the screen may look.
const loadBatch = 500

// Follow reads what a source has stored and then takes its events until there are no more. It never waits
// for a screen, so that a search that feeds it does not either.
func (b *Board) Follow(src Source) {
	b.do(func() error { return b.load(src) })
	b.do(func() error {
		b.loading, b.live.watching = false, src.Events() != nil
		return nil
	})
	for e := range orClosed(src.Events()) { // also after an error: the search must not be held up
		b.do(func() error {
			if b.err == nil {
				b.apply(&e)
			}
			return nil
		})
	}
	b.do(func() error {
		b.live.watching = false
		return nil
	})
}

// do changes the board. A panic is a mistake of the view's and no reason for a search to end.
func (b *Board) do(change func() error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() {
		if p := recover(); p != nil {
			b.err = fmt.Errorf("the view broke: %v", p)
		}
		b.version++
	}()
	if err := change(); err != nil {
		b.err = err
	}
}

func orClosed(events <-chan evolve.Event) <-chan evolve.Event {
	if events != nil {
		return events
	}
	none := make(chan evolve.Event)
	close(none)
	return none
}

// load enters all that is stored.
func (b *Board) load(src Source) error {
	b.mu.Unlock() // reading takes a while
	s, err := src.Load()
	b.mu.Lock()
	if err != nil {
		return err
	}
	b.begin(s)
	reigns, asked := s.Champions, s.Exchanges
	err = s.Each(func(c kernels.Candidate) error {
		for len(reigns) > 0 && reigns[0].At.Before(c.At) {
			b.reign(reigns[0])
			reigns = reigns[1:]
		}
		for len(asked) > 0 && asked[0].At.Before(c.At) {
			b.answered(&asked[0], b.latest())
			asked = asked[1:]
		}
		b.judged(&c, -1)
		if len(b.rows)%loadBatch == 0 {
			b.version++
			b.mu.Unlock() // the screen's turn
			b.mu.Lock()
		}
		return nil
	})
	for _, r := range reigns {
		b.reign(r)
	}
	for i := range asked {
		b.answered(&asked[i], b.latest())
	}
	for _, x := range s.Steering.Log {
		head := map[string]string{"pause": "paused: ", "resume": "resumed: "}[x.Do]
		b.say(line{at: x.At, text: cmp.Or(head, "told: ") + cmp.Or(x.Note, x.Do)})
	}
	slices.SortStableFunc(b.log, func(x, y line) int { return cmp.Compare(x.at, y.at) })
	for _, id := range s.Steering.Pins {
		b.obeyed(&evolve.Command{Do: "pin", ID: id})
	}
	for _, id := range s.Steering.Killed {
		b.obeyed(&evolve.Command{Do: "kill", ID: id})
	}
	if now := s.Steering.Budget; now != nil {
		b.budget = *now
	}
	b.readBaselines(s.Baselines)
	return err
}

// reign enters a champion that is stored.
func (b *Board) reign(c store.Champion) { b.crown(c.ID, b.verdicts, b.latest()) }

// latest is the time of the search at the last verdict.
func (b *Board) latest() time.Duration {
	if n := len(b.rows); n > 0 {
		return time.Duration(float64(b.rows[n-1].elapsed) * float64(time.Second))
	}
	return 0
}

// judged enters a verdict; a failure has a line in the log.
func (b *Board) judged(c *kernels.Candidate, at time.Duration) {
	if r, isNew := b.enter(c, at); isNew && r.outcome.Failed() && r.outcome != kernels.Duplicate {
		b.say(line{b.latest(), levelQuiet, fmt.Sprintf("%s %s: %s", r.outcome, r.id.Short(), report.FirstLine(c.Result.Detail)), r.id})
	}
}

// answered enters what came of a question to a language model.
func (b *Board) answered(e *kernels.Exchange, at time.Duration) {
	if b.charge(e) {
		text, lv := exchangeText(e)
		b.say(line{at: at, level: lv, text: text})
	}
}

// floor works out the least times that the device's ceilings allow, from each new provenance.
func (b *Board) floor(proof string) {
	p, err := b.state.Provenance(proof)
	if err != nil {
		return
	}
	for i, w := range b.workloads() {
		if b.state.Bundle == nil {
			return
		}
		flops, bytes, err := b.state.Bundle.Problem.Work(w.Dims, b.state.Meta.DType)
		if share, binds := report.Roofline(report.Ceilings(&p), flops, bytes, 1, b.state.Meta.Cache); err == nil && binds != "" {
			b.floors[i] = share // of a call of 1 ns: the floor in ns
		}
	}
}

// readBaselines takes the times of what a user would run instead, relative to the naive start's.
func (b *Board) readBaselines(all []kernels.BaselineResult) {
	last := map[string]kernels.BaselineResult{}
	for _, r := range all {
		last[r.Name] = r
	}
	start, ok := last["default"]
	if !ok {
		return
	}
	base := map[string]float64{}
	for _, t := range start.Times {
		base[t.Workload] = t.Median
	}
	b.baselines = b.baselines[:0]
	for name, r := range last {
		if name == "default" || len(name) == 10 && strings.Trim(name, "0123456789abcdef") == "" {
			continue // the naive start, and the winner measured again under its ID
		}
		if score, err := kernels.Score(r.Times, base, b.workloads()); err == nil {
			b.baselines = append(b.baselines, baseline{name, score})
		}
	}
	slices.SortFunc(b.baselines, func(x, y baseline) int {
		if x.score < y.score {
			return -1
		}
		return 1
	})
}

// obeyed takes what a command has changed, whoever gave it.
func (b *Board) obeyed(c *evolve.Command) {
	i, known := b.byID[c.ID]
	switch c.Do {
	case "pin", "unpin":
		if delete(b.pins, i); known && c.Do == "pin" {
			b.pins[i] = true
		}
	case "kill":
		if known {
			maps.Copy(b.killed, b.family(i))
		}
	case "add":
		b.budget.Evals += c.Evals
		b.budget.For += c.For
	case "weigh":
		b.reweigh(c.Weights)
	}
}

// reweigh works out every score anew under other weights, as the search has done.
func (b *Board) reweigh(weights map[string]float64) {
	all := slices.Clone(b.workloads())
	for i := range all {
		if w, ok := weights[all[i].Name]; ok {
			all[i].Weight = w
		}
	}
	b.state.Meta.Workloads = all
	start := b.start()
	if start < 0 {
		return
	}
	base := b.rows[start].times
	for i := range b.rows {
		if r := &b.rows[i]; r.outcome == kernels.OK {
			r.score = b.scoreOf(r.times, base)
			b.bounds[i] = r.interval()
		}
	}
	for i := range b.steps {
		b.steps[i].score = b.rows[b.steps[i].row].score
	}
	b.ranking.resort()
	b.readBaselines(b.state.Baselines)
	b.keys.upTo = 0
}

// scoreOf is kernels.Score of what the board keeps of times.
func (b *Board) scoreOf(times, base []span) float64 {
	sum, weights := 0.0, 0.0
	for i, w := range b.workloads() {
		sum += w.Weight * math.Log(float64(times[i].median)/float64(base[i].median))
		weights += w.Weight
	}
	return math.Exp(sum / weights)
}

// apply takes an event.
func (b *Board) apply(e *evolve.Event) {
	l := &b.live
	l.heard = time.Now()
	l.last, l.paused = *e, e.Paused
	l.last.Candidate = nil // the board keeps what it shows of it
	if e.Command != nil {
		b.obeyed(e.Command)
	}
	switch e.Kind {
	case evolve.KindStart:
		b.budget = e.Start.Budget
	case evolve.KindResult:
		b.judged(e.Candidate, e.At)
	case evolve.KindChampion:
		b.crown(e.ID, e.Evals, e.At)
	case evolve.KindMachine:
		b.machine = e.Machine
	default:
		b.applyNote(e)
	}
}

// applyNote takes the events that have a line of their own.
func (b *Board) applyNote(e *evolve.Event) {
	l, text, lv := &b.live, e.Note, levelNote
	switch e.Kind {
	case evolve.KindDuel:
		if e.Duel == nil {
			return
		}
		text, lv = fmt.Sprintf("duel %s: %s than %s, ratio %.4f [%.4f, %.4f]", e.ID.Short(), e.Duel.Verdict, e.Duel.Champion, e.Duel.Ratio, e.Duel.Lo, e.Duel.Hi), levelQuiet
		if e.Duel.Verdict == kernels.Same || e.Duel.Verdict == kernels.Ambiguous {
			text = fmt.Sprintf("duel %s: %s as %s, ratio %.4f [%.4f, %.4f]", e.ID.Short(), e.Duel.Verdict, e.Duel.Champion, e.Duel.Ratio, e.Duel.Lo, e.Duel.Hi)
		}
	case evolve.KindFamily:
		text = "new family " + text
	case evolve.KindRestart:
		text = "starting anew: " + text
	case evolve.KindAdvice:
		if e.Exchange != nil {
			b.answered(e.Exchange, e.At)
			return
		}
	case evolve.KindLost:
		l.lost++
		text, lv = "lost: "+text, levelBad
	case evolve.KindNoise:
		text = "noise: " + text
	case evolve.KindOutage:
		text, lv = "outage: "+text, levelBad
	case evolve.KindDisk:
		if l.diskFull = strings.HasPrefix(text, "disk full"); l.diskFull {
			lv = levelBad
		}
	case evolve.KindDrain:
		l.draining, text = e.Note, "stopping: "+text
	case evolve.KindPaused:
		text = "paused: " + text
	case evolve.KindResumed:
		text = "resumed: " + text
	case evolve.KindSteer:
		text = "told: " + text
	case evolve.KindEnd:
		l.summary, text = e.Summary, "ended: "+text
	default:
		return // a skipped point is no news
	}
	b.say(line{e.At, lv, text, e.ID})
}

// exchangeText tells what came of a question to a language model, and what it took.
func exchangeText(e *kernels.Exchange) (string, level) {
	text, lv := fmt.Sprintf("%s proposed %d", shortArm(e.Arm), len(e.Proposed)), levelQuiet
	switch {
	case e.Failed != "":
		text, lv = shortArm(e.Arm)+" failed: "+report.FirstLine(e.Failed), levelBad
	case e.Refused != "" && len(e.Proposed) == 0:
		text = shortArm(e.Arm) + " refused: " + report.FirstLine(e.Refused)
	}
	if n := e.Tokens.In + e.Tokens.Out; n > 0 {
		text += fmt.Sprintf(", %s tokens", report.Count(n))
	}
	if e.USD > 0 {
		text += fmt.Sprintf(", USD %.4f", e.USD)
	}
	if e.Took > 0 {
		text += ", " + report.Duration(e.Took)
	}
	return text, lv
}

// sayChampion tells of a new champion, with its time where there is one workload, and what it changed.
func (b *Board) sayChampion(at time.Duration) {
	n := len(b.steps)
	r := &b.rows[b.steps[n-1].row]
	text := fmt.Sprintf("champion %s %s", r.id.Short(), report.Speedup(r.score))
	if len(r.times) == 1 {
		text += " " + report.Time(float64(r.times[0].median))
	}
	if n == 1 {
		text += ", the naive start"
	} else if before := &b.rows[b.steps[n-2].row]; r.score > 0 {
		text += fmt.Sprintf(", %s: %s", faster(before.score/r.score), b.changes(before, r))
	}
	b.say(line{at, levelGood, text, r.id})
}

// faster writes a factor as a person says it: 12% faster, 3.1x as fast.
func faster(factor float64) string {
	if factor >= 2 {
		return report.Ratio(factor) + " as fast"
	}
	return fmt.Sprintf("%.1f%% faster", 100*math.Abs(factor-1))
}
