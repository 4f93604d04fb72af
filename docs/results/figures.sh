#!/usr/bin/env bash
# Measures the figures of docs/results/figures.md on the GPU of this machine.
#   docs/results/figures.sh DARWARP OUT      DARWARP: the built binary; OUT: an empty folder for runs and logs
# Takes about 9 minutes. Single searches with a fixed seed; gate seeds and arrival order differ
# from time to time, so the champions may.
set -uo pipefail
darwarp=$(realpath "$1") out=$(realpath "$2")
cd "$out"

say() { printf '\n== %s\n' "$*"; }
search() { # NAME WORKLOAD TIME [FLAGS]
  local name=$1 workload=$2 time=$3
  shift 3
  say "$name: darwarp search gemm --workload $workload --for $time --seed 1 $*"
  "$darwarp" search gemm --workload "$workload" --for "$time" --seed 1 --store "$name.db" --plain "$@" >"$name.txt" 2>&1
  grep -E 'verdicts per second|evaluations in|champion .*: ' "$name.txt"
  grep -A4 -E '^times' "$name.txt" | grep -v '^$'
}

say doctor
"$darwarp" doctor | head -12
search throughput 2048 3m
search m512 512 40s
search m1024 1024 40s
search m4096 4096 45s
search m8192 8192 75s
search bf16 4096 30s --dtype bf16
search control 2048 30s --strategy random
