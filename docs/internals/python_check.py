#!/usr/bin/env python3
"""Searches a softmax for seconds on this machine's GPU, loads it, and calls it in a model: eager, under torch.compile, in a CUDA graph.

    DARWARP_PROGRAM=./darwarp PYTHONPATH=cmd/darwarp/python python3 docs/internals/python_check.py [PROBLEM [SECONDS]]

PROBLEM is softmax (the default), gemm (whose winner on Hopper has tensor maps and clusters), rmsnorm, or module: one that is
imported and searched by darwarp.optimize. SECONDS is how long is searched: 20, or 45 for the module. Exit status 1 if something is
wrong.
"""
import os
import sys
import tempfile
import time
import warnings

import torch

import darwarp


class Product(torch.nn.Module):
    def forward(self, a, b):
        return a @ b.T


class Norm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(4096, device="cuda").half())

    def forward(self, x):
        f = x.float()
        return (f * torch.rsqrt(f.square().mean(-1, keepdim=True) + 1e-6) * self.weight.float()).half()


def half(*shape):
    return torch.randn(*shape, device="cuda").half()


class Gated(torch.nn.Module):
    """One that darwarp has no problem for."""

    def __init__(self):
        super().__init__()
        self.norm = torch.nn.RMSNorm(4096, device="cuda")

    def forward(self, x):
        return self.norm(torch.nn.functional.silu(x))


PROBLEMS = {  # the module, a workload and inputs of its size, inputs of another
    "softmax": (torch.nn.Softmax(-1), "4096x4096", [half(4096, 4096)], [half(100, 4096)]),
    "gemm": (Product(), "m=2048,n=2048,k=2048", [half(2048, 2048), half(2048, 2048)], [half(64, 128), half(32, 128)]),
    "rmsnorm": (Norm(), "rows=4096,cols=4096", [half(4096, 4096)], [half(10, 4096)]),
    "module": (Gated(), None, [torch.randn(4096, 4096, device="cuda")], [torch.randn(100, 4096, device="cuda")]),
}


def close(got, want):
    return torch.allclose(got.float(), want.float(), rtol=2e-2, atol=2e-1)


def timed(call):
    for _ in range(10):
        call()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(100):
        call()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / 100 * 1e6


def graph_of(call, inputs):
    """Replays a CUDA graph of a call with other inputs."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        call(*inputs)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = call(*inputs)
    return graph, out


def main(problem, seconds=None):
    module, workload, inputs, others = PROBLEMS[problem]
    room = tempfile.mkdtemp()
    os.environ["XDG_CACHE_HOME"] = room
    run = os.path.join(room, problem + ".db")
    if workload:
        darwarp.run("search", problem, "--for", f"{seconds or 20}s", "--plain", "--workload", workload, "--no-baseline", "--store", run)
    else:
        darwarp.optimize(module, inputs, minutes=float(seconds or 45) / 60, store=run, options=["--no-baseline"])
    failed = []

    def tell(what, right, more=""):
        print(f"{problem}: {what}: {'right' if right else 'WRONG'} {more}", flush=True)
        if not right:
            failed.append(what)

    with torch.no_grad(), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        op = darwarp.load(run, module)
        print(op)
        model = torch.nn.Sequential(op) if len(inputs) == 1 else op
        tell("eager", close(model(*inputs), module(*inputs)))
        tell("no fallback there", not [w for w in said if "darwarp" in str(w.message)], str([str(w.message) for w in said]))
        compiled = torch.compile(model, fullgraph=True)
        tell("torch.compile", close(compiled(*inputs), module(*inputs)))
        graph, out = graph_of(model, inputs)
        for _ in range(3):
            for t in inputs:
                t.copy_(torch.randn_like(t))
            graph.replay()
            tell("CUDA graph", close(out, module(*inputs)))
        strided = [torch.stack([t, t], -1)[..., 0] for t in inputs]
        tell("strided", close(model(*strided), module(*strided)))
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            got = model(*inputs)
        stream.synchronize()
        tell("another stream", close(got, module(*inputs)))
        verdicts = torch.library.opcheck(op.op.default, tuple(op.arguments(inputs)[0]), raise_exception=False)
        tell("opcheck", all(v == "SUCCESS" for v in verdicts.values()), str(verdicts))
        print(f"{problem}: us of a call: module {timed(lambda: module(*inputs)):.1f}, kernel {timed(lambda: model(*inputs)):.1f}, "
              f"kernel in a graph {timed(graph.replay):.1f}")
        tell("other shapes", close(model(*others), module(*others)))
        tell("which are told of once", sum("darwarp" in str(w.message) for w in said) == 1)
    wanted = [t.clone().requires_grad_() for t in inputs]
    op(*wanted).float().sum().backward()
    tell("gradients by the module", all(t.grad is not None for t in wanted))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*(sys.argv[1:] or ["softmax"])))
