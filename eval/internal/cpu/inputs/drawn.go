package inputs

import (
	"encoding/binary"
	"math/bits"

	"darwarp/kernels"
)

// Drawn fills memory with whole numbers of type t as d declares them: a port of dw_draw in the GPU's harness.
func Drawn(dst []byte, t kernels.DType, d *kernels.Drawn, tensor int, seed uint64) {
	key, n := mix(seed^mix(uint64(tensor)+1)), uint64(len(dst)/t.Size())
	low, high := int64(d.Low), int64(d.High)
	for i := range n {
		v := low
		switch d.How {
		case kernels.Permutation:
			v = int64(permuted(i, n, key))
		case kernels.NearlyInOrder:
			v = int64(nearlyInOrder(i, n, key))
		case kernels.Lengths:
			v = atEdges(i, key, low, high)
		case kernels.Offsets:
			v = offset(i, n, key, low, high)
		case kernels.Skewed:
			v = skewed(i, n, key, low, high)
		case kernels.Clustered:
			v = clustered(i, n, key, low, high)
		case kernels.Agreed:
			v = agreed(i, n, key, low, high)
		case kernels.Unbounded:
			v = unbounded(i, key, low, high)
		default:
			v += int64(mix(key+i) % uint64(high-low+1))
		}
		if share := uint64(d.Share); share > 0 && i != key%n && mix(^key+i)%share == 0 {
			v = int64(d.Also)
		}
		switch t.Size() {
		case 8:
			binary.LittleEndian.PutUint64(dst[8*i:], uint64(v))
		case 4:
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(int32(v)))
		default:
			dst[i] = byte(v)
		}
	}
}

// atEdges gives every fourth number the greatest value and every fourth the least. Of the others one is anywhere
// between, and one a multiple of 16 to 256, or beside it: tiles and pages end there.
func atEdges(i, key uint64, low, high int64) int64 {
	r := mix(key + i)
	switch (i + key>>32) & 3 {
	case 0:
		return high
	case 1:
		return low
	case 2:
		return low + int64(r%uint64(high-low+1))
	}
	tile := int64(16) << (r >> 8 % 5)
	first, last := low/tile, high/tile
	v := (first+int64(r>>16%uint64(last-first+1)))*tile + int64(r>>4%3) - 1
	return min(max(v, low), high)
}

// offset is where line i of n - 1 lines begins, that of the end the greatest value: beside where it would begin if all
// were as long, by so much that no line is shorter than the least value, if that is possible.
func offset(i, n, key uint64, least, end int64) int64 {
	switch i {
	case 0:
		return 0
	case n - 1:
		return end
	}
	lines := int64(n) - 1
	even, room := int64(i)*(end/lines)+int64(i)*(end%lines)/lines, max(0, (end/lines-max(least, 0))/2)
	return atEdges(i, key, even-room, even+room)
}

// skewed is where line i of n - 1 lines begins: halves of the lines, halves of these, and so on, get unlike shares of
// what the lines have beyond the least value: an even one, any, or as atEdges has it, which may be all or nothing.
func skewed(i, n, key uint64, least, end int64) int64 {
	if i == n-1 {
		return end
	}
	lines, line, each := int64(n)-1, int64(i), max(least, 0)
	if each >= end/lines {
		return line*(end/lines) + line*(end%lines)/lines
	}
	low, high, at, rest := int64(0), lines, int64(0), end-lines*each
	for node := uint64(1); high-low > 1; node *= 2 {
		middle := (low + high) / 2
		half, r := rest*(middle-low)/(high-low), mix(key^mix(node))
		switch r >> 62 {
		case 0:
		case 1:
			half = int64(r % uint64(rest+1))
		default:
			half = atEdges(r, key, 0, rest)
		}
		if line < middle {
			high, rest = middle, half
		} else {
			low, at, rest, node = middle, at+half, rest-half, node+1
		}
	}
	return line*each + at
}

