"""Prints the candidates of a run that are ok: some genes of each, and its time at each workload in microseconds.

    python3 docs/results/attention/table.py DARWARP RUN GENE ...      RUN: the name of RUN.db in this folder
"""
import json
import subprocess
import sys

darwarp, run, *genes = sys.argv[1:]
told = json.loads(subprocess.run([darwarp, "top", run + ".db", "-n", "500", "--json"], capture_output=True, check=True).stdout)
rows = {}
for c in told["candidates"] if isinstance(told, dict) else told:
    result, point = c["result"], c["variant"]["genes"]
    if result["outcome"] == "ok" and not all(point.get(g) is None for g in genes):
        key = tuple(str(point.get(g, "-")) for g in genes)
        times = {t["workload"]: t["median"] / 1e3 for t in result["times"]}
        if key not in rows or sum(times.values()) < sum(rows[key].values()):
            rows[key] = times
workloads = sorted({w for t in rows.values() for w in t}, key=lambda w: (len(w), w))
print(" | ".join([*genes, *workloads]))
for key in sorted(rows):
    print(" | ".join([*key, *(f"{rows[key][w]:.2f}" for w in workloads)]))
