#!/usr/bin/env bash
# Measures the figures of docs/results/memory-bound.md on the GPU of this machine: gates a sample of each family's space, times torch
# where python3 has it, and searches each problem over its shapes.
#   docs/results/memory-bound.sh DARWARP OUT [SECONDS] [POINTS]
# DARWARP is the built binary, OUT a folder for runs and logs, SECONDS the time of one search (120), POINTS how many points of
# each family are gated (500). ONLY="gate torch search" chooses parts, ROWS the problems that are searched over their four shapes,
# OTHERS="PROBLEM:DTYPE:WORKLOAD ..." searches at one shape for a third of the time; PINS="--gene vector=8 ..." goes to all.
# BESIDE=1 times torch in turn with each winner, in the same way: the ratios to quote. DEVICE=cpu tries the script without a GPU.
set -uo pipefail
darwarp=$(realpath "$1") seconds=${3:-120} points=${4:-500}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2" && cd "$2"
only=${ONLY:-gate torch search}
problems="softmax rmsnorm layernorm transpose reduction bias_gelu_residual"
torch() { python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; }

# gate PROBLEM WORKLOAD: a third of the points in each element type. All at once: nobody looks at these times.
gate() {
  for dtype in fp16 bf16 fp32; do
    "$darwarp" bench record "$1" --device "${DEVICE:-cuda}" --dtype $dtype --workload "$2" --points $(((points + 2) / 3)) --jobs 3 \
      --seed 3 --out "gate-$1-$dtype.json.gz" >"gate-$1-$dtype.txt" 2>&1
  done
  echo "gate $1: $(for dtype in fp16 bf16 fp32; do grep -oE '[0-9]+/[0-9]+ evals.*failed|has .*' "gate-$1-$dtype.txt" | tail -2 | tr '\n' ' '; done)"
}

# best RUN: for each shape the best candidate of a run.
best() {
  "$darwarp" top "$1" -n 100000 --json 2>/dev/null | python3 -c '
import json, sys
found = {}
for c in json.load(sys.stdin):
    for t in (c.get("result") or c).get("times") or []:
        if t["workload"] not in found or t["median"] < found[t["workload"]][0]["median"]:
            found[t["workload"]] = t, c
for name, (t, c) in found.items():
    genes = " ".join(f"{k}={v}" for k, v in c["variant"]["genes"].items())
    print("best %s %s: %.2f us [%.2f, %.2f] %s" % (sys.argv[1], name, t["median"] / 1e3, t["lo"] / 1e3, t["hi"] / 1e3, genes))' "$1"
}

# search PROBLEM DTYPE SECONDS WORKLOADS [FLAGS]
search() {
  local name=$1 dtype=$2 time=$3 as="$1-$2-${4// /-}" sizes=() baseline=(--no-baseline)
  [[ -z ${BESIDE:-} ]] || baseline=()
  for w in $4; do sizes+=(--workload "$w"); done
  shift 4
  "$darwarp" search "$name" --device "${DEVICE:-cuda}" --dtype "$dtype" "${sizes[@]}" --for "${time}s" --seed 1 "${baseline[@]}" --store "$as.db" --plain "$@" \
    >"$as.txt" 2>&1
  echo "search $as: $(grep -oE '[0-9,]+ evaluations in [0-9a-z.]*' "$as.txt" | tail -1)"
  best "$as.db"
  [[ -z ${BESIDE:-} ]] || sed -n '/^times/,/^$/p' "$as.txt"
}

if [[ $only == *torch* ]] && torch; then
  python3 "$here/memory-bound.py" --warm >torch-warm.txt 2>&1 & # torch.compile fills its cache while others use the GPU
fi
if [[ $only == *gate* ]]; then
  for p in $problems; do
    case $p in transpose) w=rows=200,cols=328 ;; reduction) w=rows=3,cols=100000 ;; *) w=rows=40,cols=1032 ;; esac
    gate "$p" "$w" &
  done
fi
wait
if [[ $only == *torch* ]]; then
  if torch; then python3 "$here/memory-bound.py" | tee torch.txt; else echo "torch: not here"; fi
fi
if [[ $only == *search* ]]; then
  for p in ${ROWS-softmax rmsnorm layernorm}; do
    search "$p" fp16 "$seconds" "8192x1024 4096x4096 16384x8192 2048x32768" ${PINS:-}
  done
  for t in ${OTHERS:-transpose:fp16:16384x16384 reduction:fp32:1x268435456 bias_gelu_residual:fp16:16384x8192}; do
    IFS=: read -r p dtype w <<<"$t"
    search "$p" "$dtype" $((seconds / 3)) "$w" ${PINS:-}
  done
fi
