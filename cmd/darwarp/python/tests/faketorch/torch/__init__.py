"""As much of PyTorch as the package's own tests need: tensors have shapes and addresses, and no numbers."""
import types

float8_e4m3fn, int8 = "float8_e4m3fn", "int8"
float16, bfloat16, float32, int32, int64, uint8, bool = "float16", "bfloat16", "float32", "int32", "int64", "uint8", "bool"
GPU = types.SimpleNamespace(available=True, capability=(9, 0), grad=False)
_addresses = iter(range(1 << 20, 1 << 40, 1 << 12))


class device:
    def __init__(self, type, index=0):
        self.type, self.index = type, index

    def __eq__(self, other):
        return (self.type, self.index) == (other.type, other.index)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class Tensor:
    def __init__(self, shape, dtype=float32, kind="cuda", offset=0, requires_grad=False, made="new"):
        self.shape, self.dtype, self.device, self.requires_grad, self.made = tuple(shape), dtype, device(kind), requires_grad, made
        self.address = next(_addresses) + offset

    def data_ptr(self):
        return self.address

    def contiguous(self):
        return self

    def clone(self):
        return Tensor(self.shape, self.dtype, self.device.type, made="clone")

    def reshape(self, shape):
        return Tensor([shape] if isinstance(shape, int) else shape, self.dtype, self.device.type)

    def to(self, dtype):
        return Tensor(self.shape, dtype, self.device.type)

    def new_empty(self, shape, dtype):
        return Tensor(shape, dtype, self.device.type)


def zeros(n, dtype, device):
    return Tensor([n], dtype, device.type, made="zeros")


def empty(n, dtype, device):
    return Tensor([n], dtype, device.type, made="empty")


def is_grad_enabled():
    return GPU.grad


class Module:
    def __init__(self):
        self.children = {}

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def named_parameters(self):
        for path, module in [("", self), *self.children.items()]:
            yield from ((path + "." + n if path else n, t) for n, t in vars(module).items() if isinstance(t, Tensor))

    def named_buffers(self):
        return []

    def get_submodule(self, path):
        return self.children[path] if path else self


class Library:
    def __init__(self, name, kind):
        self.schemas, self.impls = {}, {}

    def define(self, schema):
        name = schema.partition("(")[0]
        if name in self.schemas:
            raise RuntimeError(name + " is defined already")
        self.schemas[name] = schema

    def impl(self, name, function, key):
        assert key == "CUDA"
        setattr(ops.darwarp, name, function)


fakes = {}
ops = types.SimpleNamespace(darwarp=types.SimpleNamespace())
nn = types.SimpleNamespace(Module=Module)
library = types.SimpleNamespace(Library=Library, register_fake=lambda name, function, lib: fakes.__setitem__(name, function))
compiler = types.SimpleNamespace(is_compiling=lambda: False)
cuda = types.SimpleNamespace(
    is_available=lambda: GPU.available, get_device_capability=lambda: GPU.capability, current_device=lambda: 0, device=lambda d: d,
    current_stream=lambda d: types.SimpleNamespace(cuda_stream=77))
