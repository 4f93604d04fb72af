#!/usr/bin/env python3
"""Prints what docs/results/rates.sh has measured in this folder as a table.

    docs/results/rates.py SECONDS PROBLEM:DTYPE:WORKLOAD ...

Rates are counted from the first candidate on, without the opening: of the whole search, which ends with a duel and a trial where one was
due, of its SECONDS, and of their second half. The last columns are of random points: what one takes to be compiled, gated and timed.
"""
import json
import os
import re
import sys


def text(name):
    if not os.path.exists(name):
        return None
    with open(name) as f:
        return f.read()


def search(name, seconds):
    """Candidates, verdicts a second in all, in the time asked for and in its second half, and how busy the device was."""
    events = text(f"{name}-search.json")
    if events is None:
        return [""] * 5
    at = [e["at"] / 1e9 for e in map(json.loads, events.splitlines()) if e["kind"] == "result"]
    half = sum(t <= seconds / 2 for t in at), sum(seconds / 2 < t <= seconds for t in at)
    said = re.search(r"([\d.]+) verdicts per second, device busy ([\d.]+%)", text(f"{name}-search.log") or "") or [""] * 3
    return [len(at), said[1], f"{sum(half) / seconds:.1f}", f"{half[1] * 2 / seconds:.1f}", said[2]]


def points(name):
    """Points, how many are not right, how many a second, how busy the device was, and what one costs."""
    found = text(f"{name}-points.json")
    if found is None:
        return [""] * 7
    r = json.loads(found)
    wrong = r["evals"] - sum(r["outcomes"].get(o, 0) for o in ("ok", "duplicate"))
    return [r["evals"], wrong, f"{r['rate']:.1f}", f"{r.get('busy', 0):.1%}",
            *(f"{r['cost'].get(phase, 0) * 1e3:.0f} ms" for phase in ("compile", "gate", "time"))]


def main():
    seconds, rows = float(sys.argv[1]), sys.argv[2:]
    head = ["workload", "search: verdicts", "a second", f"in its {seconds:g} s", "second half", "device busy",
            "points", "not ok", "a second", "device busy", "compile", "gate", "time"]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for row in rows:
        name = row.replace(":", "-")
        print("| " + " | ".join(map(str, [row.replace(":", " "), *search(name, seconds), *points(name)])) + " |")


if __name__ == "__main__":
    main()
