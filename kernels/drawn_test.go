package kernels

import (
	"reflect"
	"strings"
	"testing"
)

// lengths is a problem with a tensor of whole numbers.
func lengths(tensor string) (*Problem, error) {
	text := strings.Replace(problemTOML, `tensor = [`, "tensor = [\n  "+tensor+",", 1)
	return ParseProblem("problem.toml", []byte(text))
}

func TestDrawn(t *testing.T) {
	const name = `{ name = "lengths", role = "in", dtype = "int32", shape = ["m"], `
	for _, e := range []struct {
		keys string
		m    int
		want Drawn
	}{
		{`range = ["1", "n"] }`, 3, Drawn{Low: 1, High: 17}},
		{`range = ["min(m, n)", "n"] }`, 20, Drawn{Low: 17, High: 17}},
		{`range = ["0 - 5", "2147483647"] }`, 3, Drawn{Low: -5, High: 1<<31 - 1}},
		{`draw = "permutation" }`, 3, Drawn{High: 2, How: Permutation}},
		{`range = [0, "n"], also = -100 }`, 3, Drawn{Low: 0, High: 17, Share: 8, Also: -100}},
		{`range = [1, "n"], draw = "lengths" }`, 3, Drawn{Low: 1, High: 17, How: Lengths}},
		{`range = [1, "n"], draw = "offsets" }`, 3, Drawn{Low: 1, High: 17, How: Offsets}},
		{`range = [1, "n"], draw = "skewed" }`, 3, Drawn{Low: 1, High: 17, How: Skewed}},
		{`range = [0, 15] }`, 3, Drawn{High: 15}},
		{`range = [0.5, 2], signed = true }`, 3, Drawn{Low: 0.5, High: 2, Signed: true}},
		{`range = [0.5, 2], reach = [0.125, 15] }`, 3, Drawn{Low: 0.5, High: 2, Down: 2, Up: 2}},
	} {
		tensor := name + e.keys
		if strings.Contains(e.keys, "0.5") {
			tensor = strings.Replace(tensor, "int32", "fp32", 1)
		}
		p, err := lengths(tensor)
		if err != nil {
			t.Fatal(err)
		}
		bufs, err := p.Buffers(Dims{"m": e.m, "n": 17, "k": 1}, FP16)
		if err != nil || !reflect.DeepEqual(bufs[0].Drawn, &e.want) || bufs[1].Drawn != nil {
			t.Errorf("%s: %+v (%v), expected %+v", e.keys, bufs[0].Drawn, err, e.want)
		}
	}
}

func TestDrawnMistakes(t *testing.T) {
	const key = "problem.toml: tensor[0]"
	const in = `{ name = "x", role = "in", shape = ["m"], dtype = `
	for tensor, want := range map[string]string{
		in + `"int32", range = ["1"] }`: key + `.range: expected the least and the greatest number, as in [0, 15] or ` +
			`["1", "s"]`,
		in + `"int32", range = ["1", "n"], draw = "permutation" }`: key +
			`.range: expected none: a permutation has the numbers from 0 on`,
		in + `"int32", also = 3 }`: key +
			`.also: expected none: a number beside a range, without draw, is of `,
		in + `"int32", range = [1, "n"], draw = "lengths", also = 3 }`: key + `.also: expected none`,
		in + `"fp32", range = [1, 2], also = 3 }`:                      key + `.also: expected none`,
		in + `"int64", range = [1, 2], also = 4294967296 }`: key + `.also: 4294967296: expected a number from -2^31 ` +
			`to 2^31 - 1`,
		in + `"int32", range = ["1", "p"] }`: key + `.range[1]: unknown name p`,
		in + `"int32", range = [1, 2.5] }`:   key + `.range[1]: `,
		in + `"int32", draw = "even" }`:      key + `.draw: "even": expected lengths, offsets, skewed or permutation`,
		in + `"int64" }`: key + `.range: missing: expected the least and the greatest number of an ` +
			`int64 tensor`,
		in + `"bool", draw = "permutation" }`: key +
			`.draw: expected none: lengths, offsets and permutations are of int32 or int64`,
		in + `"fp32", range = [0, 2] }`: key +
			`.range: [0, 2]: expected two numbers from 2^-24 to 2^24, the least first`,
		in + `"int32", range = [1, 2], signed = true }`: key +
			`.range: expected two numbers that need not be whole: reach and signed say more about these`,
		in + `"fp32", reach = [1, 2] }`: key + `.range: expected two numbers that need not be whole`,
		in + `"fp32", range = [0.5, 2], reach = [1, 4] }`: key +
			`.reach: [1 4]: expected two numbers from 2^-24 to 2^24 with the range [0.5, 2] between them`,
		in + `"fp32", range = [0.5, 2], reach = [0.5] }`:    key + `.reach: [0.5]: expected two numbers`,
		in + `"fp32", range = [0.5, 2], reach = [nan, 4] }`: key + `.reach: [nan 4]: expected two numbers`,
		in + `"fp32", range = [nan, 2] }`:                   key + `.range: [nan, 2]: expected two numbers`,
		in + `"fp32", range = [2, 2] }`:                     key + `.range: [2, 2]: expected two numbers`,
		in + `"fp32", range = ["1", "n"] }`:                 key + `.range: [1, n]: expected two numbers`,
		in + `"fp32", range = [1.25, 1.5] }`: key +
			`.range: [1.25, 1.5]: expected a power of two between them`,
		in + `"int32", range = ["2", "n"] }`: "problem.toml: check.shapes[0]: tensor x range: 2 to 1: expected the least " +
			"number first, both from -2147483648 to 2147483647",
		in + `"int32", range = ["1", "n * 4294967296"] }`: "problem.toml: check.shapes[0]: tensor x range: 1 to 4294967296",
		in + `"uint8", range = [0, 256] }`: "problem.toml: check.shapes[0]: tensor x range: 0 to 256: expected the least " +
			"number first, both from 0 to 255",
		`{ name = "x", role = "out", dtype = "int32", shape = ["m"], draw = "permutation" }`: key +
			`.range: only inputs are drawn from a range`,
		`{ name = "x", role = "out", dtype = "int64", shape = ["m"], range = [0, 1] }`: key +
			`.dtype: int64: expected fp16, bf16, fp32, int32 or e4m3 for an output`,
	} {
		if _, err := lengths(tensor); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v\nexpected %s", tensor, err, want)
		}
	}
}
