#!/usr/bin/env bash
# Searches once in one process over N GPUs of this host, and once through a fleet: N workers of one GPU each, joined over loopback with TLS.
#   docs/results/fleet.sh DARWARP OUT [SECONDS] [COUNTS]
# DARWARP is the built binary, OUT a folder for runs and logs, SECONDS the time of one search (30), COUNTS how many GPUs ("1 2 4", as far as
# they are there). ROUNDS=2 has each kind of search twice, in turn. What has been measured there is not measured again. A search begins with
# an empty cache, and either kind of a round has the same seed, and as many compilers for each GPU. PROBLEM and WORKLOAD choose what is
# searched (gemm, 2048), and STRATEGY how: with random both kinds judge the same candidates, so that the ratio is of what a fleet costs and not
# of what a search has found. DEVICE=cpu runs it on the processor, where N processes share it: a dry run, whose ratios mean nothing.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd) darwarp=$(realpath "$1") seconds=${3:-30} device=${DEVICE:-cuda} rounds=${ROUNDS:-1}
if [[ $device == cpu ]]; then have=2; else have=$(nvidia-smi -L | wc -l); fi
mkdir -p "$2" && cd "$2" || exit 2

search() { # NAME SEED FLAGS...: a search with an empty cache; NAME.json are its events, once it has ended
  local name=$1 what=("$darwarp" search "${PROBLEM:-gemm}" --workload "${WORKLOAD:-2048}" --device "$device" --seed "$2" --for "${seconds}s"
    --strategy "${STRATEGY:-default}")
  rm -rf "$name".{db,db.fleet,cache}
  XDG_CACHE_HOME=$PWD/$name.cache timeout $((3 * seconds + 120)) "${what[@]}" --store "$name.db" --json --gate-test=false --no-baseline "${@:3}" \
    >"$name.part" 2>"$name.txt"
  local rc=$?
  rm -rf "$name.cache"
  if ((rc == 0)); then mv "$name.part" "$name.json"; else echo "$name: exit $rc: $(tail -1 "$name.txt")" >&2; fi
}

gpus() { [[ $device == cpu ]] || echo "--gpus $1"; }

joined() { # NAME N JOBS: N workers, as soon as the search has an address
  local i at=$1.db.fleet/address
  for ((i = 0; i < 600; i++)); do [[ -s $at ]] && break || sleep 0.1; done
  for ((i = 0; i < $2; i++)); do
    # shellcheck disable=SC2046
    XDG_CACHE_HOME=$PWD/$1.cache timeout $((3 * seconds + 120)) "$darwarp" join "$(cat "$at")" --token-file "$1.db.fleet/token" --name "gpu$i" \
      --jobs "$3" $(gpus "$i") >"$1.join$i.txt" 2>&1 &
  done
  wait
}

one() { # KIND N ROUND
  local name=$1-$2-$3 jobs=$(($(nproc) / $2))
  [[ ! -e $name.json ]] || return 0
  ((jobs > 0)) || jobs=1
  if [[ $1 == alone ]]; then
    # shellcheck disable=SC2046
    search "$name" "$3" --jobs $((jobs * $2)) $(gpus "$(seq -s, 0 $(($2 - 1)))")
  else
    rm -f "$name.db.fleet/address"
    joined "$name" "$2" "$jobs" &
    search "$name" "$3" --fleet 127.0.0.1:0
    wait
  fi
}

for n in ${4:-1 2 4}; do
  for ((round = 1; round <= rounds && n <= have; round++)); do
    if ((round % 2)); then one alone "$n" "$round" && one fleet "$n" "$round"; else one fleet "$n" "$round" && one alone "$n" "$round"; fi
  done
done
python3 "$here/fleet.py" . "$seconds"
