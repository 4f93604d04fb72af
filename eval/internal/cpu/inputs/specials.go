package inputs

import (
	"math"

	"darwarp/eval/internal/device"
)

// masked: numbers that stand for nothing fill a line, or begin it, up to half: whole tiles of -inf, as of keys that a
// mask hides. h are random bits of the line.
func (e *element) masked(h uint64) bool {
	return e.coins>>2 < 2 || h>>63 == 0 && e.at < e.length/2
}

// special: one inf and one NaN, in random lines, or one of the two alone; where lines are of many classes, one of them
// in each that is special. Some lines that have a -inf have nothing else, or begin with many; there a NaN has a second
// one in its line, or nothing but -inf.
func special(e *element) float32 {
	h := mix(e.key ^ mix(e.line))
	nan, inf := e.specials()
	company := e.every && nan && e.coins&2 != 0
	switch {
	case company && e.coins>>2 == 2 && e.at != e.oddPlace(h):
		return float32(math.Inf(-1))
	case company && e.coins>>2 == 3 && e.at == mix(h)%e.length:
		return float32(math.NaN())
	case inf && !nan && e.coins&2 != 0 && e.masked(h):
		return float32(math.Inf(-1))
	case !(inf || nan) || e.at != e.oddPlace(h):
		return normal(e.r)
	case nan:
		return float32(math.NaN())
	}
	return float32(math.Inf(1 - int(e.coins&2)))
}

// specials reports whether a line has the NaN of its input, and whether it has the inf.
func (e *element) specials() (nan, inf bool) {
	nan, inf = e.coins&1 == 1, e.every || e.line == mix(e.key^2)%e.count
	if e.every {
		return nan, inf
	}
	if e.count > 1 {
		nan = e.line == mix(e.key^1)%e.count
	}
	switch device.SpecialsOf(e.key) {
	case device.NaNAlone:
		return nan || e.count == 1, false
	case device.InfAlone:
		return false, inf
	}
	return nan, inf
}
