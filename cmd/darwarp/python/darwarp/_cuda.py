"""Launches kernels of a cubin by the CUDA driver, which is all that this takes: no compiler, and no CUDA toolkit."""
import ctypes
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

MAX_DYNAMIC_SHARED, NON_PORTABLE_CLUSTER = 8, 14  # CUfunction_attribute
CLUSTER_DIMENSION = 4  # CUlaunchAttributeID
DEFAULT_SHARED = 48 << 10  # bytes that a kernel may have without asking
PORTABLE_CLUSTER = 8  # blocks
TENSOR_TYPES = {"fp16": 6, "bf16": 9, "fp32": 7, "int32": 3, "e4m3": 0, "e5m2": 0, "e8m0": 0, "int8": 0, "uint8": 0}  # CUtensorMapDataType
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}  # bytes: CUtensorMapSwizzle
SIZES = {"fp16": 2, "bf16": 2, "fp32": 4, "int32": 4, "e4m3": 1, "e5m2": 1, "e8m0": 1, "int8": 1, "uint8": 1}


class Attribute(ctypes.Structure):  # CUlaunchAttribute
    _fields_ = [("id", c_int), ("pad", c_int), ("value", c_uint * 16)]


class Config(ctypes.Structure):  # CUlaunchConfig
    _fields_ = [("grid", c_uint * 3), ("block", c_uint * 3), ("shared", c_uint), ("stream", c_void_p),
                ("attributes", ctypes.POINTER(Attribute)), ("count", c_uint)]


class Driver:
    """libcuda.so.1."""

    def __init__(self):
        self.lib = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", c_uint(0))

    def call(self, name, *args):
        status = getattr(self.lib, name)(*args)
        if status:
            text = c_char_p()
            self.lib.cuGetErrorString(status, byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'error').decode()} ({status})")


class Kernels:
    """The kernels of a cubin on one GPU, in the context that PyTorch and the CUDA runtime use."""

    def __init__(self, driver, cubin, device):
        self.driver, self.context, self.module, self.functions = driver, c_void_p(), c_void_p(), {}
        number = c_int()
        driver.call("cuDeviceGet", byref(number), c_int(device))
        driver.call("cuDevicePrimaryCtxRetain", byref(self.context), number)
        driver.call("cuCtxPushCurrent_v2", self.context)
        try:
            driver.call("cuModuleLoadData", byref(self.module), c_char_p(cubin))
        finally:
            driver.call("cuCtxPopCurrent_v2", byref(c_void_p()))

    def prepare(self, launch):
        """Looks a launch's kernel up, and allows it the shared memory and the cluster that it needs."""
        cluster, shared = launch["cluster"], launch.get("smem", 0)
        key = (launch["entry"], shared, tuple(cluster))
        if key not in self.functions:
            function = c_void_p()
            self.driver.call("cuModuleGetFunction", byref(function), self.module, c_char_p(launch["entry"].encode()))
            most = max([shared] + [k[1] for k in self.functions if k[0] == key[0]])
            if most > DEFAULT_SHARED:
                self.driver.call("cuFuncSetAttribute", function, c_int(MAX_DYNAMIC_SHARED), c_int(most))
            if cluster[0] * cluster[1] * cluster[2] > PORTABLE_CLUSTER:
                self.driver.call("cuFuncSetAttribute", function, c_int(NON_PORTABLE_CLUSTER), c_int(1))
            self.functions[key] = function
        return self.functions[key]

    def launch(self, launch, places, stream):
        """Enqueues a launch. places has the address of each tensor and buffer, and the tensor maps, by name."""
        values = [c_int(a.get("int", 0)) if a["kind"] == "i32" else places[a["name"]] for a in launch.get("args") or []]
        params = (c_void_p * max(len(values), 1))(*[ctypes.cast(byref(v), c_void_p) for v in values])
        config = Config((c_uint * 3)(*launch["grid"]), (c_uint * 3)(*launch["block"]), launch.get("smem", 0), stream, None, 0)
        attribute = Attribute(CLUSTER_DIMENSION, 0, (c_uint * 16)(*launch["cluster"]))
        if launch["cluster"] != [1, 1, 1]:
            config.attributes, config.count = ctypes.pointer(attribute), 1
        self.driver.call("cuLaunchKernelEx", byref(config), self.prepare(launch), params, None)

    def tensor_map(self, plan, tensor, address):
        """A tensor map, encoded for a tensor's address: 128 bytes that a kernel takes by value."""
        shape, rank = tensor["shape"][::-1], len(tensor["shape"])  # the driver's dimensions begin with the innermost
        strides = [SIZES[tensor["dtype"]]]
        for n in shape:
            strides.append(strides[-1] * n)
        room = (c_uint64 * 24)()
        at = (ctypes.addressof(room) + 63) // 64 * 64  # the driver insists on the alignment
        interleave, promotion, fill = c_int(0), c_int(2), c_int(0)  # none, 128 bytes of L2, zeros outside of the tensor
        self.driver.call(
            "cuTensorMapEncodeTiled", c_void_p(at), c_int(TENSOR_TYPES[tensor["dtype"]]), c_uint32(rank), c_void_p(address),
            (c_uint64 * rank)(*shape), (c_uint64 * rank)(*strides[1:]), (c_uint32 * rank)(*plan["box"][::-1]),
            (c_uint32 * rank)(*[1] * rank), interleave, c_int(SWIZZLES[plan.get("swizzle", 0)]), promotion, fill)
        encoded = (ctypes.c_ubyte * 128).from_address(at)
        encoded.room = room  # keeps the memory
        return encoded
