package kernels

import "fmt"

// Outcome is what became of a candidate. The zero value is invalid, so that a verdict that was
// never given cannot be mistaken for one.
type Outcome uint8

// The outcomes. Everything but Lost is the candidate's own doing.
const (
	Unknown       Outcome = iota
	OK                    // compiled, right on every check, timed
	Duplicate             // same machine code as a candidate that was seen before
	Invalid               // the launch plan cannot be resolved, or exceeds the device's limits
	Unsupported           // uses something that this device does not have
	CompileFailed         // the compiler refused it, crashed on it, or took too long
	Wrong                 // an output differs from the truth by more than the error model allows
	Crashed               // a device fault: illegal address, trap, launch failure
	TimedOut              // did not finish within its launch budget
	Suspect               // faster than the hardware can be, or wrote where it must not
	Flaky                 // right once and wrong once: not deterministic, or a fault that did not repeat
	Lost                  // our side failed (worker killed, device gone): retried, never held against it
)

var outcomeNames = [...]string{"unknown", "ok", "duplicate", "invalid", "unsupported", "compile", "wrong", "crash",
	"timeout", "suspect", "flaky", "lost"}

// Outcomes lists every outcome but Unknown, for tables and for T4 export.
func Outcomes() []Outcome {
	var all []Outcome
	for o := OK; int(o) < len(outcomeNames); o++ {
		all = append(all, o)
	}
	return all
}

func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// Failed reports whether the candidate has been judged and is not usable.
func (o Outcome) Failed() bool { return o > OK && o != Lost }

// MarshalText writes the name.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads a name.
func (o *Outcome) UnmarshalText(b []byte) error {
	for i, n := range outcomeNames {
		if n == string(b) {
			*o = Outcome(i)
			return nil
		}
	}
	return fmt.Errorf("unknown outcome %q", b)
}
