#!/usr/bin/env bash
# Measures how many verdicts a second a search gives, and random points of all families, on the GPUs of this machine.
#   docs/results/rates.sh DARWARP OUT [SECONDS]
# DARWARP is the built binary, OUT a folder for logs, SECONDS the time of one search, and of one draw of points (20). A row is a problem, an
# element type and a size; ROWS="PROBLEM:DTYPE:WORKLOAD ..." chooses others. Each search has a compile cache of its own, which is
# empty. There are as many at once as GPUs (GPUS, or else all), each with its share of the cores. What has been measured there is not
# measured again; LIMIT=540 begins none that might not end within so many seconds; DEVICE=cpu tries it on the processor; FLAGS goes to all.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd) darwarp=$(realpath "$1") seconds=${3:-20}
mkdir -p "$2" && cd "$2" || exit 2
. "$here/each.sh"

rows=${ROWS:-
  gemm:fp16:512 gemm:fp16:1024 gemm:fp16:2048 gemm:fp16:4096 gemm:fp16:8192 attention:fp16:8x16x512x64 attention:fp16:4x16x4096x128
  softmax:fp16:16384x8192 layernorm:fp16:16384x8192 transpose:fp16:16384x16384}

# PROBLEM:DTYPE:WORKLOAD:search or :points: PROBLEM-DTYPE-WORKLOAD-search.json or -points.json, which is there when it is whole
one() {
  local problem dtype workload what cache name=${1//:/-} run
  IFS=: read -r problem dtype workload what <<<"$1"
  [[ ! -e $name.json ]] || return 0
  cache=$(mktemp -d) run=(bench throughput)
  [[ $what != search ]] || run=(search --no-baseline --store "$cache/run.db")
  XDG_CACHE_HOME=$cache "$darwarp" "${run[@]}" "$problem" --device "${DEVICE:-cuda}" --dtype "$dtype" --workload "$workload" --seed 1 \
    --for "${seconds}s" --jobs "$jobs" --json ${FLAGS:-} >"$name.part" 2>"$name.log" &&
    mv "$name.part" "$name.json" || echo "$name: $(tail -1 "$name.log")" >&2
  rm -rf "$cache"
}
export -f one
export darwarp seconds

trap 'exit 130' INT # searches that are interrupted save and end in order: no other is to begin
for row in $rows; do printf '%s\n' "$row:search" "$row:points"; done | each one $((seconds + 40)) # with opening and the last trial
python3 "$here/rates.py" "$seconds" $rows
