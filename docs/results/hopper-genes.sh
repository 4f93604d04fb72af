#!/usr/bin/env bash
# Compares genes of the families for Hopper on the GPU of this machine: searches of spaces that pins leave 10 to 80 points of,
# which are all gated and timed at one size in one session.
#   docs/results/hopper-genes.sh DARWARP OUT [SECONDS] [NAME...]
# DARWARP is the built binary, OUT a folder for runs and logs, SECONDS the time of one search (15), NAMEs those to run (all).
set -uo pipefail
darwarp=$(realpath "$1") seconds=${3:-15}
names=" ${*:4} "
mkdir -p "$2" && cd "$2"

# compare NAME PROBLEM WORKLOAD GENE=VALUES...
compare() {
  local name=$1 problem=$2 workload=$3 flags=()
  [[ $names == "  " || $names == *" $name "* ]] || return 0
  shift 3
  for pin in "$@"; do flags+=(--gene "$pin"); done
  "$darwarp" search "$problem" --device cuda --workload "$workload" --for "${seconds}s" --seed 1 --store "$name.db" --plain \
    --no-baseline --gate-test=false "${flags[@]}" >"$name.txt" 2>&1 || tail -3 "$name.txt"
  printf '\n== %s: %s\n' "$name" "$(grep -oE '^[a-z]+ after [0-9,]+ evaluations in [0-9a-z.]*' "$name.txt")"
  "$darwarp" top "$name.db" -n 80
}

late="overlap=next_qk stages=2 exp_fma=0 min_blocks=1"  # exponentials beside products
rows="grid=persistent order=rows"

compare two attention 4x16x4096x128 consumers=2 block_kv=176,192 $late $rows rescale=lazy,exponents turns=false,true cluster=1,2 store=pairs,chunks
compare three attention 4x16x4096x128 consumers=3 block_kv=128 overlap=none stages=1,2 exp_fma=0 $rows rescale=lazy,exponents turns=false,true cluster=1,2 store=chunks
compare narrow attention 4x16x4096x128 consumers=2 block_kv=176,192 narrow=0,64 $late $rows rescale=exponents turns=true cluster=1,2 store=chunks
compare narrow8k attention 2x16x8192x128 consumers=2 block_kv=128,176 narrow=0,96 $late $rows rescale=exponents turns=true cluster=1,2 store=chunks
compare causal attention 4x16x4096x128-causal consumers=2 block_kv=128,176 $late rescale=exponents turns=true cluster=1 \
  grid=tile,persistent,queue order=longest heads_at_once=0,8,16 store=chunks
compare d64 attention 4x16x4096x64 consumers=2,3 block_kv=128,160,192,224 stages=2 overlap=none,next_qk exp_fma=0,1 $rows \
  rescale=exponents turns=false,true cluster=1 store=chunks min_blocks=1
packed="consumers=2,3 block_kv=128,176 stages=2 exp_fma=0 rescale=exponents turns=true cluster=1 grid=queue order=heads,longest store=chunks min_blocks=1"
compare grouped prefill 4x4k $packed
compare equal prefill 4x4k-equal $packed

# Long sums of gemm, and where few tiles are: shares of k, in clusters and between them, beside none.
narrow="block_m=64 block_k=64 consumers=1 min_blocks=1 cluster_m=1 cluster_n=1 epilogue=direct"
compare long gemm m=64,n=64,k=65536 $narrow block_n=32,64 stages=4,8 split_k=16,32,64,128 split_cluster=1,2,4,8
compare skinny gemm m=16,n=4096,k=14336 $narrow block_n=32,64,128 stages=4,8 split_k=1,2,4,8 split_cluster=1,2,4
compare deep gemm m=128,n=7168,k=16384 block_m=128 block_n=64,112,128 block_k=64 stages=4,6 consumers=2 schedule=cooperative min_blocks=1 \
  cluster_m=1 cluster_n=1 blocks=per_tile group_m=1 split_k=1,2,4 split_cluster=1,2,4 epilogue=tensor store_buffers=1

# What L2 is told of the weights of few rows, and tiles, order and L2 where C is large.
few="swap=true consumers=1 cluster_m=1 cluster_n=1 block_m=64,128 block_k=128"
compare kept16 gemm m=16,n=4096,k=14336 $few block_n=16 stages=4,5,6 min_blocks=1,2 split_k=4,8 split_cluster=4
compare kept64 gemm m=64,n=6144,k=4096 $few block_n=64 stages=4,6 min_blocks=1 split_k=1,2,4 split_cluster=1,2,4
wide="block_m=128 block_n=256,320,384 block_k=64 stages=3,4 consumers=2 schedule=cooperative,staggered blocks=persistent group_m=8"
compare wide4096 gemm 4096 $wide cluster_m=1,2 cluster_n=1 epilogue=tensor store_buffers=2
compare wide8192 gemm 8192 $wide cluster_m=1,2 cluster_n=1 epilogue=tensor store_buffers=2

# Grouped products: every so manyth tile, whoever is ready draws the next, or pairs of blocks; skewed lists of groups differ from run to run.
grouped="swap=false consumers=2 schedule=cooperative block_m=128 block_n=192,256 block_k=64 stages=4 min_blocks=1 cluster_n=1 output=staged"
compare skewed gemm_grouped 32x128x4096x7168-skewed $grouped cluster_m=1,2 blocks=persistent,queue,pairs order=groups,mixed group_m=4,16
compare even gemm_grouped 32x128x4096x7168 $grouped cluster_m=1 blocks=persistent,queue

# Weights of four bits: numbers of A in shared memory beforehand, and who adds the sums of shares.
compare int4x16 gemm_w4a16 16x8192x8192 numbers=kept scaled=codes rows=16 tiles=2,4 span=16,32 split=2,4,8 reduce=last_block,cluster
compare mxfp4x16 gemm_mxfp4 16x8192x8192 numbers=kept rows=16 tiles=2,4 span=16,32 split=2,4,8 reduce=last_block,cluster
compare int4x1 gemm_w4a16 1x8192x8192 numbers=kept scaled=codes rows=1 tiles=1,2,4 split=1
compare mxfp4x1 gemm_mxfp4 1x8192x8192 numbers=kept rows=1 tiles=1,2,4 split=1
