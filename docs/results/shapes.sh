#!/usr/bin/env bash
# Searches gemm at each shape of a list, on the GPU of this machine, compares each winner with cuBLASLt and torch in turn, and prints a table.
#   docs/results/shapes.sh DARWARP OUT [SECONDS]
# DARWARP is the built binary, OUT a folder for runs and logs, SECONDS the time of one search (60). What has been measured there is not
# measured again: a script that was stopped goes on where it was, an unfinished search, too.
# SHAPES is the list (shapes.txt beside this file), DTYPE the element type (fp16), DEVICE=cpu runs it on the processor, FLAGS="--jobs 4"
# goes to all searches.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd) darwarp=$(realpath "$1") seconds=${3:-60} dtype=${DTYPE:-fp16}
shapes=$(realpath "${SHAPES:-$here/shapes.txt}")
mkdir -p "$2" && cd "$2" || exit 2

trap 'exit 130' INT # a search that is interrupted saves and ends in order: the next is not to begin

# one M N K: NAME.json, which is there when all of it is
one() {
  local name=$1x$2x$3-$dtype new=(gemm --device "${DEVICE:-cuda}" --dtype "$dtype" --workload "m=$1,n=$2,k=$3" --seed 1 --store "$1x$2x$3-$dtype.db")
  [[ ! -e $name.json ]] || return 0
  [[ ! -e $name.db ]] || new=(--resume "$name.db")
  "$darwarp" search "${new[@]}" --for "${seconds}s" --plain ${FLAGS:-} >"$name.txt" 2>&1 &&
    "$darwarp" show "$name.db" --json >"$name.part" && mv "$name.part" "$name.json" || echo "$name: $(tail -1 "$name.txt")" >&2
}

while read -r m n k _; do
  [[ $m == "#"* || -z $m ]] || one "$m" "$n" "$k" </dev/null
done <"$shapes"
python3 "$here/shapes.py" "$shapes" "$dtype"
