package fleet

import (
	"encoding/binary"
	"errors"
	"strings"
)

// A candidate's source is mostly that of its family's others. One of each family is a model: it is in the object store,
// a worker fetches it once, and of the others only what differs is sent (models.go).

// likeness finds parts of a text again. It never changes.
type likeness struct {
	text  string
	lines map[string]int // where each line begins, for the first time
}

// shortest is the least part of a model that is named rather than repeated: its name has up to five bytes.
const shortest = 8

func newLikeness(text string) *likeness {
	l := &likeness{text, map[string]int{}}
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		if _, ok := l.lines[text[at:end]]; !ok && end-at >= shortest {
			l.lines[text[at:end]] = at
		}
		at = end
	}
	return l
}

// lineEnd is where the line that has a place ends, behind its line break.
func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(text)
}

// differing writes a text as its length, and then pieces: how many bytes follow that the model does not have, these,
// where in the model it goes on, and for how many bytes. All numbers are uvarints. It writes into buf where there
// is room.
func (l *likeness) differing(buf []byte, text string) []byte {
	out := binary.AppendUvarint(buf[:0], uint64(len(text)))
	own, at, in := 0, 0, 0 // what is not written yet begins at own
	for at < len(text) {
		n, end := common(text[at:], l.text[in:]), lineEnd(text, at)
		if known, ok := l.lines[text[at:end]]; ok && n < end-at {
			in, n = known, common(text[at:], l.text[known:])
		}
		if n < shortest {
			at, in = end, lineEnd(l.text, in)
			continue
		}
		out = append(binary.AppendUvarint(out, uint64(at-own)), text[own:at]...)
		out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(in)), uint64(n))
		at, in = at+n, in+n
		own = at
	}
	if own < at {
		out = append(binary.AppendUvarint(out, uint64(at-own)), text[own:]...)
	}
	return out
}

// common is how many bytes two texts begin with alike.
func common(a, b string) (n int) {
	most := min(len(a), len(b))
	for step := 256; step > 0; {
		if n+step <= most && a[n:n+step] == b[n:n+step] {
			n += step
		} else {
			step /= 2
		}
	}
	return n
}

var errDiffers = errors.New("a candidate does not fit the source that it is said to be like")

// restored is the text that differing wrote against a model, of so many bytes at most.
func restored(model, data string, most int) (string, error) {
	size, rest, ok := number(data, most)
	if !ok {
		return "", errDiffers
	}
	var out strings.Builder
	out.Grow(size)
	for len(rest) > 0 {
		own, tail, ok := number(rest, min(len(rest), size-out.Len()))
		if !ok || own > len(tail) {
			return "", errDiffers
		}
		out.WriteString(tail[:own])
		if rest = tail[own:]; len(rest) == 0 {
			break
		}
		in, tail, ok := number(rest, len(model))
		n, tail, more := number(tail, min(len(model)-in, size-out.Len()))
		if !ok || !more {
			return "", errDiffers
		}
		out.WriteString(model[in : in+n])
		rest = tail
	}
	if out.Len() != size {
		return "", errDiffers
	}
	return out.String(), nil
}

// number reads a uvarint that is at most so large.
func number(data string, most int) (n int, rest string, ok bool) {
	v, size := binary.Uvarint([]byte(data[:min(len(data), binary.MaxVarintLen64)]))
	if size <= 0 || most < 0 || v > uint64(most) {
		return 0, "", false
	}
	return int(v), data[size:], true
}
