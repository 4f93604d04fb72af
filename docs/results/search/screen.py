"""What the screen costs: replays its rule on a recording with several workloads, in random order, and tells how often it stops a
candidate that is better than the champion, and how far behind the champion is at the end.

    python3 docs/results/search/screen.py RECORDING.json.gz [BOUND ...]      BOUND: times the champion's (default 1.5 and others)
"""
import gzip
import json
import math
import random
import sys

record = json.load(gzip.open(sys.argv[1]))
bounds = [float(b) for b in sys.argv[2:]] or [1.1, 1.25, 1.5, 2.0, 4.0]
weights = [w["weight"] or 1 for w in record["workloads"]]
points = []
for f in record["families"]:
    for status, times in zip(f["status"], f["times"]):
        if f["outcomes"][status] == "ok":
            points.append(times[::3])  # medians
score = [sum(w * math.log(t) for w, t in zip(weights, p)) / sum(weights) for p in points]
print("%d points on %s: %s" % (len(points), record["device"]["name"], ", ".join(w["name"] for w in record["workloads"])))
print("| stopped beyond | stopped | of these better than the champion | champion at the end, behind the best |")
print("|---|---|---|---|")
for bound in bounds:
    stopped = lost = n = 0
    behind = []
    for seed in range(500):
        order = list(range(len(points)))
        random.Random(seed).shuffle(order)
        order = order[:200]
        champion = order[0]
        for i in order[1:]:
            n += 1
            if any(t > bound * b for t, b in zip(points[i], points[champion])):
                stopped += 1
                lost += score[i] < score[champion]
            elif score[i] < score[champion]:
                champion = i
        behind.append(math.exp(score[champion] - min(score[i] for i in order)) - 1)
    print("| %.2f x | %.0f %% | %.2f %% | %.2f %% (worst of 500: %.1f %%) |" % (bound, 100 * stopped / n, 100 * lost / max(1, stopped), 100 * sum(behind) / len(behind), 100 * max(behind)))
