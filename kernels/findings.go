package kernels

// Gain is a factor with its interval: above 1 is a gain.
type Gain struct {
	Workload string  `json:"workload,omitempty"` // empty: by the run's objective
	Ratio    float64 `json:"ratio"`
	Lo       float64 `json:"lo"`
	Hi       float64 `json:"hi"`
}

// Clear reports whether the whole interval lies on one side of 1.
func (g Gain) Clear() bool { return g.Lo > 1 || g.Hi < 1 }

// GainOf is what a duel says a change buys when it was taken back by the challenger: the challenger's time
// over the champion's.
func GainOf(d Duel) (all Gain, each []Gain) {
	for _, r := range d.Steady() {
		each = append(each, Gain{r.Workload, r.Ratio, r.Lo, r.Hi})
	}
	return Gain{"", d.Ratio, d.Lo, d.Hi}, each
}

// GeneChange is one gene that differs between two points; a side that does not have it is empty.
type GeneChange struct {
	Gene string `json:"gene"`
	From string `json:"from"`
	To   string `json:"to"`
}

// Insight is what one choice of a candidate buys, or two together: how much slower it is when they are
// taken back to the naive start's. Figures are of paired duels.
type Insight struct {
	Candidate ID `json:"candidate"` // that is explained
	// Taken back: From is the start's value, To the candidate's; none: all together
	Genes    []GeneChange `json:"genes"`
	Repaired []GeneChange `json:"repaired,omitempty"` // changed with them, for the point would be illegal otherwise
	// The candidate with the genes taken back; zero: it cannot be rendered
	Without ID      `json:"without,omitzero"`
	Outcome Outcome `json:"outcome"`          // of Without; duplicate: the choice changes nothing
	Detail  string  `json:"detail,omitempty"` // why there are no figures
	Gain    Gain    `json:"gain,omitzero"`    // by the run's objective
	Shapes  []Gain  `json:"shapes,omitempty"`
	// Alone is the product of what the genes buy one by one, for two or more: where it is not the gain,
	// they interact.
	Alone      float64     `json:"alone,omitempty"`
	Resources  []Resources `json:"resources,omitempty"` // of Without
	Waves      []float64   `json:"waves,omitempty"`     // of Without, by workload
	Counters   []Counters  `json:"counters,omitempty"`  // of Without, by workload; with no genes, of the candidate itself
	Cache      string      `json:"cache"`
	Provenance string      `json:"proof,omitempty"`
}

// Counters are a profiler's figures of one workload's call, by metric name.
type Counters struct {
	Workload string             `json:"workload"`
	Values   map[string]float64 `json:"values"`
}

// Portfolio is several kernels of a run of which a dispatcher takes one by shape.
type Portfolio struct {
	K          int       `json:"k"` // kernels that were asked for; fewer when more gain nothing
	Objective  Objective `json:"objective"`
	Kernels    []ID      `json:"kernels"`
	Single     ID        `json:"single"`  // the best single kernel, measured beside them
	Choices    []Choice  `json:"choices"` // by workload
	Gain       Gain      `json:"gain"`    // over the best single kernel, by the objective
	Cache      string    `json:"cache"`
	Provenance string    `json:"proof,omitempty"`
}

// Choice is the kernel of one workload.
type Choice struct {
	Workload string  `json:"workload"`
	Kernel   int     `json:"kernel"` // index in Portfolio.Kernels
	Time     float64 `json:"time"`   // median ns a call
	Single   float64 `json:"single"` // median ns a call of the best single kernel, in turn with it
	Gain     Gain    `json:"gain"`   // over the best single kernel
}

// Waves is how many times over a call's largest launch fills the device: its blocks over those that are
// resident at once. 0 where that is not known.
func Waves(c Call, resources []Resources, sms int) float64 {
	most, waves := 0, 0.0
	for _, l := range c.Launches {
		blocks := l.Grid[0] * l.Grid[1] * l.Grid[2]
		threads := blocks * l.Block[0] * l.Block[1] * l.Block[2]
		if threads <= most {
			continue
		}
		most, waves = threads, 0
		for _, r := range resources {
			if r.Entry == l.Entry && r.BlocksPerSM > 0 && sms > 0 {
				waves = float64(blocks) / float64(sms*r.BlocksPerSM)
			}
		}
	}
	return waves
}
