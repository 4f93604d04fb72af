package export

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"darwarp/kernels"
)

// torchTensor is a tensor of the operator; its shape is of dims and numbers.
type torchTensor struct {
	Name  string
	Shape []string
	DType kernels.DType
}

// torchDim is a size that an input's shape tells.
type torchDim struct {
	Name, Tensor string
	Axis         int
}

// Label is the shape as messages say it.
func (t torchTensor) Label() literal { return literal("[" + strings.Join(t.Shape, ", ") + "]") }

// Sides are the tensor's shape in Python, by the sizes.
func (s *sheet) Sides(t torchTensor) (sides []code, err error) {
	known := s.Problem.Env(nil, s.DType)
	for _, text := range t.Shape {
		side, err := pyText(text, known)
		if err != nil {
			return nil, fmt.Errorf("the shape of %s: %w", t.Name, err)
		}
		sides = append(sides, side)
	}
	return sides, nil
}

// refuseTorch refuses problems without inputs.
func (s *portfolioSheet) refuseTorch() error {
	if len(s.TorchInputs()) == 0 {
		return fmt.Errorf("the problem has no input, so that PyTorch cannot tell the device: export it as header")
	}
	return nil
}

// refuseHub refuses as refuseTorch does, and kernels that were found without a GPU: build.toml names compute
// capabilities.
func (s *portfolioSheet) refuseHub() error {
	if s.Target() == "native" {
		return fmt.Errorf("it was found on the %s device, and build.toml has to name a GPU's compute capability: export a "+
			"run of a GPU", s.Device.Kind)
	}
	return s.refuseTorch()
}

func (s *sheet) tensors(out bool) (all []torchTensor) {
	for i, b := range s.Tensors() {
		if b.Out == out {
			all = append(all, torchTensor{b.Name, s.Problem.Tensors[i].Shape, b.DType})
		}
	}
	return all
}

// TorchInputs are the operator's tensors.
func (s *sheet) TorchInputs() []torchTensor { return s.tensors(false) }

// TorchOutputs are what the operator returns.
func (s *sheet) TorchOutputs() []torchTensor { return s.tensors(true) }

// TorchDims are the sizes that the inputs tell.
func (s *sheet) TorchDims() (all []torchDim) {
	for _, d := range s.Problem.DimNames {
		for _, t := range s.TorchInputs() {
			if axis := slices.Index(t.Shape, d); axis >= 0 {
				all = append(all, torchDim{d, t.Name, axis})
				break
			}
		}
	}
	return all
}

// torchAgree is a dimension that must be what the sizes say.
type torchAgree struct {
	Side   code // in Python
	Tensor string
	Axis   int
	Label  literal // what the side must be, in words
}

// TorchAgree are the dimensions that tell no size.
func (s *sheet) TorchAgree() (all []torchAgree, err error) {
	told := s.TorchDims()
	for _, t := range s.TorchInputs() {
		sides, err := s.Sides(t)
		if err != nil {
			return nil, err
		}
		for axis, d := range t.Shape {
			if !slices.Contains(told, torchDim{d, t.Name, axis}) {
				all = append(all, torchAgree{sides[axis], t.Name, axis,
					literal(fmt.Sprintf("%s: expected %s as dimension %d", t.Name, d, axis))})
			}
		}
	}
	return all, nil
}

// TorchFlags are the sizes that no input tells: they are arguments.
func (s *sheet) TorchFlags() (all []string) {
	told := s.TorchDims()
	for _, d := range s.Problem.DimNames {
		if !slices.ContainsFunc(told, func(t torchDim) bool { return t.Name == d }) {
			all = append(all, d)
		}
	}
	return all
}

// IsFlag reports whether a size is an argument: it may be 0.
func (s *sheet) IsFlag(dim string) bool { return slices.Contains(s.TorchFlags(), dim) }

// TorchParams are the operator's parameters in C++.
func (s *sheet) TorchParams() (code, error) { return s.params("const at::Tensor& ", "int64_t ") }

// PyParams are the operator's parameters in Python.
func (s *sheet) PyParams() (code, error) { return s.params("", "") }

func (s *sheet) params(tensor, number code) (code, error) {
	var names []string
	for _, t := range s.TorchInputs() {
		names = append(names, t.Name)
	}
	return parameters(tensor, names, number, s.TorchFlags())
}

// parameters are tensors and then numbers, each behind its type.
func parameters(tensor code, tensors []string, number code, numbers []string) (code, error) {
	all, err := list(tensor, tensors)
	rest, more := list(number, numbers)
	if rest != "" {
		all += ", " + rest
	}
	return all, errors.Join(err, more)
}

