package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "sk-test-0123456789"

// script is a server that answers one request after the other as it is told; the last answer stays.
type script struct {
	*httptest.Server
	mu    sync.Mutex
	steps []http.HandlerFunc
	seen  []map[string]any // bodies
	auth  []string
}

func newScript(t *testing.T, steps ...http.HandlerFunc) *script {
	t.Helper()
	s := &script{steps: steps}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		var body map[string]any
		_ = json.Unmarshal(data, &body)
		s.mu.Lock()
		step := s.steps[min(len(s.seen), len(s.steps)-1)]
		s.seen, s.auth = append(s.seen, body), append(s.auth, r.Header.Get("Authorization"))
		s.mu.Unlock()
		step(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *script) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

// says answers well.
func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": text},
				"finish_reason": "stop"}},
			"usage": map[string]any{"prompt_tokens": 10_000, "completion_tokens": 100,
				"prompt_tokens_details": map[string]any{"cached_tokens": 4000}},
		})
	}
}

// claims answers well and counts as it likes.
func claims(text, usage string) http.HandlerFunc {
	body, _ := json.Marshal(text)
	return func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"choices": [{"message": {"content": %s}}], "usage": %s}`, body, usage)
	}
}

// fails answers with a status.
func fails(status int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":"you sent %s\u001b[31m"}}`,
			strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	}
}

func endpoint(t *testing.T, url string, timeout time.Duration) *Endpoint {
	t.Helper()
	e, err := NewEndpoint(url+"/v1", secret, timeout)
	if err != nil {
		t.Fatal(err)
	}
	e.first = time.Millisecond
	t.Cleanup(e.Close)
	return e
}

var hello = []kernels.Message{{Role: "user", Text: "hello"}}

// sample is a brief with everything in it.
func sample(t testing.TB) Brief {
	t.Helper()
	p := kernelstest.Problem(t, kernelstest.Scale)
	f, err := kernels.ParseFamily("plain.toml", "plain", []byte(`
about = "plainly"
arch = "sm_80"
[[gene]]
name = "block"
about = "threads"
values = [64, 128]
default = 64
[[gene]]
name = "vec"
values = [1, 4]
default = 1
when = "block == 64"
[[let]]
name = "tile"
value = "block * vec"
[[constraint]]
rule = "tile <= 256"
why = "it does not fit"
[[launch]]
entry = "scale"
grid = ["ceil_div(n, tile)"]
block = ["block"]
args = ["x", "y", "n"]
`), p)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	base := Solution{
		Label: "plain block=64", Speedup: 1.5, Acc: kernels.FP32, Times: []kernels.Timing{{Workload: "4096", Median: 1234}},
		Resources: []kernels.Resources{{Entry: "scale", Registers: 24, Occupancy: 0.5}},
		Source: "extern \"C\" __global__ void scale(const float* x, float* y, int n) {\n    int i = blockIdx.x * 64 + " +
			"threadIdx.x;\n    if (i < n) y[i] = 2 * x[i];\n}\n",
		Plan: kernels.PlanSpec{Launches: []kernels.LaunchSpec{{Entry: "scale", Grid: []string{"ceil_div(n, 64)"},
			Block: []string{"64"}, Args: []string{"x", "y", "n"}}}},
	}
	return Brief{
		Task: Task{Problem: p, Reference: "void reference() {}", DType: kernels.FP32, Device: dev,
			Ceilings:  &kernels.Ceilings{Bandwidth: 4e12, L2: 1e13, Matrix: 1e15},
			Workloads: p.Workloads, Families: []*kernels.Family{f}, Templates: true,
			Headers: map[string]string{"darwarp/vec.cuh": "struct Vec {};"}},
		Base: base, Others: []Solution{base}, Insights: []string{"vec 1 -> 4: 1.120 times as fast"},
		Findings: []string{"block 64 -> 128: 1.2 times"}, Counters: []string{"4096: dram 50"},
		Why: "it does not compile: line 3",
	}
}

func shipped(t testing.TB) *Prompts {
	t.Helper()
	p, err := ReadPrompts(nil, sample(t))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func advisor(t *testing.T, chat Chat, l Limits, models ...string) *Advisor {
	t.Helper()
	c, err := FindConfig("full")
	if err != nil {
		t.Fatal(err)
	}
	prices := Prices{}
	for _, m := range models {
		prices[m] = Price{In: 1, Out: 10}
	}
	a, err := NewAdvisor(Setup{Chat: chat, Config: c, Models: models, Prompts: shipped(t), Prices: prices,
		Account: NewAccount(l, Spending{}), Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func ask(a *Advisor, t *testing.T, arm string) Advice {
	t.Helper()
	return a.Ask(context.Background(), arm, sample(t), nil)
}
