package kernels

import (
	"math"
	"strings"
	"testing"
)

// whole is a candidate with something in every field.
func whole() *Candidate {
	return &Candidate{
		ID: ID{1}, Seq: 1, Score: 0.5,
		Variant: Variant{Family: "tiled",
			Genes: Genome{"block_m": Int(64), "loader": String("cp_async"), "swap": Bool(true)}},
		Origin: Origin{Operator: "llm:vendor/model:free:improve", Parents: []ID{{2}, {3}}, Generation: 3, Note: "größer"},
		Result: Result{
			Outcome: OK, Detail: "one\ntwo", Code: "00ff", Provenance: "0123456789abcdef",
			Resources: []Resources{{Entry: "_Z4gemmPf", Registers: 168, Occupancy: 0.2}},
			Sites:     []Site{{File: "kernel.cu", Line: 3, Space: "global", Accesses: 7, Sectors: 4}},
			Gate:      &GateReport{Checks: 2, Elements: 9, Worst: math.MaxFloat64, Where: "m=1 normal"},
			Times: []Timing{{Workload: "m=1,n=2", Median: 5, Lo: 4, Hi: 6, Samples: 3, Cache: "hot", Tier: "fitness",
				Tags: []string{"power-cap"}}},
			Cost: Cost{Compile: 1},
		},
	}
}

