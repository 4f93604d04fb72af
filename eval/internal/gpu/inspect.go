package gpu

import (
	"fmt"
	"strings"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// What dw_inspect makes of a region: the number of bytes that are not the guards' pattern, a hash, the number of bytes
// that are not zero, or a hash and a copy. The key of a copy is where it goes, an address of 48 bits, and the upper
// bits of the key of its hash, which has no others.
const (
	GuardKind = iota
	HashKind
	ZeroKind
	CopyKind
)

// copyEnd is up to where copies go.
const copyEnd = 1 << 48

// How regions travel: as the argument of a launch, since what lies in device memory is within a candidate's reach.
const (
	regionsPerLaunch = 64
	regionBytes      = 32
	regionsBytes     = regionsPerLaunch*regionBytes + 8
	chunkBytes       = 64 << 10 // what one block looks at, at a time
)

// note says what a counter of an inspection is about.
type note struct {
	counter int
	arena   *arena
	holds   int // the case whose inputs the arena held
	finding finding
	buffer  int      // whose hash it is
	name    string   // of the buffer
	program *program // whose variables
	before  int      // counter of a hash that it must be the same as
}

// finding is what it means that a counter is not as it should be.
type finding int

const (
	nothing   finding = iota // a hash that is compared elsewhere
	outside                  // bytes written where nobody may write
	input                    // another hash than that of the inputs
	uncleared                // bytes in scratch that a call must leave cleared
	variable                 // another hash than that of a program's variables as they were loaded
	repacked                 // another hash than before
)

// inspection is a list of what to look at, and what it means.
type inspection struct {
	key     uint64
	next    int // counter
	regions []Region
	notes   []note
}

// newInspection counts on from the counters in use.
func (s *Session) newInspection() *inspection {
	return &inspection{key: s.prep.GuardKey, next: s.counted}
}

func (v *inspection) add(kind, counter int, key uint64, zones ...zone) {
	for _, z := range zones {
		if z.bytes > 0 {
			v.regions = append(v.regions, Region{uint64(z.at), z.bytes, key, kind, counter})
		}
	}
}

func (v *inspection) note(n note) int {
	n.counter, n.holds = v.next, n.arena.holds
	v.next++
	v.notes = append(v.notes, n)
	return n.counter
}

// guards looks at all that nobody may write to: also at the outputs of a protected arena, which are a guard zone then.
func (v *inspection) guards(a *arena) {
	v.add(GuardKind, v.note(note{arena: a, finding: outside}), v.key, a.untouchable()...)
}

// inputs looks at the inputs of an arena that holds some.
func (v *inspection) inputs(c *device.Case, a *arena) {
	for j, b := range c.Buffers {
		if !b.Out && (b.Weights || !a.wiped) {
			at := v.note(note{arena: a, finding: input, buffer: j, name: b.Name})
			v.add(HashKind, at, device.Salt(j), zone{a.at[j], b.Bytes()})
		}
	}
}

// outputs looks at the outputs of an arena: one hash of all, in the counter returned.
func (v *inspection) outputs(c *device.Case, a *arena) int { return v.copied(c, a, 0) }

// copied is outputs that are copied as they are hashed, one after the other to where `to` is; 0: they are not.
func (v *inspection) copied(c *device.Case, a *arena, to cuda.Ptr) int {
	at := v.note(note{arena: a})
	for j, b := range c.Buffers {
		switch {
		case !b.Out:
		case to == 0:
			v.add(HashKind, at, device.Salt(j), zone{a.at[j], b.Bytes()})
		default:
			v.add(CopyKind, at, device.Salt(j)|uint64(to), zone{a.at[j], b.Bytes()})
			to += cuda.Ptr(device.Align(b.Bytes()))
		}
	}
	return at
}

// left looks for what a call has left in scratch that it must leave cleared: what outlives a call could be an answer.
// All of it has one counter, so that a run has no more of them the more scratch a plan declares.
func (v *inspection) left(a *arena, list []kernels.Scratch) {
	var names []string
	var zones []zone
	for j, sc := range list {
		if sc.Once && sc.Bytes > 0 {
			names, zones = append(names, sc.Name), append(zones, zone{a.at[j], sc.Bytes})
		}
	}
	if len(zones) > 0 {
		v.add(ZeroKind, v.note(note{arena: a, finding: uncleared, name: strings.Join(names, " or ")}), 0, zones...)
	}
}

// judge reads what an inspection found: got are the counters, want what the inputs of a case hash to. dirty are the
// arenas that are not as they should be.
func (v *inspection) judge(got []uint64, want [][]uint64) (found *device.Strays, dirty []*arena) {
	for _, n := range v.notes {
		var one device.Strays
		switch c := got[n.counter]; n.finding {
		case outside:
			one.Bytes = int(c)
		case uncleared:
			if one.Left = int(c); c != 0 {
				one.Scratch = n.name
			}
		case input:
			if c != want[n.holds][n.buffer] {
				one.Input = n.name
			}
		case repacked:
			one.Repacked = c != got[n.before]
		case variable:
			if c != n.program.hash {
				found = found.Join(&device.Strays{Kept: n.program.names()})
			}
		}
		if one != (device.Strays{}) {
			stray := one // only what was found needs memory of its own
			stray.Where = n.arena.name
			found, dirty = found.Join(&stray), append(dirty, n.arena)
		}
	}
	return found, dirty
}

// look queues an inspection.
func (s *Session) look(v *inspection) error {
	if err := s.count(v); err != nil {
		return err
	}
	return s.queue(v)
}

// count has an inspection's counters be in use from now on.
func (s *Session) count(v *inspection) error {
	if v.next > maxCounters {
		return fmt.Errorf("an inspection needs %d counters, there are %d: declare fewer check shapes", v.next, maxCounters)
	}
	s.counted = v.next
	return nil
}

func (s *Session) queue(v *inspection) error {
	return s.eachLaunch(v.regions, "dw_inspect", ptr(s.counters))
}

// everything looks at all memory that a candidate may have reached.
func (s *Session) everything(v *inspection) {
	for a := range s.all() {
		v.guards(a)
		if a.holds >= 0 {
			v.inputs(&s.prep.Cases[a.holds], a)
		}
	}
}

// endRequest ends a request: it looks at everything, reads all counters, makes as new what is not as it should be, and
// protects all arenas. What it finds, and what earlier looks of the request have found, is the doing of what
// ran in it.
func (s *Session) endRequest(looks ...*inspection) (got []uint64, found *device.Strays, err error) {
	v := s.newInspection()
	s.everything(v)
	if err := s.look(v); err != nil {
		return nil, nil, err
	}
	if got, err = s.readCounters(s.counted); err != nil {
		return nil, nil, err
	}
	for _, l := range append(looks, v) {
		one, err := s.repair(l, got)
		if err != nil {
			return nil, nil, err
		}
		found = found.Join(one)
	}
	return got, found, s.protect()
}

// repair makes as new what an inspection found not to be as it should.
func (s *Session) repair(v *inspection, got []uint64) (*device.Strays, error) {
	found, dirty := v.judge(got, s.inHash)
	for _, a := range dirty {
		if err := s.renew(a); err != nil {
			return found, err
		}
	}
	return found, nil
}
