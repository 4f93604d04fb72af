package inputs

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// inputOf is the numbers of an input, by index, whose lines of so many are all of one class.
func inputOf(t *testing.T, class string, tensor, lines, length int, seed uint64) func(i int) float32 {
	t.Helper()
	f := device.Fill{Classes: 1 << slices.Index(device.Classes, class), Tensor: tensor, Inner: 1, Len: length}
	number, err := numbersOf(kernels.FP32, f, uint64(lines*length), seed)
	if err != nil {
		t.Fatal(err)
	}
	return func(i int) float32 { return number(uint64(i)) }
}

// leastOutliers are the lines of class outlier whose equal numbers are nearest to 0.
func leastOutliers(t *testing.T, length, lines, want int, seed uint64) (least [][]float32) {
	number := inputOf(t, "outlier", 1, lines, length, seed)
	type line struct {
		at   int
		size float32
	}
	var found []line
	for at := 0; at < lines*length; at += length {
		if v := number(at + length/3); v == number(at+length/5) {
			found = append(found, line{at, max(v, -v)})
		}
	}
	slices.SortFunc(found, func(a, b line) int { return cmp.Compare(a.size, b.size) })
	for _, l := range found[:want] {
		least = append(least, readLine(number, l.at, length))
	}
	return least
}

func readLine(number func(i int) float32, at, length int) (line []float32) {
	for i := range length {
		line = append(line, number(at+i))
	}
	return line
}

// chainOf adds products up one after the other, as fp32 does with and without fused multiplications.
func chainOf(a, b []float32) (fused, plain float32, truth, scale float64) {
	for i := range a {
		term := float64(a[i]) * float64(b[i]) // exact
		fused, plain = float32(float64(fused)+term), plain+float32(a[i]*b[i])
		truth, scale = truth+term, scale+math.Abs(term)
	}
	return fused, plain, truth, scale
}

// TestChainsBesideOutliers: an honest chain of fp32 is within the tolerance whatever the lines of its two inputs are.
// On an H200 products of 32,768 terms fell on trial for one number of 4.2 million: equal numbers beside an outlier were
// as small as any, and times numbers about 100 they are nearly equal, so that all are rounded to the same side.
func TestChainsBesideOutliers(t *testing.T) {
	const lines = 24
	for _, length := range []int{8192, 32768} {
		for _, class := range []string{"shift", "uniform"} {
			others := leastOutliers(t, length, 32768, 12, 3)
			number, worst := inputOf(t, class, 0, lines, length, 3), 0.0
			for line := range lines {
				a := readLine(number, line*length, length)
				for _, b := range others {
					for range 2 {
						worst = max(worst, chainsRatio(t, a, b))
						a, b = slices.Clone(a), slices.Clone(b)
						slices.Reverse(a)
						slices.Reverse(b)
					}
				}
			}
			t.Logf("%d terms, outlier times %s: the worst error is %.2f of its tolerance", length, class, worst)
		}
	}
}

// chainsRatio is the error of a chain over its tolerance.
func chainsRatio(t *testing.T, a, b []float32) (ratio float64) {
	fused, plain, value, scale := chainOf(a, b)
	truth := check.Truth{Value: []float64{value}, Scale: []float32{float32(scale)}}
	for _, sum := range []float32{fused, plain} {
		out := check.Encode(kernels.FP32, []float64{float64(sum)})
		r := check.Judge(out, kernels.FP32, truth, check.Model{K: len(a)})
		if r.Bad > 0 {
			t.Errorf("equal numbers %g, about %g: %s", b[len(b)/3], a[0], r.Explain("C", []int{1}))
		}
		ratio = max(ratio, r.Worst)
	}
	return ratio
}
