"""Prints what searches had found after a quarter, half and all of their time, from their events.

    python3 docs/results/search/table.py SECONDS      in a folder of PROBLEM-STRATEGY-SEED.jsonl

A cell is the geometric mean over seeds of the best median so far in microseconds, with its 95 % interval (Student's t on logarithms).
A second table has what `default` had found at the end over what the others had, seed by seed: below 1 it was ahead, and
where the interval reaches 1 nothing is shown.
"""
import collections
import glob
import json
import math
import statistics
import sys

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


def interval(logs):
    """The geometric mean of numbers whose logarithms these are, and its interval, which few of them do not have."""
    mean = statistics.mean(logs)
    if len(logs) not in students:
        return math.exp(mean), None
    half = students[len(logs)] * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(mean), (math.exp(mean - half), math.exp(mean + half))


def cell(logs, form, scale=1):
    mean, ends = interval(logs)
    text = form % (mean * scale)
    return text + (" [" + form % (ends[0] * scale) + ", " + form % (ends[1] * scale) + "]" if ends else "")


def after(steps, mark, seconds):
    """The best time at a mark. What was in flight at the end of the time still counts, for all alike."""
    return [t for at, t in steps if at <= mark or mark == seconds][-1:]


def courses(groups, seconds):
    marks = [seconds / 4, seconds / 2, seconds]
    print("| problem | strategy | seeds | evaluations | " + " | ".join("after %g s" % m for m in marks) + " |")
    print("|---|---|---|---|" + "---|" * len(marks))
    for (problem, strategy), runs in groups.items():
        cells = []
        for m in marks:
            found = [after(steps, m, seconds) for steps, _ in runs.values()]
            cells.append(cell([math.log(f[0]) for f in found], "%.2f", 1e-3) if all(found) else "-")
        evals = statistics.mean(n for _, n in runs.values())
        print("| %s | %s | %d | %.0f | %s |" % (problem, strategy, len(runs), evals, " | ".join(cells)))


def pairs(groups, seconds):
    rows = []
    for (problem, strategy), runs in groups.items():
        ours = groups.get((problem, "default"), {})
        ends = {s: (after(ours[s][0], seconds, seconds), after(runs[s][0], seconds, seconds)) for s in runs if s in ours}
        logs = [math.log(a[0] / b[0]) for a, b in ends.values() if a and b]
        if strategy == "default" or not logs:
            continue
        _, span = interval(logs)
        shown = "-" if not span or span[0] <= 1 <= span[1] else "default" if span[1] < 1 else strategy
        rows.append("| %s | %s | %d | %s | %s |" % (problem, strategy, len(logs), cell(logs, "%.4f"), shown))
    if rows:
        print("\n| problem | default against | seeds | its time over the other's | ahead |\n|---|---|---|---|---|")
        print("\n".join(rows))


def main():
    seconds = float(sys.argv[1])
    groups = collections.defaultdict(dict)
    for path in sorted(glob.glob("*.jsonl")):
        problem, strategy, seed = path.removesuffix(".jsonl").rsplit("-", 2)
        groups[problem, strategy][seed] = story(path)
    courses(groups, seconds)
    pairs(groups, seconds)


main()
