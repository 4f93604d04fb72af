#!/usr/bin/env python3
"""Times torch on the shapes of docs/results/memory-bound.md: eager and torch.compile, 20 calls in a CUDA graph, data as hot as they
are after one another. Prints one JSON line each: the median time of a call in us over 30 replays, and TB/s.
--warm only compiles, and leaves the results in torch's cache."""
import json
import statistics
import sys

import torch
import torch.nn.functional as F

CALLS, REPLAYS = 20, 30
ROWS = [(8192, 1024), (4096, 4096), (16384, 8192), (2048, 32768)]
HALF = dict(device="cuda", dtype=torch.float16)


def timed(f):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            f()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(CALLS):
                f()
        times = []
        for _ in range(REPLAYS):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record(stream)
            graph.replay()
            end.record(stream)
            torch.cuda.synchronize()
            times.append(start.elapsed_time(end) / CALLS * 1e3)
    return statistics.median(times)


def cases():
    for rows, cols in ROWS:
        x, w, b = torch.randn(rows, cols, **HALF), torch.randn(cols, **HALF), torch.randn(cols, **HALF)
        size, moved = f"{rows}x{cols}", 2 * x.nbytes
        yield "softmax", size, moved, lambda x: torch.softmax(x, -1), (x,)
        yield "rmsnorm", size, moved, lambda x, w: F.rms_norm(x, (x.shape[-1],), w, 1e-6), (x, w)
        yield "layernorm", size, moved, lambda x, w, b: F.layer_norm(x, (x.shape[-1],), w, b), (x, w, b)
    for n in (4096, 16384):
        x = torch.randn(n, n, **HALF)
        yield "transpose", f"{n}x{n}", 2 * x.nbytes, lambda x: x.t().contiguous(), (x,)
    x = torch.rand(1, 1 << 28, device="cuda")
    yield "reduction", f"1x{1 << 28}", x.nbytes, lambda x: x.sum(-1), (x,)
    x, r, b = torch.randn(16384, 8192, **HALF), torch.randn(16384, 8192, **HALF), torch.randn(8192, **HALF)
    yield "bias_gelu_residual", "16384x8192", 3 * x.nbytes, lambda x, b, r: F.gelu(x + b) + r, (x, b, r)
    x = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    y = torch.empty_like(x)
    yield "copy", "1GiB", 2 * x.nbytes, lambda x, y: y.copy_(x), (x, y)


def main():
    torch._dynamo.config.cache_size_limit = 64
    for problem, size, moved, f, args in cases():
        if problem == "copy" and "--warm" in sys.argv:
            continue
        torch._dynamo.reset()
        fast = torch.compile(f, dynamic=False) if problem != "copy" else f
        fast(*args)
        if "--warm" in sys.argv:
            continue
        eager, compiled = timed(lambda: f(*args)), timed(lambda: fast(*args))
        print(json.dumps({"problem": problem, "size": size, "eager_us": round(eager, 2), "compile_us": round(compiled, 2),
                          "eager_tbs": round(moved / eager / 1e6, 3), "compile_tbs": round(moved / compiled / 1e6, 3)}), flush=True)


if __name__ == "__main__":
    main()
