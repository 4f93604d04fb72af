package tui

// plot is a drawing area in dots: 2 by 4 a cell with Braille patterns (Unicode 2800), else 1 by 1. Where
// two inks meet in a cell, the later one wins.
type plot struct {
	area
	dw, dh int // dots a cell
	bits   []uint8
	inks   []ink
}

func newPlot(a area) *plot {
	p := &plot{area: a, dw: 1, dh: 1, bits: make([]uint8, a.rect.w*a.rect.h), inks: make([]ink, a.rect.w*a.rect.h)}
	if a.art.unicode {
		p.dw, p.dh = 2, 4
	}
	return p
}

func (p *plot) width() int  { return p.rect.w * p.dw }
func (p *plot) height() int { return p.rect.h * p.dh }

// brailleBits is the bit of each dot of a pattern, by column and row.
var brailleBits = [2][4]uint8{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}

// dot sets one dot; the origin is the upper left.
func (p *plot) dot(x, y int, k ink) {
	if x < 0 || y < 0 || x >= p.width() || y >= p.height() {
		return
	}
	i := y/p.dh*p.rect.w + x/p.dw
	bit := uint8(1)
	if p.dw == 2 {
		bit = brailleBits[x%2][y%4]
	}
	if p.inks[i] != k && k != inkFaint && p.inks[i] == inkFaint {
		p.bits[i] = 0 // a line is not thickened by the scatter below it
	}
	p.bits[i] |= bit
	p.inks[i] = k
}

// flush writes the dots as runes. ASCII has one rune an ink.
func (p *plot) flush() {
	ascii := map[ink]rune{inkFaint: '.', inkCurve: '*', inkBaseline: '-', inkRoofline: '='}
	for i, bits := range p.bits {
		if bits == 0 {
			continue
		}
		r := rune(0x2800 + int(bits))
		if p.dw == 1 {
			r = ascii[p.inks[i]]
		}
		p.set(i%p.rect.w, i/p.rect.w, r, p.inks[i])
	}
}

// level draws a horizontal line, on for so many of every so many dots.
func (p *plot) level(y, on, of int, k ink) {
	for x := range p.width() {
		if x%of < on {
			p.dot(x, y, k)
		}
	}
}

// steps draws a rising staircase through points that are given in order, on to the right edge.
func (p *plot) steps(points [][2]int, k ink) {
	for i, q := range points {
		end := p.width() - 1
		if i+1 < len(points) {
			end = points[i+1][0]
		}
		for x := q[0]; x <= end; x++ {
			p.dot(x, q[1], k)
		}
		if i+1 < len(points) {
			for y := min(q[1], points[i+1][1]); y <= max(q[1], points[i+1][1]); y++ {
				p.dot(end, y, k)
			}
		}
	}
}
