package eval

import (
	"context"
	"errors"
	"testing"

	"darwarp/eval/env"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
	"darwarp/templates"
)

// TestTwins: two pools of the cpu device, on the same secret inputs, in place of a GPU and one.
func TestTwins(t *testing.T) {
	where := env.Locate()
	if where.CXX.Path == "" {
		t.Skip("THE COMPARISON OF DEVICES IS NOT TESTED: no C++ compiler")
	}
	p := kernelstest.Problem(t, kernelstest.Scale)
	cfg := Config{Problem: p, Headers: templates.Include(), DType: kernels.FP32, Workloads: p.Workloads, Cache: "hot",
		Means: Means{Jobs: 1, CacheDir: testCache},
		Reference: "extern \"C\" __global__ void reference(const float *x, double *y, float *s, int n) {\n" +
			"for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = 2.0 * x[i], s[i] = 2 * fabsf(x[i]); }"}
	twins, err := openTwins(context.Background(), cfg, "cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := twins.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, c := range []struct {
		name, gpu, cpu string
		agree          bool
		outcome        kernels.Outcome // on the second
		equal, outside bool            // all outputs, some outputs
	}{
		{"same", rightBody, rightBody, true, kernels.OK, true, false},
		{"again", rightBody, rightBody, true, kernels.OK, true, false},
		{"other_bits", rightBody, "if (i < n) y[i] = 2 * x[i] * (x[i] == truncf(x[i]) ? 1 : 1 + 0x1p-23f);", true, kernels.OK,
			false, false},
		{"wrong", rightBody, "if (i < n) y[i] = 2.01f * x[i];", false, kernels.Wrong, false, true},
		{"unsupported", rightBody, "asm(\"\");", false, kernels.Unsupported, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := twins.Compare(context.Background(), cpuJob(t, twins.GPU, c.gpu), cpuJob(t, twins.CPU, c.cpu))
			if err != nil {
				t.Fatal(err)
			}
			if got.Agree() != c.agree || got.GPU.Outcome != kernels.OK || got.CPU.Outcome != c.outcome {
				t.Errorf("agree %v, %v and %v (%s)", got.Agree(), got.GPU.Outcome, got.CPU.Outcome, got.CPU.Detail)
			}
			var all Spread
			for _, s := range got.Classes {
				all.Elements, all.Equal, all.Outside = all.Elements+s.Elements, all.Equal+s.Equal, all.Outside+s.Outside
			}
			if (all.Equal == all.Elements && all.Elements > 0) != c.equal || (all.Outside > 0) != c.outside ||
				len(got.Classes) > 0 != (c.outcome != kernels.Unsupported) {
				t.Errorf("%+v", got.Classes)
			}
		})
	}
}

func TestTwinsNeedACompiler(t *testing.T) {
	where := env.Locate()
	where.CXX.Path = ""
	_, err := OpenTwins(context.Background(), Config{Means: Means{Where: &where}})
	var missing *env.Error
	if !errors.As(err, &missing) {
		t.Errorf("%v, expected what the machine lacks", err)
	}
}
