"""Which codes of e4m3 an exported check takes for right, without a GPU: its first argument is torch_check or cupy_example. For each
truth and error on standard input, one line of a 1 for each of the 256 codes that is right, and a 0 for the others."""
import sys
import types

sys.path.insert(0, "")
if sys.argv[1] == "torch_check":
    import torch

    sys.modules["torch_op"] = types.SimpleNamespace(gemm_quantised=None)
    import torch_check

    assert torch_check.ROUNDOFF[torch.float8_e4m3fn] == 2.0**-11
    out = torch.arange(256, dtype=torch.uint8).view(torch.float8_e4m3fn)

    def near(want, allowed):
        return torch_check.near(out, torch.full([256], want, dtype=torch.float64), allowed)
else:
    import numpy

    numpy.cuda = types.SimpleNamespace(get_cuda_path=lambda: None)
    sys.modules["cupy"] = numpy
    import cupy_example

    assert cupy_example.ROUNDOFF["e4m3"] == 2.0**-11
    codes = numpy.arange(256, dtype=numpy.uint8)
    out = cupy_example.to_float(codes, "e4m3")
    back = cupy_example.to_stored(out, "e4m3")
    assert (back == numpy.where(codes % 128 == 127, 127, numpy.where(codes == 128, 0, codes))).all(), back

    def near(want, allowed):
        return cupy_example.near(out, "e4m3", numpy.full(256, want), allowed)

for line in sys.stdin:
    want, scale = map(float, line.split())
    print("".join("1" if right else "0" for right in near(want, 2.0**-10 * abs(want) + scale + 2.0**-126)))
