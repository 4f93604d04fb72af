"""As much of torch as darwarp's helper needs, on the processor: a call takes a quarter of a millisecond."""
import contextlib
import ctypes
import math
import os
import types

__version__ = "0.0-fake"
version = types.SimpleNamespace(cuda=None)
float32, float16, bfloat16, int32, uint8 = "float32", "float16", "bfloat16", "int32", "uint8"
CALL_MS = 0.25


class Tensor:
    def __init__(self, shape):
        self.shape = tuple(shape)
        self.data = (ctypes.c_float * math.prod(self.shape))()

    def data_ptr(self):
        return ctypes.addressof(self.data)

    def numel(self):
        return len(self.data)

    def element_size(self):
        return 4

    def is_floating_point(self):
        return True

    def same(self, *_):
        return self

    cuda = cpu = contiguous = to = normal_ = uniform_ = add_ = same

    def fill_(self, value):
        self.data[:] = [value] * len(self.data)

    def __mul__(self, factor):
        if cuda.capturing:
            cuda.capturing.calls += 1
        out = Tensor(self.shape)
        out.data[:] = [factor * x for x in self.data]
        return out


def empty(shape, dtype=None, device=None):
    return Tensor([shape] if isinstance(shape, int) else shape)


no_grad = contextlib.nullcontext
backends = types.SimpleNamespace(cuda=types.SimpleNamespace(matmul=types.SimpleNamespace(allow_tf32=False)))


def compile(f, **_):
    return f


class Stream:
    def wait_stream(self, _):
        pass


class Event:
    def __init__(self, enable_timing):
        pass

    def record(self):
        pass

    def synchronize(self):
        pass

    def elapsed_time(self, _):
        return CALL_MS * cuda.replayed


class CUDAGraph:
    calls = 0

    def replay(self):
        cuda.replayed = self.calls


@contextlib.contextmanager
def graph(g):
    cuda.capturing = g
    yield
    cuda.capturing = None


cuda = types.SimpleNamespace(
    capturing=None, replayed=0, Stream=Stream, Event=Event, CUDAGraph=CUDAGraph, graph=graph,
    is_available=lambda: note("gpu") or os.environ.get("DARWARP_FAKE_TORCH") != "blind", set_device=lambda _: None, get_device_name=lambda: "fake",
    current_stream=Stream, stream=lambda _: contextlib.nullcontext(), synchronize=lambda: None, empty_cache=lambda: None, _sleep=lambda _: None)


@contextlib.contextmanager
def sdpa_kernel(which):
    if which == "cudnn":
        raise RuntimeError("No available kernel. Aborting execution.\nmore")
    yield


nn = types.SimpleNamespace(functional=None, attention=types.SimpleNamespace(
    sdpa_kernel=sdpa_kernel, SDPBackend=types.SimpleNamespace(FLASH_ATTENTION="flash", CUDNN_ATTENTION="cudnn")))


def note(what):
    """A line for a test that wants to know what was asked of torch."""
    path = os.environ.get("DARWARP_FAKE_NOTES")
    if path:
        with open(path, "a") as notes:
            notes.write(what + "\n")


note("import")
