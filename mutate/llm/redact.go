package llm

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// redactor takes a key out of what a server sends, before anything of it is parsed, stored or shown. A run is a file
// that people pass on. It knows the key as it is, in base64 and in hex, each also escaped (JSON, URL, HTML, in up to
// mostLayers layers), over several lines, in other letter case, and in pieces.
type redactor struct{ forms []form }

// form is one way to write the key: its windows are all pieces of one length.
type form struct {
	length  int
	fold    bool // letter case does not count
	windows map[string]bool
}

const (
	redacted   = "[key]"
	minKey     = 6  // bytes; what is shorter stands for no key, as in EMPTY, and in many words
	maxPiece   = 16 // bytes; a longer piece of a key is never kept
	minPiece   = 8
	mostLayers = 4 // of escapes
)

func newRedactor(key string) *redactor {
	r := &redactor{}
	if len(key) < minKey {
		return r
	}
	piece := min(len(key), max(minPiece, min(maxPiece, len(key)/2)))
	r.add(true, piece, strings.ToLower(key))
	r.add(true, 2*piece, hex.EncodeToString([]byte(key)))
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		r.add(false, (8*piece-7)/6, inBase64(e, key)...)
	}
	return r
}

func (r *redactor) add(fold bool, length int, written ...string) {
	f := form{length, fold, map[string]bool{}}
	for _, w := range written {
		for i := 0; i+length <= len(w); i++ {
			f.windows[w[i:i+length]] = true
		}
	}
	r.forms = append(r.forms, f)
}

// inBase64 is the key in base64 behind no, one and two other bytes, without the characters that the others decide.
func inBase64(e *base64.Encoding, key string) (out []string) {
	for before := range 3 {
		all := e.EncodeToString([]byte(strings.Repeat("x", before) + key))
		out = append(out, all[(8*before+5)/6:8*(before+len(key))/6])
	}
	return out
}

// hide puts [key] in the place of whatever of the key a text has.
func (r *redactor) hide(text string) string {
	if len(r.forms) == 0 {
		return text
	}
	hidden := make([]bool, len(text))
	found := false
	for x, n := plain(text), 0; n <= mostLayers; n++ {
		for _, f := range r.forms {
			found = x.mark(f, hidden) || found
		}
		next := x.decode()
		if len(next.text) == len(x.text) {
			break
		}
		x = next
	}
	if !found {
		return text
	}
	return cover(text, hidden)
}

// cover replaces each run of hidden bytes.
func cover(text string, hidden []bool) string {
	var b strings.Builder
	for i := range len(text) {
		switch {
		case !hidden[i]:
			b.WriteByte(text[i])
		case i == 0 || !hidden[i-1]:
			b.WriteString(redacted)
		}
	}
	return b.String()
}

// layer is a text with escapes taken out; at says which bytes of the first one made each byte.
type layer struct {
	text []byte
	at   []span
}

type span struct{ from, to int }

func plain(text string) layer {
	x := layer{[]byte(text), make([]span, len(text))}
	for i := range x.at {
		x.at[i] = span{i, i + 1}
	}
	return x
}

// mark marks where a form's windows stand, and reports whether one does.
func (x layer) mark(f form, hidden []bool) (found bool) {
	text := x.text
	if f.fold {
		text = lower(text)
	}
	for i := 0; i+f.length <= len(text); i++ {
		if !f.windows[string(text[i:i+f.length])] {
			continue
		}
		found = true
		for at := x.at[i].from; at < x.at[i+f.length-1].to; at++ {
			hidden[at] = true
		}
	}
	return found
}

// decode takes out one layer of escapes, and what is not seen.
func (x layer) decode() (next layer) {
	for i := 0; i < len(x.text); {
		if n := unseen(x.text[i:]); n > 0 {
			i += n
			continue
		}
		c, n := unescape(x.text[i:])
		next.text = append(next.text, c)
		next.at = append(next.at, span{x.at[i].from, x.at[i+n-1].to})
		i += n
	}
	return next
}
