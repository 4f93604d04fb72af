package export

import (
	"fmt"
	"slices"
	"strconv"

	"darwarp/kernels"
)

// mapTypes are the element types of tensor maps by the numbers of CUtensorMapDataType (CUDA Driver API).
var mapTypes = map[kernels.DType]int{kernels.FP16: 6, kernels.BF16: 9, kernels.FP32: 7, kernels.I32: 3,
	kernels.E4M3: 0, kernels.E5M2: 0, kernels.E8M0: 0, kernels.I8: 0, kernels.U8: 0} // bytes

// Mapped are the tensors that a launch has tensor maps of, each once.
func (s *sheet) Mapped() (names []string) {
	for _, c := range s.Calls {
		for _, l := range c.Call.Launches {
			for _, m := range l.Maps {
				names = append(names, m.Tensor)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Mapped are the tensors that a launch has tensor maps of at some size, each once.
func (s *portfolioSheet) Mapped() []string {
	names := s.sheet.Mapped()
	for _, p := range s.Plans {
		for _, l := range p.Launches {
			for _, m := range l.Maps {
				names = append(names, m.Tensor)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// MapText is a tensor map in C++, with every number known.
func (c call) MapText(m kernels.TensorMap) code {
	t := c.Buffers[tensorIndex(c.Buffers, m.Tensor)]
	return mapText(m.Name, t, numbers(m.Over(t.Shape)), numbers(m.Box), code(strconv.Itoa(m.Swizzle)))
}

// MapText is a tensor map in C++, by the sizes in d.
func (s *portfolioSheet) MapText(m cTensorMap) (code, error) {
	i := tensorIndex(s.Tensors(), m.Tensor)
	shape, err := m.Shape, error(nil)
	if len(shape) == 0 {
		shape, err = s.ShapeText(i)
	}
	return mapText(m.Name, s.Tensors()[i], shape, m.Box, m.Swizzle), err
}

// tensorIndex finds the tensor of a map; a plan has no maps of others.
func tensorIndex(all []kernels.Buffer, name string) int {
	return slices.IndexFunc(all, func(b kernels.Buffer) bool { return b.Name == name })
}

func mapText(name string, tensor kernels.Buffer, shape, box []code, swizzle code) code {
	return code(fmt.Sprintf("{%s, %s, %d, %d, {%s}, {%s}, %s}", cxxQuote(name), cxxQuote(tensor.Name),
		mapTypes[tensor.DType], tensor.DType.Size(), join(shape, ", "), join(box, ", "), swizzle))
}

func numbers(all []int) (texts []code) {
	for _, n := range all {
		texts = append(texts, code(strconv.Itoa(n)))
	}
	return texts
}
