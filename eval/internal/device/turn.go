package device

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Sides name the contenders of a duel in its phases.
var Sides = [2]string{"the champion", "the challenger"}

// Turn is the phase in which a duel takes a sample of one side, 0 or 1.
func Turn(workload string, side int) string { return fmt.Sprintf("duel %s, %s", workload, Sides[side]) }

// TurnOf says whose sample was being taken in a phase: 1 the champion's, 2 the challenger's, 0 neither's.
func TurnOf(phase string) int {
	for i, s := range Sides {
		if strings.HasPrefix(phase, "duel ") && strings.HasSuffix(phase, ", "+s) {
			return i + 1
		}
	}
	return 0
}

// DrawTurn draws so many sets of a bank, in the order in which a sample calls on them.
func DrawTurn(rng *rand.Rand, sets, of int) []int { return rng.Perm(of)[:min(sets, of)] }
