#!/usr/bin/env python3
"""Prints what docs/results/shapes.sh has measured in this folder as a table, and geometric means over each baseline.

    docs/results/shapes.py SHAPES DTYPE
"""
import json
import math
import os
import sys


def shapes(path):
    """m, n, k and whose of each line of the list."""
    with open(path) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                m, n, k, *whose = line.split()
                yield int(m), int(n), int(k), " ".join(whose)


def measured(name):
    """The final times of a winner by cache, or none where nothing has been measured yet."""
    if not os.path.exists(name):
        return None, {}
    with open(name) as f:
        winner = json.load(f)
    return winner["variant"]["family"], {s["cache"]: s for s in winner.get("shapes") or [] if s["tier"] == "final"}


def ratios(times, baseline):
    """Speedups over a baseline, hot and cold."""
    return [times.get(cache, {}).get("speedups", {}).get(baseline) for cache in ("hot", "cold")]


def show(figure, form):
    return "" if figure is None else format(figure, form)


def micro(times, cache):
    return times[cache]["median"] / 1e3 if cache in times else None


def means(rows, baselines):
    for baseline in baselines:
        for at, cache in enumerate(("hot", "cold")):
            for what, kept in (("all", rows), ("m <= 64", [r for r in rows if r[0] <= 64])):
                found = [(r, x[at]) for r, x in ((r, ratios(r[-1], baseline)) for r in kept) if x[at]]
                if found:
                    least = min(found, key=lambda f: f[1])
                    mean = math.exp(sum(math.log(x) for _, x in found) / len(found))
                    print(f"{baseline}, {cache}, {what}: geometric mean {mean:.3f} of {len(found)} shapes, "
                          f"least {least[1]:.2f} at {'x'.join(map(str, least[0][:3]))}")


def main():
    path, dtype = sys.argv[1:]
    rows = [(m, n, k, whose, *measured(f"{m}x{n}x{k}-{dtype}.json")) for m, n, k, whose in shapes(path)]
    baselines = sorted({b for r in rows for s in r[-1].values() for b in s.get("speedups", {})} - {"default"})  # the naive start
    head = ["m, n, k", "model", "hot", "cold", "roofline", "family", *(f"x {b}, hot / cold" for b in baselines)]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for m, n, k, whose, family, times in rows:
        if family is None:
            continue
        cells = [f"{m}, {n}, {k}", whose, *(show(micro(times, c), ".4g") + " us" for c in ("hot", "cold")),
                 show(times.get("cold", {}).get("roofline"), ".0%"), family,
                 *(" / ".join(show(x, ".2f") for x in ratios(times, b)) for b in baselines)]
        print("| " + " | ".join(cells) + " |")
    print()
    means(rows, baselines)
    left = sum(r[4] is None for r in rows)
    if left:
        print(f"not measured: {left} of {len(rows)} shapes")


if __name__ == "__main__":
    main()
