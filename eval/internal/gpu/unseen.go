package gpu

import (
	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
)

// before replays the graph on inputs that were just made: those that come in every sample, or, for the second side,
// others that never come again. Whatever a kernel has kept, and wherever, is of no use for these. Their outputs are not
// looked at.
func (m *fresh) before(g cuda.Graph, turn []int) (lap int, err error) {
	fill := func(seed func(c *device.Case) uint64) error {
		for _, set := range turn {
			c := &m.s.prep.Cases[m.arenas[set].holds]
			if err := m.s.fill(c, m.arenas[set], seed(c)); err != nil {
				return err
			}
		}
		return nil
	}
	inputs := ownSeed
	if m.contender.side == 1 {
		inputs = func(*device.Case) uint64 { return m.s.rng.Uint64() }
	}
	if err := fill(inputs); err != nil {
		return 0, err
	}
	if err := m.freshen(turn, inputs); err != nil {
		return 0, err
	}
	if err := m.level(turn); err != nil {
		return 0, err
	}
	if lap, err = m.s.timedLaunch(g, len(turn)); err != nil {
		return 0, err
	}
	return lap, fill(ownSeed)
}
