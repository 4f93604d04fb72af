package tui

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// loadBatch is how many stored candidates are entered before the screen may look.
const loadBatch = 500

// Follow reads what a source has stored and then takes its events until there are no more. It never waits
// for a screen, so that a search that feeds it does not either.
func (b *Board) Follow(src Source) {
	b.load(src)
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

// do changes the board under its lock. What goes wrong stays with the board.
func (b *Board) do(change func() error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := caught(change); err != nil {
		b.err = err
	}
	b.version++
}

// caught is the error of fn. A panic is a mistake of the view's and no reason for a search to end.
func caught(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the view failed: %v", p)
		}
	}()
	return fn()
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
func (b *Board) load(src Source) {
	err := caught(func() error { return b.read(src) })
	b.do(func() error { return err })
}

// read does so without the lock, for reading takes a while: between two batches of candidates it is the screen's turn.
func (b *Board) read(src Source) error {
	s, err := src.Load()
	if err != nil {
		return err
	}
	b.do(func() error {
		b.begin(s)
		return nil
	})
	p := past{b, s.Champions, s.Exchanges}
	var batch []kernels.Candidate
	enter := func() error {
		p.enter(batch)
		batch = nil
		return nil
	}
	err = s.Each(func(c kernels.Candidate) error {
		if batch = append(batch, c); len(batch) == loadBatch {
			b.do(enter)
		}
		return nil
	})
	b.do(enter)
	b.do(func() error {
		p.end(s)
		return nil
	})
	return err
}

// past is what is stored beside the candidates and not entered yet.
type past struct {
	board     *Board
	champions []store.Champion
	asked     []kernels.Exchange
}

// enter enters candidates, and what was stored before each of them.
func (p *past) enter(all []kernels.Candidate) {
	b := p.board
	for i := range all {
		c := &all[i]
		for len(p.champions) > 0 && p.champions[0].At.Before(c.At) {
			b.enterChampion(p.champions[0])
			p.champions = p.champions[1:]
		}
		for len(p.asked) > 0 && p.asked[0].At.Before(c.At) {
			b.answered(&p.asked[0], b.latest())
			p.asked = p.asked[1:]
		}
		b.judged(c, -1)
	}
}

// end enters what came after the last candidate, and what is of no moment.
func (p *past) end(s *State) {
	for _, r := range p.champions {
		p.board.enterChampion(r)
	}
	for i := range p.asked {
		p.board.answered(&p.asked[i], p.board.latest())
	}
	p.board.steered(s.Steering)
	p.board.fights(s)
	p.board.readBaselines(s.Baselines)
}

// steered enters what people asked for before.
func (b *Board) steered(s evolve.Steering) {
	for _, x := range s.Log {
		head := map[string]string{"pause": "paused: ", "resume": "resumed: "}[x.Do]
		b.say(line{at: x.At, text: cmp.Or(head, "told: ") + cmp.Or(x.Note, x.Do)})
	}
	slices.SortStableFunc(b.log, func(x, y line) int { return cmp.Compare(x.at, y.at) })
	for _, id := range s.Pins {
		b.applied(&evolve.Command{Do: "pin", ID: id})
	}
	for _, id := range s.Killed {
		b.applied(&evolve.Command{Do: "kill", ID: id})
	}
	b.budget = s.InForce(b.budget)
}

// enterChampion enters a champion that is stored.
func (b *Board) enterChampion(c store.Champion) { b.promote(c.ID, b.verdicts, b.latest()) }

// latest is the time of the search at the last verdict.
func (b *Board) latest() time.Duration {
	if n := len(b.rows); n > 0 {
		return time.Duration(float64(b.rows[n-1].elapsed) * float64(time.Second))
	}
	return 0
}

// apply takes an event.
func (b *Board) apply(e *evolve.Event) {
	l := &b.live
	l.heard = time.Now()
	l.last, l.paused = *e, e.Paused
	l.last.Candidate = nil // the board keeps what it shows of it
	if e.Reign > 0 {
		b.over = kernels.Pace{Factor: e.Speedup * e.Reign, Estimate: e.Estimate, Champion: e.Champion}
	}
	if e.Command != nil {
		b.applied(e.Command)
	}
	switch e.Kind {
	case evolve.KindStart:
		b.budget = e.Start.Budget
	case evolve.KindResult:
		b.judged(e.Candidate, e.At)
	case evolve.KindChampion:
		b.promote(e.ID, e.Evals, e.At)
	case evolve.KindMachine:
		b.live.machine = e.Machine
	default:
		b.applyNote(e)
	}
}
