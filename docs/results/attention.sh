#!/usr/bin/env bash
# Measures what docs/results/attention.md tells, on the GPU of this machine.
#   docs/results/attention.sh DARWARP OUT [PART ...]    DARWARP: the built binary; OUT: an empty folder for runs and logs
# Parts: gate, torch, targets, questions (default: these; about 4 minutes), beside (a minute and a half). torch needs python3 with torch. Each question is a
# search of a space that pins leave a few points of: all of them are gated and timed at the same shapes, in one session.
set -uo pipefail
here=$(dirname "$(realpath "$0")") darwarp=$(realpath "$1") out=$(realpath "$2")
shift 2
parts=${*:-gate torch targets questions}
cd "$out"

say() { printf '\n== %s\n' "$*"; }
# run NAME WORKLOADS FLAGS...: a search that is kept as NAME.db. WORKLOADS are separated by commas.
run() {
  local name=$1 workloads=$2 flags=()
  shift 2
  for w in ${workloads//,/ }; do flags+=(--workload "$w"); done
  say "$name: darwarp search attention ${flags[*]} $*"
  "$darwarp" search attention "${flags[@]}" --seed 1 --store "$name.db" --plain --no-baseline "$@" >"$name.txt" 2>&1 || tail -3 "$name.txt"
  grep -E 'verdicts per second|evaluations in' "$name.txt"
}
# pins GENE=VALUES ...: flags that pin genes.
pins() { for p in "$@"; do printf -- '--gene %s ' "$p"; done; }
table() { python3 "$here/attention/table.py" "$darwarp" "$@"; }

gate() {
  run gate_fp16 1x8x512x64 --strategy random --evals 400
  run gate_bf16 2x8x515x64,1x8x512x128 --strategy random --evals 110 --dtype bf16
  for g in gate_fp16 gate_bf16; do sed -n '/^  *outcome/,$p' $g.txt | head -8; done
}

torch() {
  say torch
  python3 "$here/attention/sdpa.py" 1x8x512x64 2x8x512x64 2x8x515x64 4x16x512x64 8x16x512x64 4x16x4096x64 4x16x4096x128 4x16x4096x128-causal
}

fast="mma=mma_sync loader=cp_async smem_layout=xor exp2=true"
targets() {
  run b1 1x8x512x64 --for 12s $(pins $fast split_kv=1)
  run b2 2x8x512x64 --for 12s $(pins $fast split_kv=1)
  run b4 4x16x512x64 --for 30s $(pins $fast split_kv=1 producers=0 kv_groups=1 block_q=64,128 min_blocks=1 grid=tile)
  run long 4x16x4096x128 --for 20s $(pins $fast split_kv=1 producers=0 block_q=128 warps=4 block_kv=32,48,64 memory=dynamic)
  for r in b1 b2 b4 long; do sed -n '/^champion/,/^times/p;/^  workload/,/^$/p' $r.txt; "$darwarp" top $r.db -n 5; done
}

# Torch's backends in turn with the winner, fp16 sums allowed.
beside() {
  run beside 4x16x512x64 --for 60s --seed 2 --no-baseline=false $(pins $fast split_kv=1 producers=0 kv_groups=1 grid=tile acc=fp32,fp16 o_acc=fp32,fp16)
  sed -n '/^times/,/^$/p' beside.txt
}

small=1x8x512x64,2x8x512x64,4x16x512x64,8x16x512x64
questions() {
  # 32x64 against 32x32 tiles: scores through shared memory as in the reports, and in registers.
  run tiles $small --evals 40 $(pins mma=wmma,mma_sync block_q=32 block_kv=32,64 warps=2 loader=cp_async stages=2 smem_layout=padded exp2=true \
    memory=dynamic,static kv_groups=1 split_kv=1 q=shared overlap=none min_blocks=1 l2_window=false)
  table tiles mma block_kv
  # 64x64 in dynamic shared memory against 32x32 in static: scalar loads, 16-byte loads, cp.async.
  run loads 1x8x512x64,4x16x512x64 --evals 60 $(pins mma=wmma,mma_sync block_q=32,64 block_kv=32,64 warps=2,4 loader=scalar,vec16,cp_async stages=1,2 \
    smem_layout=linear exp2=true kv_groups=1 split_kv=1 q=shared overlap=none min_blocks=1 l2_window=false)
  table loads mma loader stages block_q block_kv warps memory
  # A grid of so many blocks per multiprocessor against a block per tile.
  run cap $small --evals 40 $(pins $fast block_q=64 block_kv=64 warps=4 stages=2 kv_groups=1 split_kv=1 q=registers producers=0 overlap=none \
    rescale=always order=rows memory=dynamic min_blocks=1 l2_window=false)
  table cap grid grid_cap
  # Rows end to end, padded, swizzled.
  run layout 2x8x512x64,4x16x512x64,4x16x4096x128 --evals 40 $(pins mma=mma_sync loader=cp_async exp2=true smem_layout=linear,padded,xor block_q=64,128 block_kv=64 \
    warps=4 stages=2 kv_groups=1 split_kv=1 q=registers producers=0 overlap=none rescale=always grid=tile order=rows memory=dynamic min_blocks=1 l2_window=false)
  table layout block_q smem_layout
  # Sums of scores, and of O, in fp16.
  run halves 2x8x512x64,4x16x512x64,4x16x4096x64 --evals 40 $(pins $fast acc=fp32,fp16 o_acc=fp32,fp16 block_q=128 block_kv=64,128 warps=4 stages=2 \
    kv_groups=1 split_kv=1 q=shared producers=0 overlap=none rescale=always grid=tile order=rows memory=dynamic min_blocks=1 l2_window=false)
  table halves block_kv acc o_acc
  # K and V kept in L2, with inputs that are there already, and with inputs that are not.
  for cache in hot cold; do
    run window_$cache $small,4x16x4096x128 --cache $cache --evals 40 $(pins $fast block_q=64,128 block_kv=64 warps=4 stages=2 kv_groups=1 split_kv=1 q=registers \
      producers=0 overlap=none rescale=always grid=tile order=rows memory=dynamic min_blocks=1)
    table window_$cache block_q l2_window
  done
}

for p in $parts; do $p; done
