#!/usr/bin/env bash
# Equal minutes: the default strategy against evolution and chance, on six workloads of four problems.
#   docs/results/contest.sh DARWARP OUT [SECONDS [SEEDS [LIMIT]]]     DARWARP: the built binary; OUT: a folder for events and the table
# It can be run in slices: it begins no search that could not end within LIMIT seconds (0: there is no limit), and one that has ended is
# not run again. All of it takes an hour and three quarters, with 60 s and five seeds. PART=0/2 and PART=1/2 are halves, for two GPUs, of
# which GPUS is the one to use. ARGS are added to every search, LOADS replaces the workloads (PROBLEM:WORKLOAD ...).
# A strategy gets a compile cache of its own, so that none finds what another has compiled, and they take turns, seed by seed.
set -uo pipefail
here=$(dirname "$(realpath "$0")") darwarp=$(realpath "$1")
seconds=${3:-60} seeds=${4:-5} limit=${5:-0} part=${PART:-0/1}
loads=${LOADS:-gemm:2048 gemm:8192 attention:8x16x512x64 attention:4x16x4096x128 decode:16x32k softmax:8192x1024}
mkdir -p "$2" && cd "$2"

search() { # NAME PROBLEM WORKLOAD STRATEGY SEED
  local work
  work=$(mktemp -d)
  # shellcheck disable=SC2086
  if XDG_CACHE_HOME=$work "$darwarp" search "$2" --workload "$3" --strategy "$4" --seed "$5" --for "${seconds}s" --no-baseline --json \
    ${GPUS:+--gpus "$GPUS"} ${ARGS:-} --store "$work/run.db" >"$work/events" 2>"$1.log"; then
    mv "$work/events" "$1.jsonl" # it is there when it is whole
  else
    echo "$1 failed:" && tail -3 "$1.log"
  fi
  rm -rf "$work"
}

number=0
for seed in $(seq "$seeds"); do
  for load in $loads; do
    for strategy in default evolve random; do
      name=${load/:/-}-$strategy-$seed
      if ((number++ % ${part#*/} != ${part%/*})) || [ -e "$name.jsonl" ]; then continue; fi
      # Opening a device and ending a search take up to half a minute.
      if ((limit && SECONDS + seconds + 30 > limit)); then break 3; fi
      search "$name" "${load%%:*}" "${load#*:}" "$strategy" "$seed"
    done
  done
done
python3 "$here/search/table.py" "$seconds" >table.txt
cat table.txt
