#!/usr/bin/env bash
# Gates and times random points of every built-in family on the GPUs of this machine, and names those that are not right.
#   docs/results/points.sh DARWARP OUT [POINTS [GPUS [SEED]]]
# DARWARP is the built binary, OUT a folder for a JSON file and a log per row, POINTS how many random points a row has (640: 20,480 in
# all), GPUS how many rows run at once, each on a GPU of its own (as many as there are). A row is a problem, an element type
# and a size; ROWS="PROBLEM:DTYPE:WORKLOAD ..." chooses others, LIMIT (10m) ends a row, DEVICE=cpu runs them on the processor,
# FLAGS="--races" goes to all. What failed is evaluated again with the flags that its line ends with.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd) darwarp=$(realpath "$1")
points=${3:-640} gpus=${4:-$(nvidia-smi -L 2>/dev/null | grep -c ^GPU)} seed=${5:-1}
((gpus > 0)) || gpus=1
mkdir -p "$2" && cd "$2" || exit 2

rows=${ROWS:-
  gemm:fp16:512 gemm:fp16:1024 gemm:fp16:2048 gemm:fp16:4096x4096x1024 gemm:bf16:512 gemm:bf16:2048 gemm:bf16:16x8192x8192
  attention:fp16:8x16x512x64 attention:fp16:2x8x515x64 attention:fp16:2x8x512x64-causal attention:fp16:1x8x512x128
  attention:bf16:8x16x512x64 attention:bf16:2x8x512x64-causal attention:bf16:4x16x512x128
  softmax:fp16:8192x1024 softmax:bf16:64x257 softmax:fp32:512x50257 rmsnorm:fp16:8192x1024 rmsnorm:bf16:64x257 rmsnorm:fp32:512x50257
  layernorm:fp16:8192x1024 layernorm:bf16:64x257 layernorm:fp32:512x50257
  transpose:fp16:4096x4096 transpose:bf16:1000x50257 transpose:fp32:256x192 reduction:fp32:16384x8192 reduction:fp16:1x65536 reduction:bf16:262144x257
  bias_gelu_residual:fp16:4096x4096 bias_gelu_residual:bf16:64x512 bias_gelu_residual:fp32:2048x11008}

# one PROBLEM:DTYPE:WORKLOAD, on the GPU that no other row has
one() {
  local problem dtype workload
  IFS=: read -r problem dtype workload <<<"$1"
  CUDA_VISIBLE_DEVICES=$SLOT "$darwarp" bench throughput "$problem" --device "${DEVICE:-cuda}" --dtype "$dtype" --workload "$workload" \
    --points "$points" --for "${LIMIT:-10m}" --seed "$seed" --jobs "$jobs" --json ${FLAGS:-} >"${1//:/-}.json" 2>"${1//:/-}.log" ||
    echo "$1: $(tail -1 "${1//:/-}.log")" >&2
}
export -f one
export darwarp points seed jobs=$((($(nproc) + gpus - 1) / gpus))
printf '%s\n' $rows | xargs -P "$gpus" --process-slot-var=SLOT -I{} bash -c 'one {}'
python3 "$here/points.py" ./*.json
