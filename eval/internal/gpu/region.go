package gpu

import "encoding/binary"

// Region is a stretch that dw_guard writes or dw_inspect reads.
type Region struct {
	At      uint64
	Bytes   int
	Key     uint64
	Kind    int
	Counter int
}

// EncodeRegions is up to regionsPerLaunch regions as harness.cu has them (struct Regions), with the number of their
// chunks. They are written over what arg holds; nil: it is made.
func EncodeRegions(arg []byte, list []Region) (encoded []byte, chunks int) {
	if arg == nil {
		arg = make([]byte, regionsBytes)
	}
	clear(arg)
	for i, r := range list {
		at := arg[i*regionBytes:]
		binary.LittleEndian.PutUint64(at, r.At)
		binary.LittleEndian.PutUint64(at[8:], uint64(r.Bytes))
		binary.LittleEndian.PutUint64(at[16:], r.Key)
		binary.LittleEndian.PutUint32(at[24:], uint32(chunks))
		binary.LittleEndian.PutUint16(at[28:], uint16(r.Kind))
		binary.LittleEndian.PutUint16(at[30:], uint16(r.Counter))
		chunks += (r.Bytes + chunkBytes - 1) / chunkBytes
	}
	end := arg[regionsPerLaunch*regionBytes:]
	binary.LittleEndian.PutUint32(end, uint32(len(list)))
	binary.LittleEndian.PutUint32(end[4:], uint32(chunks))
	return arg, chunks
}

// writeGuards queues the guards' pattern for zones.
func (s *Session) writeGuards(zones ...zone) error {
	v := &inspection{}
	v.add(GuardKind, 0, s.prep.GuardKey, zones...)
	return s.eachLaunch(v.regions, "dw_guard")
}

// eachLaunch has a kernel go through regions.
func (s *Session) eachLaunch(list []Region, kernel string, more ...arg) error {
	for len(list) > 0 {
		n := min(len(list), regionsPerLaunch)
		var chunks int
		s.encoding.regions, chunks = EncodeRegions(s.encoding.regions, list[:n])
		args := append([]arg{bytesArg(s.encoding.regions)}, more...)
		if err := s.harness.run(kernel, s.blocksFor(chunks), args...); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// blocksFor is the number of blocks for so many chunks: 16 on a multiprocessor run at the memory's speed.
func (s *Session) blocksFor(chunks int) int { return max(1, min(chunks, 16*s.dev.SMs)) }
