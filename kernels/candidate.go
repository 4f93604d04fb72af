package kernels

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ID names a candidate: a hash of everything that decides its machine code and its launches.
type ID [32]byte

// String is the whole ID in hexadecimal.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// Short is the first ten digits, enough for people.
func (id ID) Short() string { return hex.EncodeToString(id[:5]) }

// IsZero reports whether the ID is unset.
func (id ID) IsZero() bool { return id == ID{} }

// MarshalText writes hexadecimal.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads hexadecimal.
func (id *ID) UnmarshalText(b []byte) error {
	if len(b) != 64 {
		return fmt.Errorf("candidate id of %d digits: expected 64", len(b))
	}
	_, err := hex.Decode(id[:], b)
	return err
}

// Variant is what is to be compiled: a point of a family's space, or a source of its own with its
// plan. Source is rendered text and is not stored for points: it is rendered again from the run's
// own copy of the template.
type Variant struct {
	Family string    `json:"family,omitempty"`
	Genes  Genome    `json:"genes,omitempty"`
	Source string    `json:"source,omitempty"` // only where Family is empty
	Plan   *PlanSpec `json:"plan,omitempty"`   // only where Family is empty
	Acc    DType     `json:"acc,omitempty"`    // accumulator of an own source; a point asks its family
}

// Label is the variant in one line for tables.
func (v Variant) Label() string {
	if v.Family == "" {
		return "own source"
	}
	return v.Family + " " + v.Genes.Key()
}

// NewID hashes a rendered source with its plan and everything else that decides what runs.
// The toolchain names compiler, version, flags, architecture and the include library's hash.
func NewID(source string, plan PlanSpec, toolchain string) ID {
	return newID(source, plan.text(), toolchain)
}

// NewID is NewID of the plan's spec, which is written once: a search has a plan for each family.
func (p *Plan) NewID(source, toolchain string) ID { return newID(source, p.text, toolchain) }

func (s PlanSpec) text() string {
	data, err := json.Marshal(s)
	if err != nil { // it is strings and bools
		panic(err)
	}
	return string(data)
}

// newID hashes parts, each with its length before it. It makes no copy of a source: a search asks for thousands of IDs
// a second.
func newID(parts ...string) (id ID) {
	h := sha256.New()
	var piece [1024]byte
	for _, part := range parts {
		h.Write(append(strconv.AppendInt(piece[:0], int64(len(part)), 10), ':'))
		for len(part) > 0 {
			n := copy(piece[:], part)
			h.Write(piece[:n])
			part = part[n:]
		}
	}
	h.Sum(id[:0])
	return id
}

// Origin says how a candidate came to be.
type Origin struct {
	Operator   string `json:"operator"` // default, random, mutate, crossover, ..., injected by a person
	Parents    []ID   `json:"parents,omitempty"`
	Generation int    `json:"generation"`     // 1 + the greatest generation of its parents
	Note       string `json:"note,omitempty"` // what changed, in a few words: "stages 3 -> 4"
}

// Candidate is a variant with its origin and what was found out about it. Once it is
// stored only its score changes, when the workloads are given other weights, and its verdict where it falls on trial.
type Candidate struct {
	ID      ID      `json:"id"`
	Seq     int     `json:"seq"` // 1, 2, ... in the order of being stored
	Variant Variant `json:"variant"`
	Origin  Origin  `json:"origin"`
	Result  Result  `json:"result"`
	// The objective of time over the naive start's: lower is better; 0 unless OK
	Score float64   `json:"score,omitempty"`
	At    time.Time `json:"at"`
}

// Resources is what one kernel of a candidate takes.
type Resources struct {
	Entry       string  `json:"entry"`
	Registers   int     `json:"registers"`
	SpillStores int     `json:"spill_stores,omitempty"` // bytes
	SpillLoads  int     `json:"spill_loads,omitempty"`  // bytes
	Stack       int     `json:"stack,omitempty"`        // bytes a thread
	StaticSmem  int     `json:"static_smem,omitempty"`  // bytes
	DynamicSmem int     `json:"dynamic_smem,omitempty"` // bytes, at the first workload
	BlocksPerSM int     `json:"blocks_per_sm,omitempty"`
	Occupancy   float64 `json:"occupancy,omitempty"` // resident threads over the device's limit
}

// Timing is the measured time of one workload.
type Timing struct {
	Workload string   `json:"workload"`
	Median   float64  `json:"median"` // ns a call
	Lo       float64  `json:"lo"`     // ns, 95 % interval of the median
	Hi       float64  `json:"hi"`     // ns
	Samples  int      `json:"samples"`
	Cache    string   `json:"cache"`           // hot: inputs may be in L2; cold: rotated through more than L2 holds
	Tier     string   `json:"tier"`            // gate (one checked run), screen (three samples), fitness or final
	Clock    float64  `json:"clock,omitempty"` // SM MHz while timing, 0 unknown
	Tags     []string `json:"tags,omitempty"`  // what slowed the GPU meanwhile (power-cap, ...), unmonitored, CPU time ...
	// Scale is what the clock's median was multiplied by, to be compared with times of the search's first GPU; 0 where it
	// is as the clock said. Lo and Hi allow for its uncertainty.
	Scale float64 `json:"scale,omitempty"`
}

