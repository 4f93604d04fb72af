"""Prints what searches had found after a quarter, half and all of their time, from their events.

    python3 docs/results/search/table.py SECONDS      in a folder of PROBLEM-STRATEGY-SEED.jsonl

A cell is the geometric mean over seeds of the best median so far in microseconds, with its 95 % interval (Student's t on logarithms).
"""
import collections
import glob
import json
import math
import statistics
import sys

seconds = float(sys.argv[1])
students = {2: 12.71, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}


def story(path):
    """Best time so far, ns, by seconds elapsed; and how many verdicts there were."""
    best, steps, n = math.inf, [], 0
    for line in open(path):
        e = json.loads(line)
        if e["kind"] != "result":
            continue
        n += 1
        r = e["candidate"]["result"]
        if r["outcome"] == "ok" and r["times"][0]["median"] < best:
            best = r["times"][0]["median"]
            steps.append((e["at"] / 1e9, best))
    return steps, n


def cell(times):
    logs = [math.log(t) for t in times]
    if len(logs) not in students:
        return "%.2f" % (math.exp(statistics.mean(logs)) / 1e3)
    half = students[len(logs)] * statistics.stdev(logs) / math.sqrt(len(logs))
    mean = statistics.mean(logs)
    return "%.2f [%.2f, %.2f]" % tuple(math.exp(x) / 1e3 for x in (mean, mean - half, mean + half))


groups = collections.defaultdict(list)
for path in sorted(glob.glob("*.jsonl")):
    problem, strategy, _ = path.removesuffix(".jsonl").rsplit("-", 2)
    groups[problem, strategy].append(story(path))
marks = [seconds / 4, seconds / 2, seconds]
print("| problem | strategy | seeds | evaluations | " + " | ".join("after %g s" % m for m in marks) + " |")
print("|---|---|---|---|" + "---|" * len(marks))
for (problem, strategy), runs in groups.items():
    cells = []
    for m in marks:  # what was in flight at the end of the time still counts, for all alike
        found = [[t for at, t in steps if at <= m or m == seconds] for steps, _ in runs]
        cells.append(cell([f[-1] for f in found]) if all(found) else "-")
    print("| %s | %s | %d | %.0f | %s |" % (problem, strategy, len(runs), statistics.mean(n for _, n in runs), " | ".join(cells)))
