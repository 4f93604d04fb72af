#!/usr/bin/env bash
# Measures the figures of docs/results/hopper.md on the GPU of this machine: searches of gemm and attention with all of their families, and
# cuBLASLt and torch's backends in turn with each winner.
#   docs/results/hopper.sh DARWARP OUT [SECONDS]
# DARWARP is the built binary, OUT a folder for runs and logs, SECONDS the time of one search (25). GEMM and ATTENTION choose
# workloads ("512 2048:bf16"), PINS="--gene consumers=2 ..." goes to all.
set -uo pipefail
darwarp=$(realpath "$1") seconds=${3:-25}
mkdir -p "$2" && cd "$2"

# search PROBLEM WORKLOAD[:DTYPE]
search() {
  local workload=${2%:*} dtype=fp16 name="$1-${2/:/-}"
  [[ $2 == *:* ]] && dtype=${2#*:}
  "$darwarp" search "$1" --device cuda --dtype "$dtype" --workload "$workload" --for "${seconds}s" --seed 1 --store "$name.db" --plain ${PINS:-} >"$name.txt" 2>&1
  printf '\n== %s: %s\n' "$name" "$(grep -oE '^[a-z]+ after [0-9,]+ evaluations in [0-9a-z.]*' "$name.txt")"
  grep -oE '[0-9.]+ verdicts per second, device busy [0-9.]+%' "$name.txt"
  sed -n '/^compute-sanitizer/p;/^times/,/^$/p' "$name.txt"
  "$darwarp" top "$name.db" -n 3
}

for w in ${GEMM-512 1024 2048 4096 8192 4096:bf16}; do search gemm "$w"; done
for w in ${ATTENTION-1x8x512x64 2x8x512x64 4x16x512x64 4x16x4096x64 4x16x4096x128 4x16x4096x128-causal 1x16x16384x128-causal}; do search attention "$w"; done
