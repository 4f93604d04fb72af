package htmlreport

import (
	"fmt"
	"strings"

	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// Winner is the champion itself: its genes, its source, and what differs from the naive start.
type Winner struct {
	ID, Start string // short IDs; Start is empty where the run has no naive start
	Family    string
	Beside    string // what the genes stand beside: the naive start's, or their family's defaults
	Genes     []WinnerGene
	Source    string
	Diff      []DiffLine
	Note      string // what must be known of the source, or why there is none
}

// WinnerGene is a gene of the champion beside the value that it began with.
type WinnerGene struct {
	Name, Was, Value, About string
	Changed                 bool
}

// DiffLine is a line of a unified diff. Kind is the class that it is shown in: add, cut, place or same.
type DiffLine struct{ Kind, Text string }

// shownText bounds a source and a diff, in bytes: ten times the longest source that comes with darwarp.
const shownText = 256 << 10

// gatherWinner renders the champion and the naive start. What cannot be rendered is told in the page: the figures stand
// without it.
func gatherWinner(r *record.Record, in *Input) error {
	c := *in.Champion
	w := &Winner{ID: c.ID.Short(), Family: c.Variant.Family}
	in.Winner = w
	start, err := r.Start()
	if err != nil {
		return err
	}
	if f, err := r.Bundle.Family(c.Variant.Family); err == nil {
		w.Beside, w.Genes = winnerGenes(f, c.Variant, start)
	}
	w.Source, w.Note = sourceOf(r, c)
	if start != nil && start.ID != c.ID {
		before, note := sourceOf(r, *start)
		w.Start, w.Note = start.ID.Short(), strings.TrimSpace(w.Note+" "+note)
		if before != "" && w.Source != "" {
			w.Diff = diffLines(report.Unified(w.Start+".cu", w.ID+".cu", before, w.Source))
		}
	}
	w.Source = cut(w.Source)
	return nil
}

// sourceOf is a candidate's source. Where the run does not hold what it was rendered from, the note says so.
func sourceOf(r *record.Record, c kernels.Candidate) (source, note string) {
	j, warning, err := r.Job(c)
	if err != nil {
		return "", sentence(err.Error())
	}
	return j.Source, sentence(strings.ReplaceAll(warning, "\n", " "))
}

func sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// winnerGenes are the champion's beside the naive start's. One of another family has other genes: beside those stand
// their own family's defaults.
func winnerGenes(f *kernels.Family, v kernels.Variant, start *kernels.Candidate) (beside string, out []WinnerGene) {
	beside, was := "the default of its family", f.Defaults()
	if start != nil && start.Variant.Family == f.Name {
		beside, was = NaiveStart, start.Variant.Genes
	}
	about := map[string]string{}
	for _, g := range f.Genes {
		about[g.Name] = g.About
	}
	for _, name := range f.GeneNames() {
		value, has := v.Genes[name]
		old, had := was[name]
		if !has && !had {
			continue
		}
		out = append(out, WinnerGene{Name: name, Was: textOf(old, had), Value: textOf(value, has), About: about[name],
			Changed: has != had || value != old})
	}
	return beside, out
}

func textOf(v kernels.Value, has bool) string {
	if !has {
		return absent
	}
	return v.String()
}

// diffLines are those of a unified diff, as far as the page shows them.
func diffLines(unified string) (out []DiffLine) {
	for line := range strings.Lines(cut(unified)) {
		d := DiffLine{Kind: "same", Text: strings.TrimRight(line, "\n")}
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "@@"):
			d.Kind = "place"
		case strings.HasPrefix(line, "+"):
			d.Kind = "add"
		case strings.HasPrefix(line, "-"):
			d.Kind = "cut"
		}
		out = append(out, d)
	}
	return out
}

// cut keeps the whole lines of a text that a page shows, and says how many bytes it left out.
func cut(s string) string {
	if len(s) <= shownText {
		return s
	}
	kept := s[:shownText]
	if i := strings.LastIndexByte(kept, '\n'); i >= 0 {
		kept = kept[:i+1]
	}
	return fmt.Sprintf("%s... %s more\n", kept, report.Bytes(len(s)-len(kept)))
}

// Changed is how many genes differ from what the champion is held against.
func (w *Winner) Changed() (n int) {
	for _, g := range w.Genes {
		if g.Changed {
			n++
		}
	}
	return n
}

// Lines is how many lines the source has.
func (w *Winner) Lines() int { return strings.Count(w.Source, "\n") }

// Added and Removed are how many lines the diff adds and removes.
func (w *Winner) Added() int   { return w.count("add") }
func (w *Winner) Removed() int { return w.count("cut") }

func (w *Winner) count(kind string) (n int) {
	for _, d := range w.Diff {
		if d.Kind == kind {
			n++
		}
	}
	return n
}
