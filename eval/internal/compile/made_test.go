package compile

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestMade: machine code of another machine is taken where a compile worker here could have given it, is in no cache,
// and no refusal of another machine is believed.
func TestMade(t *testing.T) {
	cfg := config(t)
	cfg.CacheDir = t.TempDir()
	p := open(t, cfg)
	const text = `extern "C" __global__ void k(float *p) { p[threadIdx.x] = %d; }`
	whole := compileOne(t, p, fmt.Sprintf(text, 0))
	n := 0
	for name, tt := range map[string]struct {
		change func(*Output)
		taken  bool
	}{
		"as it was compiled":         {func(*Output) {}, true},
		"another hash":               {func(o *Output) { o.Code = "00" }, false},
		"cut":                        {func(o *Output) { o.Cubin = o.Cubin[:len(o.Cubin)/2] }, false},
		"no program":                 {func(o *Output) { o.Cubin = []byte("#!/bin/sh") }, false},
		"a failure":                  {func(o *Output) { o.Cubin, o.Failure = nil, "says who?" }, false},
		"that it keeps memory":       {func(o *Output) { o.State = "p" }, false},
		"that the device lacks this": {func(o *Output) { o.Unsupported = true }, false},
	} {
		out := whole
		tt.change(&out)
		data, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		n++
		source := fmt.Sprintf(text, n)
		got, err := p.Compile(With(t.Context(), data), source)
		if err != nil || got.Failure != "" || (got.Code == whole.Code) != tt.taken {
			t.Errorf("%s: %.8s, %s, %v", name, got.Code, got.Failure, err)
		}
		if again := compileOne(t, p, source); again.Code == whole.Code || again.Cached == tt.taken {
			t.Errorf("%s: another machine's code is in the cache", name)
		}
	}
	if got, err := p.Compile(With(t.Context(), []byte("{")), fmt.Sprintf(text, 99)); err != nil || got.Failure != "" {
		t.Error(got.Failure, err)
	}
}
