#!/usr/bin/env python3
"""Prints what docs/results/shapes.sh has measured in this folder as a table, and geometric means over each baseline.

    docs/results/shapes.py LIST ...

A line of a list may end with `over PROBLEM:DTYPE:WORKLOAD`: the table has its time over that line's.
"""
import collections
import json
import math
import os
import re
import sys

CACHES = "hot", "cold"


def lines(paths):
    """PROBLEM:DTYPE:WORKLOAD of each line of the lists, and what is said of it."""
    for path in paths:
        with open(path) as f:
            for line in f:
                if line.strip() and not line.lstrip().startswith("#"):
                    row, *note = line.split()
                    yield row, " ".join(word for word in note if not word.startswith("--"))  # those are the search's


def measured(row):
    """A winner, or nothing where none has been measured yet, and its final times by cache."""
    path = row.replace(":", "-") + ".json"
    if not os.path.exists(path):
        return None, {}
    with open(path) as f:
        winner = json.load(f)
    return winner, {s["cache"]: s for s in winner.get("shapes") or [] if s["tier"] == "final"}


def rates(row):
    """Bytes or operations a second by cache, as the search has printed them."""
    with open(row.replace(":", "-") + ".txt") as f:
        return dict(re.findall(r"^ +\S+ +(hot|cold) .*?\] +([\d.]+ \S+/s)", f.read(), re.M))


def speedups(times, baseline):
    """Over a baseline, or over the strongest of a line, hot and cold; None where it was not compared."""
    for cache in CACHES:
        found = {b: x for b, x in times.get(cache, {}).get("speedups", {}).items() if b != "default"}  # the naive start
        yield found.get(baseline) if baseline != "the strongest" else min(found.values(), default=None)


def baselines(times):
    return sorted({b for s in times.values() for b in s.get("speedups", {})} - {"default"})


def pair(figures, form=".2f"):
    shown = ["" if x is None else format(x, form) for x in figures]
    return " / ".join(shown) if any(shown) else ""


def cells(row, note, winner, times, all_times):
    median = [times[c]["median"] if c in times else None for c in CACHES]
    _, over, other = note.rpartition("over ")
    other = all_times.get(other, {}) if over else {}
    ratios = [m / other[c]["median"] if m and c in other else None for c, m in zip(CACHES, median)]
    start = ", the naive start" if winner["origin"].get("note") == "the naive start" else ""
    yield from (row.replace(":", " "), note, pair([m and m / 1e3 for m in median], ".4g"), rates(row).get("cold", ""))
    yield pair([times.get(c, {}).get("roofline") for c in CACHES], ".0%")
    yield winner["variant"]["family"] + start
    yield ", ".join(f"{b} {pair(speedups(times, b))}" for b in baselines(times))
    yield pair(ratios)


def means(problem, rows):
    few = [r for r in rows if int((re.search(r":(?:m=)?(\d+)", r[0]) or [0, 65])[1]) <= 64]
    names = sorted({b for _, times in rows for b in baselines(times)})
    for baseline in names + ["the strongest"] * (len(names) > 1):
        for at, cache in enumerate(CACHES):
            for what, kept in (("all", rows), ("m <= 64", few)):
                found = [(x[at], row) for row, x in ((row, list(speedups(t, baseline))) for row, t in kept) if x[at]]
                if found and (what == "all" or problem.startswith("gemm") and few != rows):
                    mean, least = math.exp(sum(math.log(x) for x, _ in found) / len(found)), min(found)
                    print(f"{problem}, x {baseline}, {cache}, {what}: geometric mean {mean:.3f} of {len(found)}, "
                          f"least {least[0]:.2f} at {least[1]}")


def main():
    listed = list(lines(sys.argv[1:]))
    found = {row: measured(row) for row, _ in listed}
    all_times = {row: times for row, (_, times) in found.items()}
    head = ["workload", "", "us, hot / cold", "rate, cold", "roofline", "family", "x baselines, hot / cold", "over, hot / cold"]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    groups = collections.defaultdict(list)
    for row, note in listed:
        winner, times = found[row]
        if winner:
            groups[row.split(":")[0]].append((row, times))
            print("| " + " | ".join(cells(row, note, winner, times, all_times)) + " |")
    print()
    for problem, rows in groups.items():
        means(problem, rows)
    left = sum(winner is None for winner, _ in found.values())
    if left:
        print(f"not measured: {left} of {len(found)} lines")


if __name__ == "__main__":
    main()
