#!/usr/bin/env bash
# Measures the strategies against each other on the GPU of this machine: the last table of docs/manual/search.md.
#   docs/results/search.sh DARWARP OUT [SECONDS [SEEDS]]    DARWARP: the built binary; OUT: an empty folder for events and the table
# Every strategy gets the same seconds on the same workloads with seeds 1 to SEEDS, in turn, so that a machine that gets
# slower does so for all, and with a compile cache of its own, so that none finds what another has compiled.
set -uo pipefail
here=$(dirname "$(realpath "$0")") darwarp=$(realpath "$1") out=$(realpath "$2")
seconds=${3:-12} seeds=${4:-5}
cd "$out"

run() {
  local problem=$1 workload=$2 strategy=$3 seed=$4 cache name=$1-$3-$4
  cache=$(mktemp -d)
  XDG_CACHE_HOME=$cache "$darwarp" search "$problem" --workload "$workload" --strategy "$strategy" --seed "$seed" --for "${seconds}s" \
    --no-baseline --json --store "$cache/run.db" >"$name.jsonl" 2>"$name.log" || tail -3 "$name.log"
  rm -rf "$cache"
}

for seed in $(seq "$seeds"); do
  for strategy in default evolve random; do
    run gemm 2048 "$strategy" "$seed"
    run attention 4x16x512x64 "$strategy" "$seed"
  done
  python3 "$here/search/table.py" "$seconds" >table.txt
done
cat table.txt

# What the screen costs where several shapes count: every point timed in full, then the rule replayed.
"$darwarp" bench record gemm --workload 512 --workload 1024 --workload 4096 --points 500 --seed 1 --out shapes.json.gz >record.log 2>&1 || tail -3 record.log
python3 "$here/search/screen.py" shapes.json.gz
