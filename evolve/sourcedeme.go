package evolve

import (
	"encoding/json"
	"errors"
	"fmt"

	"darwarp/kernels"
	"darwarp/mutate"
	"darwarp/mutate/llm"
)

// sourceDeme is the population of sources of their own: they are judged, duel and are shown to language models as
// others are, but belong to no space, so that no operator can change a gene of theirs.
type sourceDeme struct {
	ranking
	prints map[string]bool // fingerprints of what was asked for
	all    func() []*member
}

// sourceNumber stands for the deme in tasks and checkpoints, where spaces are counted from 0.
const sourceNumber = -1

func newSourceDeme(all func() []*member) *sourceDeme {
	return &sourceDeme{prints: map[string]bool{}, all: all}
}

func (*sourceDeme) number() int    { return sourceNumber }
func (*sourceDeme) family() string { return "" }

func (*sourceDeme) job(r *renderer, t *task) (*kernels.Job, error) { return r.source(*t.Variant) }

func (*sourceDeme) task(m *member) *task {
	return &task{Space: sourceNumber, Index: m.index, Variant: &m.variant}
}

func (*sourceDeme) check(t *task) error {
	if !t.isDuel() && (t.Variant == nil || t.Variant.Family != "" || t.Variant.Plan == nil) {
		return errors.New("the checkpoint asks for a source that is not there")
	}
	return nil
}

// claim has nothing to note: a source is no point, and its ID says that it was asked for.
func (*sourceDeme) claim(int) {}

func (d *sourceDeme) tried(t *task) error {
	print := fingerprint(t.Variant)
	if d.prints[print] {
		return fmt.Errorf("%w, but for comments and blanks", errTried)
	}
	d.prints[print] = true
	return nil
}

func (*sourceDeme) authored(int) bool { return true }

// judge keeps a source from being tried again in other words, also in later sessions.
func (d *sourceDeme) judge(c *kernels.Candidate, _ int, _ rating) (opened bool) {
	if c.Variant.Plan != nil {
		d.prints[fingerprint(&c.Variant)] = true
	}
	return false
}

func (d *sourceDeme) gain(_ int, r rating) (float64, bool) { return gainOverAll(d.all, r) }

func (d *sourceDeme) insert(c *kernels.Candidate, index int, r rating, _ []float64) {
	if r.teaches() {
		d.add(&mutate.Individual{ID: c.ID, Index: index, Score: r.score}, r.duplicate)
	}
}

// fingerprint is what two sources have in common that differ in comments and blanks alone.
func fingerprint(v *kernels.Variant) string {
	plan, err := json.Marshal(*v.Plan)
	if err != nil { // strings and bools
		panic(err)
	}
	return llm.Fingerprint(v.Source) + string(plan)
}
