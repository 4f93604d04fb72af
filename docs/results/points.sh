#!/usr/bin/env bash
# Gates and times random points of every built-in family on the GPUs of this machine, and names those that are not right.
#   docs/results/points.sh DARWARP OUT [POINTS [GPUS [SEED]]]
# DARWARP is the built binary, OUT a folder for a JSON file and a log per row, POINTS how many random points a row has (640: 22,400 in
# all), GPUS how many GPUs there are for it (all). A row is a problem, an element type and a size; ROWS="PROBLEM:DTYPE:WORKLOAD ..."
# chooses others. SHARE=2 has two rows at once on each GPU, one compiling or reading while the other computes: their times mean
# nothing then, and what is suspect for its time has to be tried again alone. LIMIT (10m) ends a row, DEVICE=cpu runs them on the
# processor, FLAGS="--races" goes to all. What failed is evaluated again with the flags that its line ends with.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd) darwarp=$(realpath "$1")
points=${3:-640} gpus=${4:-$(nvidia-smi -L 2>/dev/null | grep -c ^GPU)} seed=${5:-1}
((gpus > 0)) || gpus=1
mkdir -p "$2" && cd "$2" || exit 2

rows=${ROWS:-
  gemm:fp16:512 gemm:bf16:1024 gemm:fp16:2048 gemm:bf16:m=16,n=4096,k=4096 gemm:fp16:m=64,n=512,k=8192
  gemm_nn:bf16:batch=2,m=256,n=512,k=384 gemm_tn:fp16:batch=2,m=256,n=512,k=384 gemm_tt:bf16:batch=2,m=256,n=512,k=384
  gemm_batched:fp16:32x512x512x64 linear_gelu:bf16:16x4096x4096 gemm_accumulate:fp16:m=512,n=1024,k=1024
  gemm_quantised:bf16:m=512,n=1024,k=1024 swiglu:bf16:m=128,n=1024,k=1024
  gemm_fp8:bf16:2048x2048x512 gemm_fp8:fp16:blocks-2048x2048x512 gemm_fp8:bf16:rows-16x4096x14336
  gemm_w4a16:fp16:16x6144x4096-g32 gemm_mxfp4:bf16:1x5760x2944
  gemm_grouped:bf16:256x16x1024x2048-skewed gemm_grouped_fp8:bf16:256x16x1024x2048-skewed
  attention:fp16:2x8x512x64 attention:bf16:2x8x512x64-causal attention:fp16:1x8x512x128 attention_backward:fp16:2x8x512x64
  decode:fp16:1x4k decode_fp8:bf16:1x4k decode_mla:bf16:1x4k prefill:fp16:1x4k
  softmax:fp16:8192x1024 rmsnorm:bf16:64x1024 layernorm:fp32:64x257 layernorm:fp16:8192x1024
  transpose:fp16:256x192 reduction:fp16:1x65536 bias_gelu_residual:fp32:64x512}

# one PROBLEM:DTYPE:WORKLOAD, on the GPU that no other row has
one() {
  local problem dtype workload
  IFS=: read -r problem dtype workload <<<"$1"
  CUDA_VISIBLE_DEVICES=$((SLOT % gpus)) "$darwarp" bench throughput "$problem" --device "${DEVICE:-cuda}" --dtype "$dtype" --workload "$workload" \
    --points "$points" --for "${LIMIT:-10m}" --seed "$seed" --jobs "$jobs" --json ${FLAGS:-} >"${1//:/-}.json" 2>"${1//:/-}.log" ||
    echo "$1: $(tail -1 "${1//:/-}.log")" >&2
}
export -f one
at_once=$((gpus * ${SHARE:-1}))
export darwarp points seed gpus jobs=$((($(nproc) + at_once - 1) / at_once))
printf '%s\n' $rows | xargs -P "$at_once" --process-slot-var=SLOT -I{} bash -c 'one {}'
python3 "$here/points.py" ./*.json
