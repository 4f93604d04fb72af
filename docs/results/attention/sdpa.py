"""Times torch's scaled_dot_product_attention, each backend by itself: the median of CUDA graphs of 20 calls on the same
inputs (hot). Prints one line a shape and backend: name, backend, microseconds, TFLOP/s.

    python3 docs/results/attention/sdpa.py [NAME ...]      NAME: BxHxSxD, or BxHxSxD-causal
"""
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

NAMES = ["1x8x512x64", "2x8x512x64", "2x8x512x64-causal", "2x8x515x64", "4x16x512x64", "8x16x512x64", "4x16x4096x64",
         "4x16x4096x128", "4x16x4096x128-causal"]
BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION,
            "efficient": SDPBackend.EFFICIENT_ATTENTION, "math": SDPBackend.MATH}
CALLS, SAMPLES = 20, 30


def microseconds(call):
    """The median time of one call in a graph of CALLS."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(CALLS):
            call()
    times = []
    for _ in range(SAMPLES):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        graph.replay()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop) * 1e3 / CALLS)
    return sorted(times)[SAMPLES // 2]


def measure(name, dtype=torch.float16):
    shape, _, mask = name.partition("-")
    b, h, s, d = map(int, shape.split("x"))
    causal = mask == "causal"
    q, k, v = (torch.randn(b, h, s, d, device="cuda", dtype=dtype) for _ in range(3))
    flops = 4 * b * h * s * s * d / (2 if causal else 1)
    for backend, choice in BACKENDS.items():
        if backend == "math" and s > 1024:
            continue  # a matrix of scores a head
        try:
            with torch.no_grad(), sdpa_kernel(choice):
                us = microseconds(lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal))
        except RuntimeError as e:
            print(f"{name:24} {backend:10} {str(e).splitlines()[0][:60]}", flush=True)
            continue
        print(f"{name:24} {backend:10} {us:9.2f} us {flops / us / 1e6:8.1f} TFLOP/s", flush=True)


if __name__ == "__main__":
    print(torch.__version__, torch.cuda.get_device_name(), "cudnn", torch.backends.cudnn.version())
    for name in sys.argv[1:] or NAMES:
        measure(name)
