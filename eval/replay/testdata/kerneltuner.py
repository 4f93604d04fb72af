#!/usr/bin/env python3
"""Makes the files that darwarp's own are compared with, by Kernel Tuner itself: a tuning run of a small C function.

    pip install kernel_tuner==1.5.0 && python3 kerneltuner.py    # needs gcc, no GPU

kerneltuner.cache.json is the cache of the run, kerneltuner.t4.json its T4 results, and kernel_tuner.h in
cmd/darwarp/internal/export/testdata is what create_device_targets writes of the candidate in TestTunerHeader.
"""
import pathlib
import tempfile

import numpy
from kernel_tuner import tune_kernel
from kernel_tuner.backends.compiler import CompilerFunctions
from kernel_tuner.file_utils import store_output_file
from kernel_tuner.integration import create_device_targets, store_results

HERE = pathlib.Path(__file__).parent
EXPORT = HERE / "../../../cmd/darwarp/internal/export/testdata"

SOURCE = """
#include <time.h>
extern "C" float axpy(float *z, const float *x, const float *y, int n) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < n; i += per_thread)
        for (int j = i; j < i + per_thread && j < n; j++) z[j] = 2 * x[j] + y[j];
    clock_gettime(CLOCK_MONOTONIC, &b);
    return (b.tv_sec - a.tv_sec) * 1e3f + (b.tv_nsec - a.tv_nsec) / 1e6f;
}
"""


def compile(self, instance, plain=CompilerFunctions.compile):
    """Fails as CUDA's compiler does on configurations that ask for too much."""
    if instance.params["per_thread"] == 3:
        raise RuntimeError("ptxas error : Entry function 'axpy' uses too much shared data")
    return plain(self, instance)


def run(cache):
    n = 4096
    x, y = numpy.random.rand(2, n).astype(numpy.float32)
    CompilerFunctions.compile = compile
    params = {"per_thread": [1, 2, 3, 1048576], "mode": ["a", "b"], "unroll": [False, True], "scale": [0.5, 1.5]}
    results, env = tune_kernel("axpy", SOURCE, n, [numpy.zeros_like(x), x, y, numpy.int32(n)], params, lang="C", compiler="g++",
                               restrictions=["per_thread < 4 or mode == 'a'"], cache=str(cache), iterations=2, quiet=True)
    store_output_file(str(HERE / "kerneltuner.t4.json"), results, params)


def header(results):
    params = {"block_size_x": 256, "block_size_y": 1, "block_size_z": 1, "per_thread": 4, "threads": 256, "unroll": 1}
    store_results(str(results), "axpy", SOURCE, {k: [v] for k, v in params.items()}, (4096,), [dict(params, time=1.0)],
                  {"device_name": "NVIDIA RTX (TM) 6000"})
    create_device_targets(str(EXPORT / "kernel_tuner.h"), str(results))


with tempfile.TemporaryDirectory() as scratch:
    (HERE / "kerneltuner.cache.json").unlink(missing_ok=True)
    run(HERE / "kerneltuner.cache.json")
    header(pathlib.Path(scratch) / "results.json")
