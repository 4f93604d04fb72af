package tui

import "strings"

// filter is what a person typed after /: words that must all be found in a candidate's ID, family,
// operator or genes (gene=value), upper and lower case alike.
type filter struct {
	text  string
	words []string
	known []verdict // by row: a candidate does not change
}

// verdict is what a filter found about a row.
type verdict uint8

const (
	unasked verdict = iota
	passes
	fails
)

func newFilter(text string) filter {
	return filter{text: text, words: strings.Fields(strings.ToLower(text))}
}

func (f filter) active() bool { return len(f.words) > 0 }

func (f *filter) passes(b *Board, i int32) bool {
	for len(f.known) < len(b.rows) {
		f.known = append(f.known, unasked)
	}
	if f.known[i] == unasked {
		f.known[i] = fails
		if f.matches(b, &b.rows[i]) {
			f.known[i] = passes
		}
	}
	return f.known[i] == passes
}

func (f filter) matches(b *Board, r *row) bool {
	for _, w := range f.words {
		if !strings.HasPrefix(r.id.Short(), w) && !strings.Contains(b.families.all[r.family], w) &&
			!strings.Contains(b.operators.all[r.op], w) && !b.hasGene(r, w) {
			return false
		}
	}
	return true
}

// hasGene looks for a word in the genes as NAME=VALUE; a word with its own = means the whole value.
func (t *table) hasGene(r *row, word string) bool {
	name, value, exact := strings.Cut(word, "=")
	for i, v := range r.genes {
		if v == 0 {
			continue
		}
		gene, text := strings.ToLower(t.genes.genes.all[i]), strings.ToLower(t.genes.values[i].all[v])
		if exact && gene == name && (value == text || value == "") ||
			!exact && (strings.Contains(gene, word) || text == word) {
			return true
		}
	}
	return false
}

// line reports whether a line of the log passes.
func (f filter) line(s string) bool {
	s = strings.ToLower(s)
	for _, w := range f.words {
		if !strings.Contains(s, w) {
			return false
		}
	}
	return true
}
