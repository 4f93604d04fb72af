# Sourced by scripts of this folder: each FUNCTION MOST <LIST calls it with each line of a list, so many at once as there are GPUs (GPUS,
# or else all), each with one GPU and its share of the cores, $jobs. One takes MOST seconds or less: none begins that might not end within
# LIMIT seconds from now on (0: no limit).
each() {
  local gpus=${GPUS:-$(nvidia-smi -L 2>/dev/null | grep -c ^GPU)}
  ((gpus > 0)) || gpus=1
  export one=$1 jobs=$((($(nproc) + gpus - 1) / gpus)) last=$((${LIMIT:-0} ? EPOCHSECONDS + LIMIT - $2 : 1 << 40))
  # shellcheck disable=SC2016
  xargs -d '\n' -P "$gpus" --process-slot-var=CUDA_VISIBLE_DEVICES -I{} bash -c '((EPOCHSECONDS > last)) || "$one" "$1"' _ {}
}
