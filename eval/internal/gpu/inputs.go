package gpu

import (
	"fmt"

	"darwarp/eval/internal/check"
	"darwarp/kernels"
)

// dtypeCodes are the element types by the numbers that harness.cu knows them by.
var dtypeCodes = map[kernels.DType]int{kernels.FP16: 0, kernels.BF16: 1, kernels.FP32: 2, kernels.I32: 3}

// fill writes the inputs of a case into an arena, in stream order.
func (s *Session) fill(c *Case, a *arena, seed uint64) error {
	for i, b := range c.Buffers {
		if b.Out {
			continue
		}
		f, err := c.Fill(i)
		if err == nil {
			err = s.harness.run("dw_fill", grid(b.Elems()), ptr(a.at[i]), u64(b.Elems()), i32(dtypeCodes[b.DType]), i32(int(f.Classes)), i32(f.Tensor),
				u64(int(seed)), u64(f.Inner), u64(f.Len), i32(int(int32(f.Neutral))))
		}
		if err != nil {
			return fmt.Errorf("fill %s: %w", b.Name, err)
		}
	}
	return nil
}

// The two poisons that outputs are filled with before a run.
const (
	poisonNaN    = check.PoisonFirst
	poisonFinite = check.PoisonSecond
)

// poison fills the outputs of an arena.
func (s *Session) poison(c *Case, a *arena, v uint8) error {
	for i, b := range c.Buffers {
		if b.Out {
			if err := s.drv.Memset8(a.at[i], v, uint64(b.Bytes()), s.stream); err != nil {
				return err
			}
		}
	}
	return nil
}

// setGuards fills the guard zones of an arena.
func (s *Session) setGuards(a *arena, key uint64) error {
	for i, z := range a.zones {
		if err := s.harness.run("dw_guard", grid(z.bytes), ptr(z.at), u64(z.bytes), u64(int(key)+i)); err != nil {
			return err
		}
	}
	return nil
}

// checkGuards adds the changed bytes of all zones to the counter.
func (s *Session) checkGuards(a *arena, key uint64, counter int) error {
	for i, z := range a.zones {
		if err := s.harness.run("dw_guard_check", grid(z.bytes), ptr(z.at), u64(z.bytes), u64(int(key)+i), ptr(s.counterAt(counter))); err != nil {
			return err
		}
	}
	return nil
}

// Salt tells the hash of one buffer of a case from those of others.
func Salt(buffer int) uint64 { return uint64(buffer) << 48 }

// hash adds the hash of one buffer to the counter.
func (s *Session) hash(a *arena, c *Case, buffer, counter int) error {
	n := c.Buffers[buffer].Bytes()
	return s.harness.run("dw_hash", grid(n/8), ptr(a.at[buffer]), u64(n), u64(int(Salt(buffer))), ptr(s.counterAt(counter)))
}

// hashOutputs adds the hash of every output to the counter.
func (s *Session) hashOutputs(a *arena, c *Case, counter int) error {
	for i, b := range c.Buffers {
		if b.Out {
			if err := s.hash(a, c, i, counter); err != nil {
				return err
			}
		}
	}
	return nil
}
