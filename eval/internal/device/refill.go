package device

import (
	crand "crypto/rand"
	"maps"
	"math/rand/v2"
	"slices"

	"darwarp/kernels"
)

// Refill is what outputs and scratch are filled with before a run: NaNs, or values that could be right. Gate and timing
// use both, by chance.
type Refill bool

// The two refills: see check.Wild and check.Truth.Palette.
const (
	Wild      Refill = false
	Plausible Refill = true
)

// PaletteCase is the case whose palette a case uses: the first of its size.
func PaletteCase(cases []Case, i int) int {
	return slices.IndexFunc(cases, func(c Case) bool { return maps.Equal(c.Dims, cases[i].Dims) })
}

// ScratchSizes are the bytes of each scratch buffer of a call.
func ScratchSizes(call kernels.Call) []int {
	sizes := make([]int, len(call.Scratch))
	for i, sc := range call.Scratch {
		sizes[i] = sc.Bytes
	}
	return sizes
}

// Staying is scratch of which only what is clear before a first call is refilled.
func Staying(list []kernels.Scratch) []kernels.Scratch {
	list = slices.Clone(list)
	for i := range list {
		if !list[i].Once {
			list[i].Bytes = 0
		}
	}
	return list
}

// Coin is true every other time.
func Coin(rng *rand.Rand) bool { return rng.Uint64()&1 == 1 }

// SecretNumbers are a stream that no candidate can foresee.
func SecretNumbers() *rand.Rand {
	var seed [32]byte
	if _, err := crand.Read(seed[:]); err != nil { // documented never to fail
		panic(err)
	}
	return rand.New(rand.NewChaCha8(seed))
}