// clustered gives blocks of numbers, of four kinds in turn: any numbers, or all of them the tensor's favourite; one
// number or the favourite; either end of the range, or the number beside it; and rising ones. Blocks have 8 to 512
// numbers, and fewer where not all kinds would occur.
func clustered(i, n, key uint64, low, high int64) int64 {
	length := uint64(8) << (2 * (key >> 40 & 3))
	for length > 1 && 4*length > n {
		length /= 2
	}
	block, r, count := i/length, mix(key+i), uint64(high-low+1)
	h, favourite := mix(key^mix(block)), mix(^key)%count
	v := r % count
	switch turn := (block + key>>32) & 3; {
	case turn == 0 && key>>48&1 == 1, turn == 1 && h>>63 == 1:
		v = favourite
	case turn == 1:
		v = h % count
	case turn == 2:
		if v = min(r>>1&1, count-1); r&1 == 1 {
			v = count - 1 - v
		}
	case turn == 3:
		v = (h%count + i%length) % count
	}
	return low + int64(v)
}

// agreedShare is of how many numbers that agree one does not.
const agreedShare = 1 << 12

// agreed gives one number, of either end of the range or any, or all in their order, as of positions; but in a few
// places, one at least, or in none.
func agreed(i, n, key uint64, low, high int64) int64 {
	count, r, v := uint64(high-low+1), mix(key+i), uint64(0)
	odd := i == mix(^key)%n || r>>32%agreedShare == 0
	switch kind := key >> 40 & 3; {
	case odd && key>>42&1 == 1:
		v = r % count
	case kind == 1:
		v = count - 1
	case kind == 2:
		v = mix(key) % count
	case kind == 3:
		v = i % count
	}
	return low + int64(v)
}

// unboundedShare is of how many numbers one is far larger than the others.
const unboundedShare = 1 << 10

// unbounded gives numbers of either sign, as often of each number of bits up to that of high; some, from half of -low
// on, are as large as those of a whole line together.
func unbounded(i, key uint64, low, high int64) int64 {
	r := mix(key + i)
	most := uint64(high) >> (r >> 40 % uint64(bits.Len64(uint64(high))))
	if r>>48%unboundedShare == 0 {
		most = uint64(-low)
	}
	v := int64(most - r>>8&0xffffffff%((most+1)/2))
	if r&1 == 1 {
		return -v
	}
	return v
}

// Of so many numbers that stand side by side, in one of so many places, the order changes.
const (
	moved      = 4
	movedShare = 256
)

// nearlyInOrder is a permutation of the numbers below n that few samples take for the identity, for one turned round,
// or for a shift: in few places, and in one at least, four of them move by one. Others are any order.
func nearlyInOrder(i, n, key uint64) uint64 {
	kind := key >> 60
	if kind&3 == 3 {
		return permuted(i, n, key)
	}
	place := i / moved
	if (place+1)*moved <= n && (place == mix(key)%(n/moved) || mix(key^mix(place))%movedShare == 0) {
		i = place*moved + (i+1)%moved
	}
	switch {
	case kind == 2, kind == 6:
		return n - 1 - i
	case kind&3 == 2:
		return (i + mix(^key)%n) % n
	}
	return i
}

// rounds of the Feistel network: four make a permutation that looks random (Luby, Rackoff, "How to construct
// pseudorandom permutations from pseudorandom functions", SIAM J. Comput. 17, 1988).
const rounds = 4

// permuted is where a permutation of the numbers below n takes i. The network permutes a power of four that is no less
// than n; what it takes beyond n it takes on from there.
func permuted(i, n, key uint64) uint64 {
	half := uint64(bits.Len64(n-1)+1) / 2
	mask := uint64(1)<<half - 1
	for {
		left, right := i>>half, i&mask
		for round := range uint64(rounds) {
			left, right = right, left^mix(key+right+round<<32)&mask
		}
		if i = left<<half | right; i < n {
			return i
		}
	}
}
