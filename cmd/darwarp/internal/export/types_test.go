package export

import (
	"os"
	"strings"
	"testing"

	"darwarp/kernels"
)

// TestTypes: every form of export knows every element type.
func TestTypes(t *testing.T) {
	for file, quoted := range map[string]bool{"bench.cu.tmpl": false, "cupy_example.py.tmpl": true} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []kernels.DType{kernels.FP16, kernels.BF16, kernels.FP32, kernels.I32, kernels.I64,
			kernels.Mask, kernels.E4M3, kernels.E5M2, kernels.E8M0, kernels.I8, kernels.U8} {
			want := strings.ToUpper(string(d))
			if quoted {
				want = `"` + string(d) + `": cupy.`
			}
			if !strings.Contains(string(text), want) {
				t.Errorf("%s does not know %s", file, d)
			}
			if torchTypes[d] == [2]string{} {
				t.Errorf("PyTorch's name of %s is not known", d)
			}
		}
	}
}
