package check

import "encoding/binary"

// splitmix64 is the mixing step of Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators" (2014), started at x.
func splitmix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// GuardFill writes the guard pattern into a zone before or behind a buffer: word i, 8 bytes
// little-endian, is splitmix64(key+i). A last part of a word takes its low bytes. The key is secret,
// so that a kernel that writes out of bounds cannot put back what was there.
func GuardFill(zone []byte, key uint64) {
	i := uint64(0)
	for ; len(zone) >= 8; zone = zone[8:] {
		binary.LittleEndian.PutUint64(zone, splitmix64(key+i))
		i++
	}
	var last [8]byte
	binary.LittleEndian.PutUint64(last[:], splitmix64(key+i))
	copy(zone, last[:])
}

// GuardOK reports whether a zone still holds the pattern, and else the offset in bytes of the first
// difference (-1 when there is none).
func GuardOK(zone []byte, key uint64) (ok bool, firstBad int) {
	var want [8]byte
	for off := 0; off < len(zone); off += 8 {
		word := splitmix64(key + uint64(off/8))
		if off+8 <= len(zone) && binary.LittleEndian.Uint64(zone[off:]) == word {
			continue
		}
		binary.LittleEndian.PutUint64(want[:], word)
		for i := off; i < min(off+8, len(zone)); i++ {
			if zone[i] != want[i-off] {
				return false, i
			}
		}
	}
	return true, -1
}
