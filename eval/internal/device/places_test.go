package device

import (
	"math/rand/v2"
	"testing"
)

// TestOddPlace: what stands out in a line stands at its end, where a head before the first whole vector is, on either
// side of the edge of any chunk, and anywhere, each often enough for some tens of lines to have it.
func TestOddPlace(t *testing.T) {
	const draws, length = 20000, 5000
	rng := rand.New(rand.NewPCG(1, 2))
	counts := map[string]int{}
	for range draws {
		h := rng.Uint64()
		at := OddPlace(h, rng.Uint64()&15, length)
		for what, is := range map[string]bool{
			"the last": at == length-1, "the first": at == 0, "a head": at < 8, "a tail": at >= length-32,
			"before an edge": at%256 == 255, "behind an edge": at > 0 && at%256 == 0,
			"before a long edge": at%1024 == 1023, "behind a long edge": at > 0 && at%1024 == 0,
			"inside": at > length/8 && at < length-length/8 && at%256 > 2 && at%256 < 253,
		} {
			if is {
				counts[what]++
			}
		}
		if at >= length {
			t.Fatalf("place %d of %d", at, length)
		}
	}
	for what, least := range map[string]int{"the last": 4, "the first": 20, "a head": 12, "a tail": 3,
		"before an edge": 20, "behind an edge": 20, "before a long edge": 50, "behind a long edge": 50, "inside": 5} {
		if counts[what] < draws/least {
			t.Errorf("%d of %d stand at %s, expected one in %d at least", counts[what], draws, what, least)
		}
	}
	for length := range uint64(200) { // whatever is drawn, it is in the line
		for range 200 {
			if at := OddPlace(rng.Uint64(), rng.Uint64()&15, length+1); at > length {
				t.Fatalf("place %d of %d", at, length+1)
			}
		}
	}
}
