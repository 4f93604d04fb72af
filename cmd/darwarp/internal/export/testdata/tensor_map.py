"""Calls tensor_map of cupy_example.py without CuPy, NumPy and a GPU: its first argument is the address of the tensor."""
import struct
import sys
import types

numpy, cupy = types.ModuleType("numpy"), types.ModuleType("cupy")
numpy.frombuffer = lambda data, dtype: types.SimpleNamespace(copy=lambda: data)
cupy.float16 = cupy.uint16 = cupy.float32 = cupy.int8 = cupy.uint8 = cupy.int32 = cupy.int64 = cupy.bool_ = None
cupy.cuda = types.SimpleNamespace(get_cuda_path=lambda: None)
sys.modules.update(numpy=numpy, cupy=cupy)
sys.path.insert(0, "")
import cupy_example

[workload] = [w for w in cupy_example.PLAN["workloads"] if w["name"] == "large"]
[plan], [tensor, _] = workload["launches"][0]["tensor_maps"], workload["tensors"]
array = types.SimpleNamespace(itemsize=2, data=types.SimpleNamespace(ptr=int(sys.argv[1])))
print(*struct.unpack("16Q", cupy_example.tensor_map(plan, tensor, array)))
