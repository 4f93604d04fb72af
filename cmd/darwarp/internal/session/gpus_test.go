package session

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/kernels"
)

func TestParseGPUs(t *testing.T) {
	for flag, want := range map[string]string{
		"": "[]", "idle": "[]", "all": "[]", "0": "[0]", "0,2": "[0 2]", "2, 0": "[2 0]",
		"0,0": "", "-1": "", "x": "", "0,": "", ",": "", "all,0": "", "0-3": "",
	} {
		got, err := parseGPUs(flag)
		if (err != nil) != (want == "") || err == nil && fmt.Sprint(got) != want {
			t.Errorf("--gpus %q: %v, %v", flag, got, err)
		}
	}
}

// TestGPUsOfDevices: only where there are GPUs some of them can be asked for.
func TestGPUsOfDevices(t *testing.T) {
	for _, test := range []struct {
		t     Target
		right bool
	}{
		{Target{Device: "auto", Work: Work{GPUs: "0,1"}}, true}, {Target{Device: "cuda", Work: Work{GPUs: "all"}}, true},
		{Target{Device: "cpu", Work: Work{GPUs: IdleGPUs}}, true}, // the default
		{Target{Device: "cpu", Work: Work{GPUs: "0"}}, false}, {Target{Device: "replay", Work: Work{GPUs: "all"}}, false},
		{Target{Device: "auto", Work: Work{Races: true, GPUs: "all"}}, false},
		{Target{Device: "cuda", Work: Work{GPUs: "first"}}, false},
	} {
		if err := test.t.Check(); (err == nil) != test.right {
			t.Errorf("%+v: %v", test.t, err)
		}
	}
}

func TestPick(t *testing.T) {
	gpu := func(i int, name string) env.SeenGPU {
		return env.SeenGPU{Index: i, Device: kernels.Device{Name: name}}
	}
	lost := env.SeenGPU{Index: 1, Err: errors.New("it fell off the bus")}
	for _, test := range []struct {
		name string
		seen []env.SeenGPU
		flag string
		want string // the GPUs; else what the error says
	}{
		{"all", []env.SeenGPU{gpu(0, "A"), gpu(1, "A")}, "all", "0,1"},
		{"all but one that is lost", []env.SeenGPU{gpu(0, "A"), lost, gpu(2, "A")}, "all", "0,2"},
		{"a list", []env.SeenGPU{gpu(0, "A"), gpu(1, "B"), gpu(2, "A")}, "0,2", "0,2"},
		{"one that is lost by name", []env.SeenGPU{gpu(0, "A"), lost}, "0,1", "it fell off the bus"},
		{"one too many", []env.SeenGPU{gpu(0, "A"), gpu(1, "A")}, "1,2", "there is no GPU 2, this machine has 2 GPUs"},
		{"two models", []env.SeenGPU{gpu(0, "A"), gpu(1, "B"), gpu(2, "A")}, "all",
			"(GPUs 0, 2: A; GPU 1: B), and times of two models cannot be compared. Start a search on each:\n" +
				"  darwarp search gemm --gpus 0,2\n  darwarp search gemm --gpus 1"},
		{"two models by name", []env.SeenGPU{gpu(0, "A"), gpu(1, "B")}, "0,1", "--gpus 1"},
		{"idle", []env.SeenGPU{gpu(0, "A"), gpu(1, "B")}, "idle", "0"},
	} {
		list, err := parseGPUs(test.flag)
		if err != nil {
			t.Fatal(err)
		}
		c, err := pick(test.seen, test.flag, list, "gemm")
		got := ""
		for _, g := range c.GPUs {
			got += fmt.Sprint(",", g.Index)
		}
		if got = strings.TrimPrefix(got, ","); err != nil {
			got = err.Error()
		}
		if got != test.want && (err == nil || !strings.Contains(got, test.want)) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
