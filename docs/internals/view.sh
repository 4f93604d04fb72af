#!/usr/bin/env bash
# Draws the screen of `darwarp watch RUN` as a picture: docs/internals/view.sh RUN OUT.svg [COLUMNSxROWS [KEYS [light|dark]]]
# The picture in the manual is of a search that every machine makes again, of a recording:
#   darwarp search gemm --device replay --evals 300 --seed 7 --store gemm.db
#   docs/internals/view.sh gemm.db docs/manual/view.svg 150x44 'j j l'
# KEYS are pressed first, with blanks between them.
set -euo pipefail
run=$(realpath "$1") out=$(realpath "$2") size=${3:-150x44} keys=${4:-} back=${5:-dark}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
go test -C "$(dirname "$0")/../.." -c -o "$scratch/view" ./cmd/darwarp/internal/tui
cd "$(dirname "$run")" # the screen names the run as it is opened
DARWARP_PICTURE="$out" DARWARP_PICTURE_RUN="$(basename "$run")" DARWARP_PICTURE_SIZE=$size DARWARP_PICTURE_KEYS=$keys DARWARP_PICTURE_BACK=$back \
  "$scratch/view" -test.run '^TestPicture$' -test.count 1
