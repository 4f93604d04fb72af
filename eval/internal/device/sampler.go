package device

// Reading is what a sample shows.
type Reading struct {
	Nanos          float64 // a call
	MHz            float64 // the SM clock meanwhile; 0: the device does not tell
	Repeat         float64 // of a fresh sample: the time of the same calls once more, over Nanos
	Checked, Wrong int     // outputs
	Strays         *Strays // where it was looked for them
}

// Compare holds the hash of outputs against what it has to be, where that is known.
func (r *Reading) Compare(hash uint64, expect []uint64, set int) {
	if set >= len(expect) {
		return
	}
	r.Checked++
	if hash != expect[set] {
		r.Wrong++
	}
}

// Sampler times one contender on one run. Its errors are the device's, or a candidate's fault: the caller knows which.
type Sampler interface {
	// Calls is how many calls a steady sample has.
	Calls() int
	// Sets is of how many of the run's sets of inputs samples can be taken.
	Sets() int
	// Sample times calls in a row; of a fresh run one call for each of some sets, in the order of turn, and then the
	// same once more.
	Sample(turn []int) (Reading, error)
	// Single times one call.
	Single() (Reading, error)
	// Close gives back what it holds.
	Close() error
}

// Renewal is what the buffers of a call get before a steady sample.
type Renewal struct {
	Set  int    // of the run, whose inputs they get; -1: they keep theirs
	Keep bool   // outputs stay as they are
	How  Refill // of outputs, unless they stay
}

// Renewals plans what each of the arenas that a run goes through gets before a sample. Where they rotate, each gets the
// inputs of the set after the one that it had, and its outputs are left now and then: the right answer to another set,
// which a kernel that looks whether its work was done takes for its own. Where they do not, there are more of them than
// a cheat could remember. turn counts the samples of a session, of which first is the sampler's first one.
func Renewals(arenas, sets, turn int, first, rotate bool, coin func() bool) []Renewal {
	list := make([]Renewal, arenas)
	for i := range list {
		keep, how := coin(), Refill(coin())
		list[i] = Renewal{Set: -1, How: how}
		if rotate {
			list[i].Set, list[i].Keep = (i+turn)%sets, keep && !first && sets > 1
		}
	}
	return list
}
