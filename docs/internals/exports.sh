#!/bin/sh
# Exports a kernel and a portfolio in every form, and builds and proves each on this machine's GPU.
#
#   DARWARP=./darwarp OUT=exports docs/internals/exports.sh
#
# KERNELS="packed e4m3" chooses some of gemm, portfolio (with gemm), attention, reduction, w4a16, packed, mxfp4, fp8, e4m3 and tma.
# It needs nvcc, a C++ compiler, cmake, and a python3 with torch, ninja and cupy; what is missing is said and counts as failed.
# What comes out: OUT/summary.txt, a line for each form, and a log for each.
set -u
DARWARP=${DARWARP:-darwarp}
OUT=${OUT:-exports}
FOR=${FOR:-15s}
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
WORK=$(mktemp -d)
TMA=  # a kernel with tensor maps, where the GPU has them
[ "$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1)" = 9.0 ] && TMA=tma
: >"$OUT/summary.txt"

# step NAME FOLDER COMMAND...: runs a command in a folder
step() {
    name=$1 folder=$2
    shift 2
    begun=$(date +%s)
    if (cd "$folder" && "$@") >"$OUT/$name.log" 2>&1; then verdict=right; else verdict=FAILED; fi
    echo "$name: $verdict, $(($(date +%s) - begun)) s" | tee -a "$OUT/summary.txt"
    [ $verdict = right ] || tail -n 15 "$OUT/$name.log"
}

# proofs NAME FOLDER: the bench, the bench built by CMake, and the bench through launch.h, by the commands that the folder's README has
proofs() {
    step "$1-bench" "$2" sh -c "$(sed -n 's/^    \(nvcc .* && \.\/bench\)$/\1/p' "$2/README.md" | head -n 1)"
    step "$1-cmake" "$2" sh -c 'cmake -S . -B build && cmake --build build && ./build/bench'
    step "$1-header" "$2" sh -c "$(sed -n 's/^| header .* | `\(.*\)` |$/\1/p' "$2/README.md")"
}

# hub NAME FOLDER: a project of kernel-builder's, built without Nix: the two files that kernel-builder generates are made here
hub() {
    step "$1-kernels" "$2" python3 - <<'PY'
import pathlib, subprocess, sys, tomllib
from torch.utils.cpp_extension import CUDA_HOME, load

hub = pathlib.Path("hub").resolve()
config = tomllib.loads((hub / "build.toml").read_text())
module = config["general"]["name"].replace("-", "_")
package, ops = hub / "torch-ext" / module, "_" + module + "_cuda"
build = hub / "build-local"
build.mkdir(exist_ok=True)
(build / "registration.h").write_text("#pragma once\n#include <torch/library.h>\n#define TORCH_LIBRARY_EXPAND(N, M) TORCH_LIBRARY(N, M)\n#define REGISTER_EXTENSION(N)\n")
(package / "_ops.py").write_text(f"import torch\nops = torch.ops.{ops}\ndef add_op_namespace_prefix(name): return f'{ops}::{{name}}'\n")
objects = []
for name, kernel in config["kernel"].items():
    [source] = [s for s in kernel["src"] if s.endswith(".cu") and "kernel_" in s]
    arch = kernel["cuda-capabilities"][0].replace(".", "")
    target = f"-gencode=arch=compute_{arch},code=sm_{arch}"
    objects.append(str(build / (name + ".o")))
    subprocess.run([f"{CUDA_HOME}/bin/nvcc", "-O3", "-std=c++17", target, *kernel.get("cuda-flags", []), "-Xcompiler", "-fPIC",
                    *[f"-I{hub / i}" for i in kernel["include"]], "-c", hub / source, "-o", objects[-1]], check=True)
load(name=ops, sources=[str(hub / s) for s in config["torch"]["src"] if s.endswith(".cpp")], extra_include_paths=[str(build), *[str(hub / i) for i in config["torch"]["include"]]],
     extra_cflags=["-O2", f"-DTORCH_EXTENSION_NAME={ops}", "-DCUDA_KERNEL"], extra_ldflags=objects, build_directory=str(build), is_python_module=False, with_cuda=True)
sys.path.insert(0, str(hub / "torch-ext"))
try:
    import pytest
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-W", "ignore", str(hub / "tests")]))
except ImportError:  # then the test by hand
    import types
    mark = types.SimpleNamespace(kernels_ci=lambda f: f, parametrize=lambda *a: lambda f: f)
    sys.modules["pytest"] = types.SimpleNamespace(mark=mark)
    sys.path.insert(0, str(hub / "tests"))
    test = __import__("test_" + module)
    for size in test.SIZES:
        getattr(test, "test_" + config["general"]["name"].removeprefix("darwarp-").replace("-", "_"))(size)
    print(len(test.SIZES), "sizes, without pytest")
PY
}

