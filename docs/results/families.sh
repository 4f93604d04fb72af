#!/usr/bin/env bash
# Compares a search over all of attention's families with a search of each alone, at equal total time, on the GPU of this machine.
#   docs/results/families.sh DARWARP OUT SECONDS [SHAPE...]
# DARWARP is the built binary, OUT an empty folder for runs and logs. Each of the two families has SECONDS, and the search over both twice as
# many; a shape takes four times SECONDS, and three openings of some 8 s. SHAPEs are workloads (default: six).
set -uo pipefail
darwarp=$(realpath "$1") seconds=$3
mkdir -p "$2" && cd "$2"
shift 3
(($# > 0)) || set -- 1x8x512x64 2x8x512x64 8x16x512x64 4x16x4096x64 4x16x4096x128 4x16x4096x128-causal

# least NAME WORKLOAD SECONDS [--gene GENE=VALUES]: the least time of a search's candidates that are right, in microseconds.
least() {
  rm -rf "$1.cache" # of its own and empty: what one search has compiled is no help to another
  XDG_CACHE_HOME=$PWD/$1.cache "$darwarp" search attention --device cuda --workload "$2" --for "$3s" --seed 1 --store "$1.db" --plain --gate-test=false \
    --no-baseline "${@:4}" >"$1.txt" 2>&1
  rm -rf "$1.cache"
  "$darwarp" top "$1.db" -n 1 --json | python3 -c 'import json, sys
best = json.load(sys.stdin)[0]["result"]["times"]
print("%.3f" % (best[0]["median"] / 1e3))'
}

printf '%-24s %10s %10s %10s  %s\n' shape all flash hopper 'all / better one'
for w in "$@"; do
  # a gene that only one family has leaves out the other
  flash=$(least "flash-$w" "$w" "$seconds" --gene mma=fma,wmma,mma_sync)
  hopper=$(least "hopper-$w" "$w" "$seconds" --gene consumers=1,2,3)
  all=$(least "all-$w" "$w" $((2 * seconds)))
  awk -v w="$w" -v a="$all" -v f="$flash" -v h="$hopper" \
    'BEGIN { printf "%-24s %10s %10s %10s  %.3f\n", w, a, f, h, a / (f < h ? f : h) }'
done
