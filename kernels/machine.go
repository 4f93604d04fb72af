package kernels

// Machine is one sample of how busy the machine of a search is.
type Machine struct {
	GPUs    []GPU `json:"gpus,omitempty"` // empty where there is none, or no NVML
	Compile Slots `json:"compile"`        // compilers at work
	Device  Slots `json:"device"`         // callers that have the device
	Queue   int   `json:"queue"`          // evaluations that wait for one of them

	Idle    string   `json:"idle,omitempty"`    // why nothing can be evaluated, and what to do; empty: it can
	Islands []Island `json:"islands,omitempty"` // searches of the same fleet on other kinds of devices
}

// Island is where the search on one kind of device of a fleet stands.
type Island struct {
	Device   string  `json:"device"`             // its name
	Run      string  `json:"run"`                // its file
	Evals    int     `json:"evals"`              // verdicts
	Champion ID      `json:"champion,omitzero"`  // none yet: zero
	Speedup  float64 `json:"speedup,omitempty"`  // of the champion over the naive start, both on that device
	Estimate bool    `json:"estimate,omitempty"` // Speedup is not of a final measurement
}

// Slots is how many of how many are at work.
type Slots struct {
	Busy  int `json:"busy"`
	Total int `json:"total"`
}

// GPU is what NVML says of one GPU at one moment; a figure that it does not tell is -1.
type GPU struct {
	Index      int      `json:"index"`
	Name       string   `json:"name"`
	Util       float64  `json:"util"`        // share of the last sampling period in which a kernel ran
	SMClock    int      `json:"sm_clock"`    // MHz
	MemClock   int      `json:"mem_clock"`   // MHz
	Temp       int      `json:"temp"`        // degrees Celsius
	Power      float64  `json:"power"`       // W
	PowerLimit float64  `json:"power_limit"` // W
	MemUsed    int64    `json:"mem_used"`    // bytes, of all processes
	MemTotal   int64    `json:"mem_total"`   // bytes
	Throttle   []string `json:"throttle,omitempty"`
	LeftOut    string   `json:"left_out,omitempty"` // why the search goes on without it
}
