package cpu

import (
	"encoding/binary"
	"fmt"

	"darwarp/eval/internal/cpu/inputs"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// fillInputs writes all inputs of a case into an arena.
func (s *Session) fillInputs(c *device.Case, a *arena) error {
	for i, b := range c.Buffers {
		if b.Out || b.Made {
			continue
		}
		if err := inputs.Fill(a.buffers[i], c, i); err != nil {
			return err
		}
	}
	if c.Maker == nil {
		return nil
	}
	return follow(s.maker, c, a)
}

// follow makes the inputs that follow from others.
func follow(p *program, c *device.Case, a *arena) error {
	w, x := &work{program: p}, newLaunch(p, *c.Maker)
	for _, made := range []bool{false, true} {
		for j, b := range c.Buffers {
			if !b.Out && b.Made == made {
				x.args = append(x.args, uint64(address(a.buffers[j])))
				w.add(b.Name, a.buffers[j], made)
			}
		}
	}
	for _, arg := range c.Maker.Args {
		x.args = append(x.args, uint64(uint32(int32(arg.Int))))
	}
	w.launches = []*launch{x}
	if err := w.do(runOptions{}); err != nil {
		return fmt.Errorf("make inputs of others: %w", err)
	}
	return nil
}

// loadMaker loads the program that makes inputs of others, where one of the cases has such.
func (s *Session) loadMaker(req *device.Prepare) (err error) {
	var makes []kernels.Launch
	for i := range req.Cases {
		if m := req.Cases[i].Maker; m != nil && !req.Given {
			makes = append(makes, *m)
		}
	}
	if len(makes) > 0 {
		s.maker, err = load(req.Maker, []kernels.Call{{Launches: makes}})
	}
	return err
}

// takeInputs copies inputs that another device has made, and that begin at an offset of the input memory, into an
// arena.
func takeInputs(c *device.Case, a *arena, memory []byte, at int) error {
	parts, err := c.Inputs(memory, at)
	for i, p := range parts {
		copy(a.buffers[i], p)
	}
	return err
}

// guard fills a zone with the pattern of the GPU's harness: byte i is byte i%8 of device.Mix(key + i/8).
func guard(zone []byte, key uint64) {
	i := 0
	for ; i+8 <= len(zone); i += 8 {
		binary.LittleEndian.PutUint64(zone[i:], device.Mix(key+uint64(i>>3)))
	}
	for ; i < len(zone); i++ {
		zone[i] = byte(device.Mix(key+uint64(i>>3)) >> (8 * (i & 7)))
	}
}

// guardDamage counts the bytes of a zone that differ from the pattern.
func guardDamage(zone []byte, key uint64) (bad int) {
	for i := 0; i < len(zone); i += 8 {
		want := device.Mix(key + uint64(i>>3))
		if i+8 <= len(zone) && binary.LittleEndian.Uint64(zone[i:]) == want {
			continue
		}
		for j := i; j < min(i+8, len(zone)); j++ {
			if zone[j] != byte(want>>(8*(j&7))) {
				bad++
			}
		}
	}
	return bad
}

// hash is the GPU harness' hash of a buffer: it depends on every byte and its place. salt tells
// buffers apart that share a sum.
func hash(b []byte, salt uint64) (sum uint64) {
	words := len(b) / 8
	for i := range words {
		sum += device.Mix(binary.LittleEndian.Uint64(b[8*i:]) ^ (salt + uint64(i)*0x9e3779b97f4a7c15))
	}
	for i, v := range b[8*words:] {
		sum += device.Mix(uint64(v) ^ device.Mix(salt+^uint64(i)))
	}
	return sum
}

// hashOutputs is the hash of all outputs of an arena.
func hashOutputs(c *device.Case, a *arena) (sum uint64) {
	for i, b := range c.Buffers {
		if b.Out {
			sum += hash(a.buffers[i], device.Salt(i))
		}
	}
	return sum
}
