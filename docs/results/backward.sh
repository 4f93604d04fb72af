#!/usr/bin/env bash
# Times attention's gradients and packed attention beside torch's kernels, on the GPU of this machine.
#   docs/results/backward.sh DARWARP OUT [SECONDS] [NAME...]
# DARWARP is the built binary, OUT a folder for runs and logs, SECONDS the time of one search (20), NAMEs those to run (all). First
# random points of the family in one pass, which must all be right; then searches of spaces that pins leave some 10 to 40 points of,
# whose winners are compared with the baselines in turn; last a search of everything.
set -uo pipefail
darwarp=$(realpath "$1") seconds=${3:-20}
names=" ${*:4} "
mkdir -p "$2" && cd "$2"

wanted() { [[ $names == "  " || $names == *" $1 "* ]]; }
pins() { for p in "$@"; do printf -- '--gene %s ' "$p"; done; }

# points NAME WORKLOAD N GENE=VALUES...: random points of attention_backward, and those that are not right.
points() {
  wanted "$1" || return 0
  printf '\n== %s\n' "$1"
  # shellcheck disable=SC2046
  "$darwarp" bench throughput attention_backward --device cuda --workload "$2" --points "$3" $(pins "${@:4}") | tee "$1.txt"
}

# compare NAME PROBLEM WORKLOAD GENE=VALUES...: the best points, and the winner beside the baselines.
compare() {
  wanted "$1" || return 0
  # shellcheck disable=SC2046
  "$darwarp" search "$2" --device cuda --workload "$3" --for "${seconds}s" --seed 1 --store "$1.db" --plain --gate-test=false \
    $(pins "${@:4}") >"$1.txt" 2>&1 || tail -3 "$1.txt"
  printf '\n== %s: %s\n' "$1" "$(grep -oE '^[a-z]+ after [0-9,]+ evaluations in [0-9a-z.]*' "$1.txt")"
  "$darwarp" top "$1.db" -n 12
  sed -n '/^times/,/^$/p' "$1.txt"
}

onepass="exchanges=1,2 stages=2 min_blocks=1"
points right64 2x8x515x64-causal 60 exchanges=1,2
points right128 4x16x512x128 60 exchanges=1,2
compare full attention_backward 4x16x4096x128 $onepass consumers=2 step=64,80 order=rows adds=free
compare causal attention_backward 4x16x4096x128-causal $onepass consumers=2 step=64,80 order=rows,heads dv=last adds=free
compare d64 attention_backward 4x16x4096x64 exchanges=1,2 stages=2 step=64,80,96,128 order=rows dv=last adds=free
compare ordered attention_backward 4x16x4096x128 $onepass consumers=2 step=64,80 order=rows adds=ordered
compare two attention_backward 4x16x4096x128 keys_consumers=2 queries_consumers=2,3 keys_step=64 stages=2 early=true order=rows
packed="consumers=2,3 block_kv=128,176 stages=2 exp_fma=0 rescale=exponents turns=true cluster=1 grid=queue order=heads,longest store=chunks min_blocks=1"
compare grouped prefill 4x4k $packed
compare equal prefill 4x4k-equal $packed
compare all attention_backward 4x16x4096x128