func TestAdmitCandidate(t *testing.T) {
	if err := whole().Admit(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(c *Candidate){
		"id":                     func(c *Candidate) { c.ID = ID{} },
		"result.outcome":         func(c *Candidate) { c.Result.Outcome = 200 },
		"score: 5e-324":          func(c *Candidate) { c.Score = 5e-324 },
		"score: 1e+300":          func(c *Candidate) { c.Score = 1e300 },
		"score: 0":               func(c *Candidate) { c.Score = 0 },
		"score: -1":              func(c *Candidate) { c.Result.Outcome, c.Score = Wrong, -1 },
		"origin.parents: 100000": func(c *Candidate) { c.Origin.Parents = make([]ID, 100_000) },
		"origin.generation: -1":  func(c *Candidate) { c.Origin.Generation = -1 },
		"family":                 func(c *Candidate) { c.Variant.Family = "../x" },
		"genes: \"a b\"":         func(c *Candidate) { c.Variant.Genes["a b"] = Int(1) },
		"value \"\\x1b\"":        func(c *Candidate) { c.Variant.Genes["loader"] = String("\x1b") },
		"no value":               func(c *Candidate) { c.Variant.Genes["loader"] = Value{} },
		"acc":                    func(c *Candidate) { c.Variant.Acc = "fp8" },
		"source":                 func(c *Candidate) { c.Variant.Source = strings.Repeat("x", maxOwnSource+1) },
		"plan":                   func(c *Candidate) { c.Variant.Plan = &PlanSpec{Launches: make([]LaunchSpec, 100)} },
		"times[0].median: 0":     func(c *Candidate) { c.Result.Times[0].Median = 0 },
		"times[0].median: NaN":   func(c *Candidate) { c.Result.Times[0].Median = math.NaN() },
		"times[0].lo: -1":        func(c *Candidate) { c.Result.Times[0].Lo = -1 },
		"times[0].workload":      func(c *Candidate) { c.Result.Times[0].Workload = "a b" },
		"times: 5000":            func(c *Candidate) { c.Result.Times = make([]Timing, 5000) },
		"tags: 100":              func(c *Candidate) { c.Result.Times[0].Tags = make([]string, 100) },
		"registers: -1":          func(c *Candidate) { c.Result.Resources[0].Registers = -1 },
		"resources: 100":         func(c *Candidate) { c.Result.Resources = make([]Resources, 100) },
		"conflicts: -1":          func(c *Candidate) { c.Result.Sites[0].Conflicts = -1 },
		"gate.":                  func(c *Candidate) { c.Result.Gate.Checks = -1 },
		"cost.gate: -1":          func(c *Candidate) { c.Result.Cost.Gate = -1 },
		"code or proof":          func(c *Candidate) { c.Result.Provenance = "a\nb" },
	} {
		c := whole()
		change(c)
		if err := c.Admit(); err == nil || !strings.Contains(err.Error(), want) || CheckLine(err.Error(), 300) != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestAdmitCleans: what is only shown is cleaned, and never a reason to refuse a run that was written before.
func TestAdmitCleans(t *testing.T) {
	const evil = "\x1b]0;title\a\u202e"
	c := whole()
	c.Origin.Operator, c.Origin.Note = evil, strings.Repeat("x", 10_000)
	c.Result.Detail, c.Result.Gate.Where = evil+"\nsecond", evil
	c.Result.Resources[0].Entry, c.Result.Sites[0].File, c.Result.Times[0].Tags[0] = evil, evil, evil
	p := Provenance{Device: Device{Kind: "cuda", Name: evil, Software: Software{Driver: evil, Toolchain: evil}},
		Protocol: evil, Host: evil}
	d := Duel{Champion: evil, Detail: evil, Verdict: Verdict(evil)}
	b := BaselineResult{Name: "torch", About: evil, Sanitized: []Sanitized{{Tool: evil, Detail: evil}}}
	i := Insight{Genes: []GeneChange{{Gene: evil, From: evil, To: evil}}, Detail: evil, Cache: evil}
	x := Exchange{Arm: evil, Failed: evil, Tokens: Tokens{In: math.MaxInt, Out: -1}, USD: -1}
	tr := Trial{Parts: []Doubt{{Part: TrialPart(evil), Verdict: Doubted(evil), Detail: evil}}}
	for _, r := range []interface{ Admit() error }{c, &p, &d, &b, &i, &x, &tr} {
		if err := r.Admit(); err != nil {
			t.Errorf("%T: %v", r, err)
		}
	}
	for _, s := range []string{c.Origin.Operator, c.Origin.Note, c.Result.Gate.Where, c.Result.Resources[0].Entry,
		c.Result.Sites[0].File, c.Result.Times[0].Tags[0], p.Device.Name, p.Device.Driver, p.Device.Toolchain, p.Protocol,
		p.Host, d.Champion, d.Detail, string(d.Verdict), b.About, b.Sanitized[0].Tool, b.Sanitized[0].Detail,
		i.Genes[0].Gene, i.Genes[0].To, i.Detail, i.Cache, x.Arm, x.Failed, string(tr.Parts[0].Part), tr.Parts[0].Detail,
		strings.ReplaceAll(c.Result.Detail, "\n", " ")} {
		if s == "" || CheckLine(s, MaxDetail) != nil {
			t.Errorf("%.60q is left", s)
		}
	}
	if x.Tokens.In != 1<<40 || x.Tokens.Out != 0 || x.USD != 0 {
		t.Errorf("%+v, %g USD", x.Tokens, x.USD)
	}
}

func TestAdmitOthers(t *testing.T) {
	id := ID{1}
	for want, r := range map[string]interface{ Admit() error }{
		"arch":                &Device{Kind: "cuda", Arch: `sm_90a" message(FATAL_ERROR "`},
		"kind":                &Device{Kind: "tpu"},
		"device.arch":         &Provenance{Device: Device{Arch: "sm"}},
		"ceilings.l2":         &Provenance{Ceilings: &Ceilings{L2: -1}},
		"dtype":               &Provenance{DType: "fp8"},
		"ratio: -1":           &Duel{Ratio: -1},
		"ratio: 5e-324":       &Duel{Ratio: 5e-324},
		"ceilings.matrix":     &Provenance{Ceilings: &Ceilings{Matrix: 5e-324}},
		"rounds[0].champion":  &Duel{Rounds: []DuelRound{{Workload: "w", Champion: -1}}},
		"rounds[0].workload":  &Duel{Rounds: []DuelRound{{Workload: "\x1b"}}},
		"name":                &BaselineResult{Name: "a b"},
		"times[0].median":     &BaselineResult{Name: "torch", Times: []Timing{{Workload: "w"}}},
		"gain.ratio":          &Insight{Gain: Gain{Ratio: math.Inf(1)}},
		"kernels: 0":          &Portfolio{},
		"choices[0].kernel":   &Portfolio{Kernels: []ID{id}, Choices: []Choice{{Workload: "w", Kernel: 1}}},
		"choices[0].workload": &Portfolio{Kernels: []ID{id}, Choices: []Choice{{Workload: "a b"}}},
		"asked":               &Exchange{Asked: make([]Message, 1000)},
		"parts: 1000":         &Trial{Parts: make([]Doubt, 1000)},
		"parts[0].s":          &Trial{Parts: []Doubt{{Seconds: -1}}},
		"genes":               &Variant{Family: "tiled", Genes: Genome{"a;b": Int(1)}},
		"a;b":                 Pins{"a;b": {Int(1)}},
	} {
		if err := r.Admit(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for want, all := range map[string][]Workload{
		"workloads: 0":                 {},
		"workloads: 300":               make([]Workload, 300),
		"workloads[0].weight: 0":       {{Name: "w"}},
		"workloads[0].weight: -1":      {{Name: "w", Weight: -1}},
		"workloads[0].weight: NaN":     {{Name: "w", Weight: math.NaN()}},
		"workloads[0].name: \"\\x1b\"": {{Name: "\x1b", Weight: 1}},
		"workloads[1].name":            {{Name: "w", Weight: 1}, {Name: "w", Weight: 1}},
		"dims.m: -1":                   {{Name: "w", Weight: 1, Dims: Dims{"m": -1}}},
		"dims: \"a b\"":                {{Name: "w", Weight: 1, Dims: Dims{"a b": 1}}},
	} {
		if err := AdmitWorkloads(all); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
