package kernels

// Machine is one sample of how busy the machine of a search is.
type Machine struct {
	GPUs    []GPU `json:"gpus,omitempty"` // empty where there is none, or no NVML
	Compile Slots `json:"compile"`        // compilers at work
	Device  Slots `json:"device"`         // callers that have the device
	Queue   int   `json:"queue"`          // evaluations that wait for one of them
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