KERNELS=${KERNELS:-gemm portfolio attention reduction w4a16 packed mxfp4 fp8 e4m3 $TMA}
wanted() { case " $KERNELS " in *" $1 "*) ;; *) return 1 ;; esac; }

# best NAME: the fastest candidate of NAME.db by its own timing, where a search of seconds may not have settled a champion
best() { "$DARWARP" top "$1.db" -n 1 --json | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["id"])'; }

# search NAME FORMS FLAGS...: NAME.db and its export NAME in these forms, where it is wanted
search() {
    kernel=$1 forms=$2
    shift 2
    wanted "$kernel" || return 0
    step "search-$kernel" . "$DARWARP" search "$@" --plain --store "$kernel.db"
    step "export-$kernel" . "$DARWARP" export "$kernel.db" "$(best "$kernel")" -o "$kernel" --as "$forms"
}

cd "$WORK"
search gemm header,torch,kernels,ktuner gemm --for "$FOR" --workload 2048 --workload 512 --portfolio 2
wanted gemm && step explain-gemm . "$DARWARP" explain gemm.db
wanted portfolio && step export-portfolio . "$DARWARP" export gemm.db --portfolio 2 -o portfolio --as header,torch,kernels
search attention header,torch,kernels,cupy attention --for 8s --workload 2x8x512x64-causal --workload 2x8x515x64 \
    --gene mma=mma_sync --gene loader=cp_async --gene smem_layout=xor --gene exp2=true --gene memory=dynamic --gene producers=0 --gene grid=tile
search reduction header,torch,cupy reduction --for 5s --dtype fp16 --workload 64x1023 --workload 1x65536
search w4a16 header,torch,kernels gemm_w4a16 --for 5s --workload 4x64x512 --workload 16x6144x4096-g32
search packed header,torch,kernels gemm_w4a16 --for 5s --workload 4x64x512 --workload 16x6144x4096-g32 \
    --gene weights=packed --gene loader=registers
search mxfp4 header,torch,kernels gemm_mxfp4 --for 5s --workload 4x64x512 --workload 1x5760x2944
search e4m3 header,torch,kernels gemm_quantised --for 5s --workload 16x128x128 --workload 2048x14336x4096
search fp8 header,torch,kernels gemm_fp8 --for 5s --workload 2048x2048x512
search tma header,torch,kernels,cupy,ktuner gemm --for 8s --workload 2048 --workload 512 --gene cluster_m=1 --gene cluster_n=1
prove() {
    proofs "$1" "$1"
    [ ! -f "$1/cupy_example.py" ] || step "$1-cupy" "$1" python3 cupy_example.py
}
for kernel in $KERNELS; do
    prove $kernel &
    step $kernel-torch $kernel python3 torch_check.py &
    [ $kernel = reduction ] || hub $kernel $kernel &
done
wait
if wanted gemm && wanted portfolio; then step two-operators . python3 - <<'PY'
import importlib.util, torch

a, b = torch.randn(300, 512, device="cuda").half(), torch.randn(200, 512, device="cuda").half()
ops = []
for name in "gemm", "portfolio":  # in one process each keeps its own dispatcher
    spec = importlib.util.spec_from_file_location("op_" + name, name + "/torch_op.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    ops.append(module.gemm)
    for op in ops:
        torch.testing.assert_close(op(a, b).float(), a.float() @ b.float().T, rtol=2e-2, atol=2e-1)
PY
fi
wanted gemm && step gemm-ktuner gemm sh -c 'printf "#include \"kernel_tuner.h\"\nstatic_assert(block_size_x > 0, \"\");\n" >t.cu && nvcc -c -DTARGET_NVIDIA_H200 t.cu -o t.o'
cp ./*.db "$OUT"/ 2>/dev/null
rm -rf "$WORK"
! grep -q FAILED "$OUT/summary.txt"
