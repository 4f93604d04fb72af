package cpu

import (
	"errors"
	"fmt"
	"time"

	"darwarp/eval/internal/gpu"
)

// disturb runs the cases of a request one after the other, each in a new order of its threads and over poison of its own.
// There is no second stream here, and no need of one: who runs when is drawn anew each time.
func (s *Session) disturb(req *gpu.Disturb, phase func(string)) (*gpu.DisturbReply, error) {
	reply := &gpu.DisturbReply{}
	places, total := gpu.Pack(s.prep.Cases, req.Cases)
	if len(req.Expect) == 0 && total > s.prep.SlotBytes {
		return nil, fmt.Errorf("outputs of %d bytes in a slot of %d", total, s.prep.SlotBytes)
	}
	phase("load")
	p, err := load(req.Cubin, req.Calls)
	if err != nil {
		reply.Fault, err = blame("load", err)
		return reply, errors.Join(err, p.unload())
	}
	phase("disturb")
	start := time.Now()
	for k, i := range req.Cases {
		if err = s.disturbOnce(p, req, k, i, reply); err != nil {
			reply.Fault, err = blame(fmt.Sprintf("run %d of %s", k+1, s.prep.Cases[i].Name), err)
			break
		}
		if len(req.Expect) == 0 {
			s.copyOut(i, req.Slot*s.prep.SlotBytes+places[k])
		}
	}
	reply.Nanos = float64(time.Since(start).Nanoseconds())
	return reply, errors.Join(err, p.unload())
}

// disturbOnce is the k-th run, of case i.
func (s *Session) disturbOnce(p *program, req *gpu.Disturb, k, i int, reply *gpu.DisturbReply) error {
	c, a := &s.prep.Cases[i], s.arenas[i]
	_, damaged, left, _, err := s.runOnce(p, req.Calls[i], i, gpu.SecretByte(req.Seed, k), runOptions{})
	if err != nil {
		return err
	}
	if len(req.Expect) > 0 && hashOutputs(c, a) != req.Expect[i] {
		reply.Wrong = append(reply.Wrong, k)
	}
	var found gpu.CaseReply
	s.inspect(i, &found)
	reply.Guard += damaged + found.Guard
	reply.Left += left
	if found.Mutated != "" && reply.Mutated == "" {
		reply.Mutated = found.Mutated + " of " + c.Name
	}
	return nil
}
