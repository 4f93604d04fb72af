package gpu

import (
	"reflect"
	"testing"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

func TestTensorOf(t *testing.T) {
	for _, c := range []struct {
		name string
		box  []int
		b    kernels.Buffer
		want cuda.Tensor
	}{
		{"matrix", []int{128, 64}, kernels.Buffer{DType: kernels.FP16, Shape: []int{4096, 1000}},
			cuda.Tensor{Type: cuda.TensorFloat16, Dims: []uint64{1000, 4096}, Strides: []uint64{2000}, Box: []uint32{64, 128}}},
		{"vector", []int{256}, kernels.Buffer{DType: kernels.I32, Shape: []int{77}},
			cuda.Tensor{Type: cuda.TensorInt32, Dims: []uint64{77}, Box: []uint32{256}}},
		{"heads", []int{1, 2, 3, 8}, kernels.Buffer{DType: kernels.BF16, Shape: []int{2, 3, 5, 64}},
			cuda.Tensor{Type: cuda.TensorBFloat16, Dims: []uint64{64, 5, 3, 2}, Strides: []uint64{128, 640, 1920},
				Box: []uint32{8, 3, 2, 1}}},
		{"wide rows of floats", []int{1, 4}, kernels.Buffer{DType: kernels.FP32, Shape: []int{1, 1 << 31}},
			cuda.Tensor{Type: cuda.TensorFloat32, Dims: []uint64{1 << 31, 1}, Strides: []uint64{1 << 33}, Box: []uint32{4, 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Base, c.want.Swizzle, c.want.Promote = 0x1000, cuda.Swizzle128B, cuda.Promote128B
			got, err := tensorOf(kernels.TensorMap{Box: c.box, Swizzle: 128}, c.b, 0x1000)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
	for name, m := range map[string]kernels.TensorMap{"rank": {Box: []int{8}},
		"swizzle": {Box: []int{8, 8}, Swizzle: 48}} {
		if got, err := tensorOf(m, kernels.Buffer{DType: kernels.FP16, Shape: []int{8, 8}}, 0); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestFault tells what a candidate's plan asked for from what is ours.
func TestFault(t *testing.T) {
	l := kernels.Launch{Entry: "gemm", Maps: []kernels.TensorMap{{Name: "a_tiles", Tensor: "A", Box: []int{8, 8}}}}
	s := &Session{opened: opened{drv: &cuda.Driver{}}}
	c := &device.Case{Buffers: []kernels.Buffer{{Name: "A", DType: kernels.FP16, Shape: []int{8, 8}}}}
	_, err := s.tensorMaps(l, c, &arena{at: []cuda.Ptr{0x100}})
	if f, err := fault("case", err); err == nil {
		t.Errorf("a driver without tensor maps is a candidate's fault: %+v", f)
	}
	refusal := &cuda.Error{Code: cuda.InvalidValue, Name: "CUDA_ERROR_INVALID_VALUE", Call: "cuTensorMapEncodeTiled"}
	f, err := fault("case", mapError(l, l.Maps[0], c.Buffers[0], refusal))
	want := "kernel gemm, tensor map a_tiles over A [8 8]: cuTensorMapEncodeTiled: CUDA_ERROR_INVALID_VALUE (1)"
	if err != nil || !f.Launch || f.Sticky || f.Text != want {
		t.Errorf("got %+v, %v; want a refused launch: %s", f, err, want)
	}
}

func TestAddArg(t *testing.T) {
	var args cuda.Args
	at, maps := map[string]cuda.Ptr{"A": 0x100}, map[string]cuda.TensorMap{"a_tiles": {7}}
	for _, x := range []kernels.Arg{{Kind: "tensor_map", Name: "a_tiles"}, {Kind: "tensor", Name: "A"},
		{Kind: "i32", Int: -1}, {Kind: "tensor_map", Name: "a_tiles"}} {
		if err := addArg(&args, x, at, maps); err != nil {
			t.Errorf("%+v: %v", x, err)
		}
	}
	if args.Len() != 4 {
		t.Errorf("%d arguments", args.Len())
	}
	for _, x := range []kernels.Arg{{Kind: "tensor_map", Name: "A"}, {Kind: "tensor", Name: "a_tiles"}, {Kind: "f32"}} {
		if err := addArg(&args, x, at, maps); err == nil {
			t.Errorf("%+v was added", x)
		}
	}
}
