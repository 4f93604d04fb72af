#!/usr/bin/env bash
# Searches at each line of lists of workloads, compares each winner with the problem's baselines in turn, and prints a table.
#   docs/results/shapes.sh DARWARP OUT [SECONDS [LIST...]]
# DARWARP is the built binary, OUT a folder for runs and logs, SECONDS the time of one search (60), a LIST has a PROBLEM:DTYPE:WORKLOAD
# in each line and what is to be said of it (shapes.txt beside this file; products.txt, decode.txt and attention.txt are others).
# There are as many searches at once as GPUs (GPUS, or else all), each with its share of the cores. What has been measured there is not
# measured again: a script that was stopped goes on where it was, an unfinished search, too. LIMIT=540 begins no search that might
# not end within so many seconds; ONLY=PATTERN takes the lines with this extended regular expression; DEVICE=cpu tries it on the
# processor; FLAGS="--gate-test=false" goes to all searches. What only some problems have, as a baseline, stands in their lines: words
# that begin with --, as in `decode:fp16:1x4k --baseline=sdpa-cudnn`, go to that line's search.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd) darwarp=$(realpath "$1") seconds=${3:-60}
(($# > 3)) || set -- "$1" "$2" "$seconds" "$here/shapes.txt"
lists=$(realpath "${@:4}")
mkdir -p "$2" && cd "$2" || exit 2
. "$here/each.sh"

# PROBLEM:DTYPE:WORKLOAD ...: PROBLEM-DTYPE-WORKLOAD.json, which is there when all of it is
one() {
  local row=${1%%[[:blank:]]*} problem dtype workload name how word
  IFS=: read -r problem dtype workload <<<"$row"
  name=${row//:/-} how=("$problem" --device "${DEVICE:-cuda}" --dtype "$dtype" --workload "$workload" --seed 1 --store "$name.db")
  [[ ! -e $name.json ]] || return 0
  [[ ! -e $name.db ]] || how=(--resume "$name.db")
  for word in ${1#"$row"}; do
    [[ $word != --* ]] || how+=("$word")
  done
  "$darwarp" search "${how[@]}" --for "${seconds}s" --jobs "$jobs" --plain ${FLAGS:-} >"$name.txt" 2>&1
  case $?-${how[0]} in
    0-*) "$darwarp" show "$name.db" --json >"$name.part" && mv "$name.part" "$name.json" ;;
    2---resume) mv "$name.db" "$name.old" && one "$1" ;; # stopped while it was opened, or after its last second
    *) echo "$name: $(tail -1 "$name.txt")" >&2 ;;
  esac
}
export -f one
export darwarp seconds

trap 'exit 130' INT # searches that are interrupted save and end in order: no other is to begin
cat $lists | grep -v '^ *\(#\|$\)' | grep -E "${ONLY:-.}" | each one $((seconds + 45)) # with opening, the last trial and the baselines
python3 "$here/shapes.py" $lists
