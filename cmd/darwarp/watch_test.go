package main

import (
	"testing"

	"darwarp/kernels"
	"darwarp/store"
)

// TestStandsAt: a watcher is told at once what was found before it came.
func TestStandsAt(t *testing.T) {
	id := kernels.ID{0xab}
	for want, s := range map[string]store.Status{
		"no champion yet": {},
		"champion ab00000000: 2.00x over the naive start": {Champion: &id, Score: 0.5, Speedup: 2},
	} {
		if got := standsAt(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
