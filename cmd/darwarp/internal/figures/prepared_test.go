package figures_test

import (
	"strings"
	"testing"

	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/kernels"
)

func TestPrepared(t *testing.T) {
	var b strings.Builder
	figures.Prepared(&b, nil)
	figures.Prepared(&b, []kernels.Prepared{{Workload: "1x8192x8192", Nanos: 41_000, Bytes: 36 << 20}})
	want := `
weights are packed beforehand, which the times do not include
  workload     packing takes  bytes kept
  1x8192x8192       41.00 us      36 MiB
`
	if b.String() != want {
		t.Errorf("%s", b.String())
	}
}
