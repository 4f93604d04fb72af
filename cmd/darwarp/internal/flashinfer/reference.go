package flashinfer

import (
	"fmt"
	"regexp"
	"strings"
)

// operation is a kind of definition that is known: the problem that it becomes, and what its reference must say. A
// reference with another line could compute something else, so it is refused.
type operation struct {
	problem string
	lines   []string // patterns of the statements, in order; X, W and OUT stand for the tensors' names
}

const fp32 = `(?:to\(torch\.float32\)|to\(dtype=torch\.float32\)|float\(\))`

// operations are those of FlashInfer-Bench's definitions, by op_type.
var operations = map[string]operation{
	"gemm": {"gemm", []string{
		`def run\(X, W\):`,
		`(?P<made>\w+) = (?:torch\.matmul\(X, W\.(?:T|t\(\))\)|X @ W\.(?:T|t\(\)))`,
		`return (?:\{"OUT": )?(?P<returned>\w+)\}?`,
	}},
	"rmsnorm": {"rmsnorm", []string{
		`def run\(X, W\):`,
		`(?:EPS|eps|epsilon) = (?P<eps>[0-9.e-]+)`,
		`x = X\.` + fp32,
		`inv_rms = torch\.rsqrt\(x\.(?:pow\(2\)|square\(\))\.mean\((?:dim=)?-1, keepdim=True\) \+ (?:EPS|eps|epsilon)\)`,
		`y = \(?x \* inv_rms\)? \* W\.` + fp32,
		`return (?:y\.to\(X\.dtype\)|\{"OUT": y\.to\(X\.dtype\)\})`,
	}},
}

// unpacked is a line that only names sizes.
var unpacked = regexp.MustCompile(`^\w+(, \w+)* = \w+\.shape$`)

// statements are the lines of a reference that compute something.
func statements(text string) (all []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if code, _, comment := strings.Cut(line, "#"); comment {
			line = code
		}
		line = strings.Join(strings.Fields(line), " ")
		switch {
		case line == "", strings.HasPrefix(line, "@torch."), strings.HasPrefix(line, "assert "), unpacked.MatchString(line),
			line == "import torch":
		default:
			all = append(all, line)
		}
	}
	return all
}

// read compares a reference with what an operation's must be, and returns what its patterns name.
func (o operation) read(d definition) (numbers map[string]string, err error) {
	got, numbers := statements(d.Reference), map[string]string{}
	names := strings.NewReplacer("X", regexp.QuoteMeta(d.Inputs[0].Name), "W", regexp.QuoteMeta(d.Inputs[1].Name),
		"OUT", regexp.QuoteMeta(d.Outputs[0].Name))
	for i, line := range got {
		if i >= len(o.lines) {
			return nil, fmt.Errorf("its reference goes on with %q, which is not part of a %s as it is known here", line,
				d.OpType)
		}
		re, err := regexp.Compile("^" + names.Replace(o.lines[i]) + "$")
		if err != nil {
			return nil, err
		}
		m := re.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("its reference has %q where a %s as it is known here has another statement", line, d.OpType)
		}
		for j, name := range re.SubexpNames() {
			if name != "" {
				numbers[name] = m[j]
			}
		}
	}
	if len(got) < len(o.lines) {
		return nil, fmt.Errorf("its reference ends before a %s as it is known here does", d.OpType)
	}
	if numbers["made"] != numbers["returned"] {
		return nil, fmt.Errorf("its reference returns %s, not the product", numbers["returned"])
	}
	return numbers, nil
}