// Prepared is what launches with `prepare` take at a workload.
type Prepared struct {
	Workload string  `json:"workload"`
	Nanos    float64 `json:"ns"`    // all of them once, with what launching costs; the least of the gate's runs
	Bytes    int     `json:"bytes"` // of the packed buffers, which are kept between calls
}

// GateReport says what a candidate's outputs were checked against.
type GateReport struct {
	Checks    int     `json:"checks"`              // shape and input-class pairs passed
	Elements  int     `json:"elements"`            // output elements compared
	Worst     float64 `json:"worst"`               // greatest error over its tolerance: passes below 1
	Where     string  `json:"where,omitempty"`     // the check with the greatest ratio, or the one that failed
	Frobenius float64 `json:"frobenius,omitempty"` // relative Frobenius error at the first workload
}

// Cost is what a candidate took, in seconds.
type Cost struct {
	Compile float64 `json:"compile,omitempty"`
	Gate    float64 `json:"gate,omitempty"`
	Time    float64 `json:"time,omitempty"`
	Wait    float64 `json:"wait,omitempty"` // for slots
}

// Total is the work without the waiting.
func (c Cost) Total() float64 { return c.Compile + c.Gate + c.Time }

// Result is the verdict on a candidate with its evidence.
type Result struct {
	Outcome    Outcome     `json:"outcome"`
	Detail     string      `json:"detail,omitempty"` // why, in at most MaxDetail printable bytes
	Resources  []Resources `json:"resources,omitempty"`
	Code       string      `json:"code,omitempty"`  // hash of the machine code
	Sites      []Site      `json:"sites,omitempty"` // where memory is accessed, when the cpu device watched
	Gate       *GateReport `json:"gate,omitempty"`
	Times      []Timing    `json:"times,omitempty"`
	Prepared   []Prepared  `json:"prepared,omitempty"` // beside the times, which are those of calls alone
	Cost       Cost        `json:"cost"`
	Provenance string      `json:"proof,omitempty"` // key of the Provenance that these figures stand on
}

// Site is a line of a candidate that accesses memory, with what its warps' requests cost a GPU.
type Site struct {
	File      string  `json:"file"`
	Line      int     `json:"line"`
	Space     string  `json:"space"`               // shared or global
	Accesses  int     `json:"accesses"`            // requests of a warp
	Conflicts int     `json:"conflicts"`           // shared: passes beyond the first, for all requests
	Sectors   float64 `json:"sectors_per_request"` // global: 32-byte sectors
}

// MaxDetail bounds Result.Detail.
const MaxDetail = 4 << 10

// CleanDetail makes text printable ASCII, at most MaxDetail bytes: details reach terminals and prompts.
func CleanDetail(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r >= ' ' && r < 0x7f {
			return r
		}
		if r == '\t' {
			return ' '
		}
		return '?'
	}, strings.TrimSpace(s))
	if len(s) > MaxDetail {
		s = s[:MaxDetail-4] + " ..."
	}
	return s
}

// Provenance is what every figure of a session stands on. A figure without it is not shown.
type Provenance struct {
	Device    Device    `json:"device"`
	GPU       int       `json:"gpu,omitempty"` // its index on the host
	Protocol  string    `json:"protocol"`      // version of the gate and timing rules
	Version   string    `json:"version"`       // darwarp's own
	Host      string    `json:"host,omitempty"`
	Started   time.Time `json:"started"`
	DType     DType     `json:"dtype"`
	CacheMode string    `json:"cache"`           // hot or cold: what Times are
	Noise     float64   `json:"noise,omitempty"` // A/A: spread of the ratio of a kernel to itself
	Ceilings  *Ceilings `json:"ceilings,omitempty"`
}

// Key names the provenance by content. The noise is not part of it: it becomes known during a session.
func (p Provenance) Key() string {
	p.Noise = 0
	b, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// Ceilings are this device's own measured limits: the roofline.
type Ceilings struct {
	Bandwidth float64 `json:"bandwidth"` // bytes/s, device-memory copy counting reads and writes
	L2        float64 `json:"l2"`        // bytes/s, copy that stays in L2
	Matrix    float64 `json:"matrix"`    // flop/s, dense products of what Problem.MatrixPeak says
	// Launch is no limit, but ns: how much longer a launch takes on its own than as one of many.
	Launch float64 `json:"launch,omitempty"`
}
