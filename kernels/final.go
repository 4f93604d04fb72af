package kernels

// NameKind says what a name stands for in a field that candidates share with baselines.
type NameKind string

// The kinds of names.
const (
	CandidateName NameKind = ""         // a candidate: ID.Short
	BaselineName  NameKind = "baseline" // a baseline, as the problem calls it, or NaiveStart
	StartName     NameKind = "start"    // NaiveStart, timed beside the champion while a search goes on
)

// NaiveStart is the name of the baseline that every run has: the default of the first family.
const NaiveStart = "default"

// BaselineResult is one measurement of the end of a search: what a user would run instead, or the winner once more, in
// the same session.
type BaselineResult struct {
	Name       string   `json:"name"`           // cublaslt, default; the short ID of the winner
	Kind       NameKind `json:"kind,omitempty"` // what Name names
	About      string   `json:"about,omitempty"`
	Times      []Timing `json:"times"`
	Provenance string   `json:"proof"`
	// Sanitized is what compute-sanitizer said, of a winner that is measured again.
	Sanitized []Sanitized `json:"sanitized,omitempty"`
}

// IsBaseline reports whether it is of a baseline, and not of the winner.
func (b *BaselineResult) IsBaseline() bool { return b.Kind == BaselineName }
