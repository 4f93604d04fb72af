package eval

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"darwarp/eval/env"
	"darwarp/eval/internal/rig"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
	"darwarp/templates"
)

// doubles tells that y = 2 x, at sizes that are no multiple of seven.
type doubles struct {
	scale float32 // of a scale that is right
	lacks int     // numbers that it leaves out
	most  float64 // of y, if it is not 0

	mu   sync.Mutex
	told map[string]int // cases, by size
}

func (d *doubles) Fits(_ context.Context, dims kernels.Dims) (string, error) {
	if dims["n"]%7 == 0 {
		return "a multiple of seven", nil
	}
	return "", nil
}

func (d *doubles) Tell(_ context.Context, t *rig.Truth) error {
	n := t.Dims["n"]
	if n%7 == 0 {
		return errors.New("asked at a size that does not fit")
	}
	y, s := make([]float64, n-d.lacks), make([]float32, n-d.lacks)
	for i := range y {
		x := math.Float32frombits(binary.LittleEndian.Uint32(t.Inputs[0][4*i:]))
		y[i], s[i] = 2*float64(x), 2*d.scale*float32(math.Abs(float64(x)))
		if d.most != 0 {
			y[i], s[i] = min(y[i], d.most), max(s[i], float32(math.Abs(d.most)))
		}
	}
	t.Values, t.Scales, t.Terms = [][]float64{y}, [][]float32{s}, 1
	d.mu.Lock()
	defer d.mu.Unlock()
	d.told[fmt.Sprint(n)]++
	return nil
}

// toldConfig is the scale problem whose truth somebody tells.
func toldConfig(t *testing.T, d *doubles) Config {
	t.Helper()
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("THE CPU DEVICE IS NOT TESTED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	head, _, _ := strings.Cut(kernelstest.Scale, "[reference]")
	p := kernelstest.Problem(t, strings.Replace(head, "[check]", "[check]\nexact = false", 1)+
		"[reference]\nkind = \"torch\"\nfile = \"model.py\"\n")
	return Config{Kind: "cpu", Problem: p, Headers: templates.Include(), DType: kernels.FP32, Teller: d,
		Workloads: p.Workloads, Cache: "hot", Means: Means{Jobs: 1, CacheDir: testCache}, Trust: Trust{Sandbox: SandboxBest}}
}

// TestToldTruth: where there is no reference kernel a candidate is held against what is told, at sizes that there is a
// truth at, and what the check detects is proved with it.
func TestToldTruth(t *testing.T) {
	d := &doubles{scale: 1, told: map[string]int{}}
	cfg, said := toldConfig(t, d), ""
	cfg.Progress = func(s string) { said += s + "\n" }
	pool := openPool(t, cfg)
	for i := range pool.Cases.List {
		if c := &pool.Cases.List[i]; c.Dims["n"]%7 == 0 || d.told[fmt.Sprint(c.Dims["n"])] == 0 {
			t.Errorf("case %s, which was not told", c.Name)
		}
	}
	if !strings.Contains(said, "proving what the check detects") || strings.Contains(said, "not proved") {
		t.Errorf("said:\n%s", said)
	}
	for _, c := range []struct {
		name, body string
		want       kernels.Outcome
	}{
		{"right", rightBody, kernels.OK}, // TestCPUVerdicts has compiled them all
		{"a little wrong", "if (i < n) y[i] = 2.001f * x[i];", kernels.Wrong},
		{"leaves one out", "if (i < n - (n > 1)) y[i] = 2 * x[i];", kernels.Wrong},
		{"wrong at the scored size", "if (i < n && n != 4096) y[i] = 2 * x[i];", kernels.Wrong},
		{"strays", "if (i <= n) y[i] = i < n ? 2 * x[i] : 0;", kernels.Suspect},
	} {
		r, err := pool.Evaluate(t.Context(), cpuJob(t, pool, c.body))
		if err != nil || r.Outcome != c.want {
			t.Errorf("%s: %v (%s), %v; expected %v", c.name, r.Outcome, r.Detail, err, c.want)
		}
	}
}

// TestToldNonsense: who tells what nothing can be held against, or too little, ends the session.
func TestToldNonsense(t *testing.T) {
	for _, c := range []struct {
		name string
		d    *doubles
		want string
	}{
		{"scales that let everything pass", &doubles{scale: 1e6}, rig.ErrUnfit.Error()},
		{"too few numbers", &doubles{scale: 1, lacks: 1}, "numbers in output 1"},
		{"nobody", nil, "nobody runs the module"},
	} {
		cfg := toldConfig(t, c.d)
		if c.d == nil {
			cfg.Teller = nil
		} else {
			c.d.told = map[string]int{}
		}
		pool, err := Open(t.Context(), cfg)
		if err == nil {
			err = errors.Join(errors.New("it was opened"), pool.Close())
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.name, err, c.want)
		}
	}
}

// TestToldBounded: of inputs that put all outputs at a bound the check cannot tell, which is no fault beside others of
// the same sizes that do.
func TestToldBounded(t *testing.T) {
	for inputs, fit := range map[string]bool{"uniform normal": true, "uniform": false} {
		cfg := toldConfig(t, &doubles{scale: 1, most: -0.25, told: map[string]int{}})
		cfg.Problem.Check.Inputs = strings.Fields(inputs)
		pool, err := Open(t.Context(), cfg)
		if err == nil {
			err = pool.Close()
		}
		if fit && err != nil || !fit && !errors.Is(err, ErrUnfit) {
			t.Errorf("inputs of %s: %v", inputs, err)
		}
	}
}
