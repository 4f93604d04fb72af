#!/usr/bin/env bash
# Shows the planted bugs to compute-sanitizer and prints, as a table, what it says beside what the cpu device says.
# On a machine with Go and g++, then (the folder carried there) on one with a GPU, nvcc and compute-sanitizer:
#   go test ./eval/internal/cpu/emu -run 'TestBugs|TestPlantedInGemm' -count=1 -planted /tmp/planted
#   eval/internal/cpu/emu/testdata/sanitize.sh /tmp/planted
# Four tools watch 29 bugs, a few seconds each, JOBS (16) at once. Interrupted, it prints the rows that it has.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:?usage: sanitize.sh FOLDER}" || exit 2
nvcc -o launch "$here/launch.cpp" -lcuda || exit 1
cut -f2 plan.tsv | sort -u | xargs -P "$(nproc)" -I{} nvcc -w -cubin -arch="${ARCH:-sm_90a}" -std=c++17 -lineinfo \
    -include assert.h -Iinclude -o {}.cubin {} || exit 1
rm -f said.* report.*

# headline FILE: the first finding of a tool's report, or nothing.
headline() {
    sed -n '/SUMMARY/d; s/^=* *\(Error: \|Warning: \)\?\(\(Race\|Invalid\|Barrier error\|Uninitialized\|Misaligned\|Potential\|Program hit\).*\)/\2/p' "$1" |
        head -1 | cut -c1-100
}

# watch ROW TOOL FILE LAUNCH: one tool on one bug. Kernels that wait for ever are ended, which is a finding, too.
watch() {
    local report code log="report.$1.$2"
    timeout -k 2 "${SECONDS_EACH:-20}" compute-sanitizer --tool "$2" --print-limit 20 ./launch "$3.cubin" $4 >"$log" 2>&1 </dev/null
    code=$?
    report=$(headline "$log")
    [ $code -ne 124 ] && [ $code -ne 137 ] || report="${report:+$report, and }does not end"
    echo "$report" >"said.$1.$2"
}

tools="memcheck racecheck synccheck initcheck"
rows() {
    echo "| bug | cpu device | compute-sanitizer |"
    echo "|---|---|---|"
    local row=0 bug ours tool said all
    while IFS=$'\t' read -r bug _ _ ours; do
        row=$((row + 1)) said="" all=1
        for tool in $tools; do
            [ -e "said.$row.$tool" ] || { all=""; continue; }
            [ -z "$(cat "said.$row.$tool")" ] || said+="${said:+; }$tool: $(cat "said.$row.$tool")"
        done
        [ -n "$all" ] || said+="${said:+; }(not all tools were run)"
        echo "| $bug | $ours | ${said:-nothing} |"
    done <plan.tsv
}
trap 'trap "" INT TERM; rows; exit 130' INT TERM  # a second signal must not end the table
row=0
while IFS=$'\t' read -r _ file launch _; do
    row=$((row + 1))
    for tool in $tools; do
        watch "$row" "$tool" "$file" "$launch" &
        while (($(jobs -rp | wc -l) >= ${JOBS:-16})); do wait -n; done
    done
done <plan.tsv
wait
rows
