package gpu

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// anyRefill is one of the two.
func (s *Session) anyRefill() device.Refill { return device.Refill(s.coin()) }

// coin is true every other time, nobody knows when.
func (s *Session) coin() bool { return s.rng.Uint64()&1 == 1 }

// palettes are values to refill with, in device memory: by case and output, and of each type where nobody knows better.
type palettes struct {
	host  cuda.Pinned
	block *block
	of    map[paletteKey]int // offset
	first []int              // by case: the one whose palettes it uses
}

// paletteKey names a palette: of output number out of a case, of a type (case -1), or of what a one-byte type has for
// wild values, check.Blanks (case -2).
type paletteKey struct {
	at, out int
	dtype   kernels.DType
}

// gather lays palettes out one after the other. Those of the types are of normal numbers.
func gather(prep *device.Prepare, ordinary func(kernels.DType) []byte, rng *rand.Rand) ([]byte,
	map[paletteKey]int, error) {
	var all []byte
	of := map[paletteKey]int{}
	for _, d := range []kernels.DType{kernels.FP16, kernels.BF16, kernels.FP32, kernels.I32} {
		of[paletteKey{-1, 0, d}] = len(all)
		all = append(all, ordinary(d)...)
	}
	if slices.ContainsFunc(prep.Cases, writesBytes) {
		of[paletteKey{-1, 0, kernels.E4M3}] = len(all)
		all = append(all, ordinary(kernels.E4M3)...)
		of[paletteKey{-2, 0, kernels.E4M3}] = len(all)
		all = append(all, check.Blanks(check.PaletteSize*check.PaletteUnit(kernels.E4M3), rng)...)
	}
	for _, i := range slices.Sorted(maps.Keys(prep.Palettes)) {
		values := prep.Palettes[i]
		if i < 0 || i >= len(prep.Cases) {
			return nil, nil, fmt.Errorf("a palette of case %d", i)
		}
		for out, b := range prep.Cases[i].Outputs() {
			n := check.PaletteSize * check.PaletteUnit(b.DType)
			if len(values) < n {
				return nil, nil, fmt.Errorf("%s: its palette has %d bytes, %d are needed", prep.Cases[i].Name, len(values), n)
			}
			of[paletteKey{i, out, b.DType}] = len(all)
			all, values = append(all, values[:n]...), values[n:]
		}
	}
	return all, of, nil
}

// writesBytes reports whether a case has an output of one byte an element.
func writesBytes(c device.Case) bool {
	return slices.ContainsFunc(c.Outputs(), func(b kernels.Buffer) bool { return b.DType.Size() == 1 })
}

// preparePalettes makes room for the palettes; usePalettes brings them there.
func (s *Session) preparePalettes() error {
	ordinary := func(d kernels.DType) []byte {
		return check.Truth{Value: []float64{1, -1, 2, -2, 0.5, -0.5, 3, -3, 0.25, -0.25, 1.5, -1.5}}.Palette(d, s.rng)
	}
	all, of, err := gather(&s.prep, ordinary, s.rng)
	if err != nil {
		return err
	}
	p := &palettes{of: of, first: firstOfSize(s.prep.Cases)}
	if p.host, err = s.drv.HostAlloc(len(all)); err != nil {
		return err
	}
	copy(p.host, all)
	p.block, err = s.mem.take(len(all), false)
	s.palettes = p
	return err
}

// firstOfSize is by case the one whose palettes it uses. To look for it at each run took longer than all else that a
// gate has to think of.
func firstOfSize(cases []device.Case) (first []int) {
	for i := range cases {
		first = append(first, device.PaletteCase(cases, i))
	}
	return first
}

// usePalettes copies the palettes to the device again for every request: no kernel can change what others find.
func (s *Session) usePalettes() error {
	return s.drv.HtoDAsync(s.palettes.block.at, s.palettes.host, s.stream)
}

// output is where the values for an output of a case lie.
func (p *palettes) output(i, out int, d kernels.DType) cuda.Ptr {
	off, ok := p.of[paletteKey{p.first[i], out, d}]
	if !ok {
		return p.ordinary(d)
	}
	return p.block.at + cuda.Ptr(off)
}

// ordinary is where values of a type lie.
func (p *palettes) ordinary(d kernels.DType) cuda.Ptr {
	return p.block.at + cuda.Ptr(p.of[paletteKey{-1, 0, d}])
}

// blank is where what a one-byte type's outputs hold instead of wild values lies.
func (p *palettes) blank(d kernels.DType) cuda.Ptr {
	return p.block.at + cuda.Ptr(p.of[paletteKey{-2, 0, d}])
}
