package device

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"darwarp/kernels"
)

// scripted is a sampler whose samples a test has written; the last one again and again.
type scripted struct {
	name   string
	say    func(line string) // what was done, in order
	list   []Reading
	sets   int
	calls  int // of a sample; 0: 10
	fails  int // the launch that fails, from 1; 0: none
	single []Reading
	tape   *Tape
	cases  []int // of a sample's outputs

	taken, ones int
	turns       [][]int
}

var errLaunch = errors.New("the launch failed")

func (s *scripted) Calls() int { return cmp.Or(s.calls, 10) }
func (s *scripted) Sets() int  { return s.sets }

func (s *scripted) Sample(turn []int) (Reading, error) {
	s.taken++
	s.turns = append(s.turns, turn)
	if s.say != nil {
		s.say(s.name)
	}
	if s.taken+s.ones == s.fails {
		return Reading{Checked: 1}, errLaunch
	}
	err := s.tape.Take(s.cases, rand.New(rand.NewPCG(1, 2)), func(int, int) error { return nil })
	return s.list[min(s.taken, len(s.list))-1], err
}

func (s *scripted) Single() (Reading, error) {
	s.ones++
	if s.taken+s.ones == s.fails {
		return Reading{Checked: 1}, errLaunch
	}
	return s.single[min(s.ones, len(s.single))-1], nil
}

func (s *scripted) Close() error {
	if s.say != nil {
		s.say("close " + s.name)
	}
	return nil
}

// times are samples of so many ns at a steady clock.
func times(ns ...float64) []Reading {
	var list []Reading
	for _, v := range ns {
		list = append(list, Reading{Nanos: v, MHz: 1980, Checked: 2})
	}
	return list
}

// prepared are two cases with outputs of 256 bytes and slots of 2048.
func prepared() *Prepare {
	p := &Prepare{Slots: 2, SlotBytes: 2048}
	for i := range 2 {
		p.Cases = append(p.Cases, Case{Name: fmt.Sprint(i), Buffers: []kernels.Buffer{{Name: "y", DType: kernels.FP32,
			Shape: []int{8}, Out: true}}})
	}
	return p
}

// spread is n times around a middle, between one tenth less and one tenth more.
func spread(n int, middle float64) []float64 {
	rng := rand.New(rand.NewPCG(5, 6))
	out := make([]float64, n)
	for i := range out {
		out[i] = middle * (0.9 + 0.2*rng.Float64())
	}
	return slices.Clip(out)
}