// TorchResult is what the operator returns in C++.
func (s *sheet) TorchResult() code {
	n := len(s.TorchOutputs())
	if n == 1 {
		return "at::Tensor"
	}
	return code("std::tuple<" + strings.TrimSuffix(strings.Repeat("at::Tensor, ", n), ", ") + ">")
}

// Schema is the operator as PyTorch declares it.
func (s *portfolioSheet) Schema() (code, error) {
	result := "Tensor"
	if n := len(s.TorchOutputs()); n > 1 {
		result = "(" + strings.TrimSuffix(strings.Repeat("Tensor, ", n), ", ") + ")"
	}
	params, err := s.params("Tensor ", "int ")
	if s.Packs() {
		params += ", *, Tensor? packed=None"
	}
	return code(fmt.Sprintf("%s(%s) -> %s", identifier(s.Problem.Name), params, result)), err
}

// OpSpace is the operator's namespace.
func (s *portfolioSheet) OpSpace() code { return "darwarp_" + s.Namespace() }

// Edition is that of kernel-builder's format that is written.
func (s *portfolioSheet) Edition() int { return 5 }

// Module is the name of the project in Python; Package is its name on the hub.
func (s *portfolioSheet) Module() code {
	return code("darwarp_" + strings.ToLower(string(identifier(s.Problem.Name))))
}

// Package is the project's name.
func (s *portfolioSheet) Package() code {
	return code(strings.ReplaceAll(string(s.Module()), "_", "-"))
}

// Capability is the architecture as kernel-builder writes it: 9.0a.
func (s *portfolioSheet) Capability() code {
	digits := strings.TrimRight(s.Gencode(), "abcdefghijklmnopqrstuvwxyz")
	return code(digits[:len(digits)-1] + "." + s.Gencode()[len(digits)-1:])
}

// IncludeFiles are the headers that the kernels may include.
func (s *portfolioSheet) IncludeFiles() (all []string) {
	for name := range s.common() {
		if strings.HasPrefix(name, "include/darwarp/") {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// addHub makes the project in kernel-builder's layout.
func (s *portfolioSheet) addHub(out map[string][]byte) error {
	module := string(s.Module())
	for file, template := range map[string]string{
		"build.toml": "kernels_build.toml", "flake.nix": "kernels_flake.nix", "CARD.md": "kernels_CARD.md",
		"torch-ext/torch_binding.cpp": "kernels_binding.cpp", "torch-ext/torch_binding.h": "kernels_binding.h",
		"torch-ext/" + module + "/__init__.py": "kernels_init.py", "tests/test_" + module + ".py": "kernels_test.py",
	} {
		data, err := page(template, s)
		if err != nil {
			return err
		}
		out["hub/"+file] = data
	}
	out["hub/tests/__init__.py"], out["hub/PROVENANCE.json"] = nil, out["PROVENANCE.json"]
	for _, name := range append(s.IncludeFiles(), "dispatch.h", "launch.h") {
		out["hub/"+module+"_cuda/"+name] = out[name]
	}
	for i, u := range s.Units {
		out["hub/"+module+"_cuda/"+string(u.Source)], out["hub/"+module+"_cuda/"+string(u.File)] = s.Sheets[i].signed(),
			[]byte(u.wrapper())
	}
	return nil
}

// pyDraw is how a proof makes an input: how, from which number, up to which one.
func pyDraw(b kernels.Buffer) code {
	if b.Drawn == nil {
		return `("normal", 0, 0)`
	}
	how := "scales"
	if b.DType.Whole() {
		how = map[kernels.Draw]string{kernels.Evenly: "evenly", kernels.Lengths: "lengths",
			kernels.Permutation: "permutation", kernels.Offsets: "offsets", kernels.Skewed: "offsets"}[b.Drawn.How]
	}
	return code(fmt.Sprintf("(%s, %.17g, %.17g)", pythonQuote(how), b.Drawn.Low, b.Drawn.High))
}

// torchTypes are the names of types in C++ and Python.
var torchTypes = map[kernels.DType][2]string{kernels.FP16: {"kHalf", "float16"},
	kernels.BF16: {"kBFloat16", "bfloat16"}, kernels.FP32: {"kFloat", "float32"}, kernels.I32: {"kInt", "int32"},
	kernels.I64: {"kLong", "int64"}, kernels.Mask: {"kBool", "bool"},
	kernels.E4M3: {"kFloat8_e4m3fn", "float8_e4m3fn"}, kernels.E5M2: {"kFloat8_e5m2", "float8_e5m2"},
	kernels.E8M0: {"kFloat8_e8m0fnu", "float8_e8m0fnu"}, kernels.I8: {"kChar", "int8"}, kernels.U8: {"kByte", "uint8"}}
