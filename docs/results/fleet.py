"""Prints what docs/results/fleet.sh has measured: python3 fleet.py FOLDER [SECONDS]

Verdicts count that came in the SECONDS of each search, and not while it ends: trials that are finished then, and the measurement of the
winner, take a while of which no more is known than that. A search's first third counts once with all of it, and once not: workers open
their GPUs beside each other, and the search begins with the first.
"""
import collections
import json
import math
import pathlib
import re
import sys


def read(path, seconds):
    """The figures of one search, from its events."""
    verdicts, outcomes, duels, busy, end, costs = [], collections.Counter(), 0, [], 0, {}
    for line in path.read_text().splitlines():
        event = json.loads(line)
        if event["kind"] == "result":
            verdicts.append(event["at"] / 1e9)
            outcomes[event["candidate"]["result"]["outcome"]] += 1
            costs[event["candidate"]["id"]] = event["candidate"]["result"].get("cost", {})
        elif event["kind"] == "duel":
            duels += event["duel"]["verdict"] == "faster"
        elif event["kind"] == "machine" and event["machine"]["device"]["total"]:
            busy.append((event["at"] / 1e9, event["machine"]["device"]["busy"] / event["machine"]["device"]["total"]))
        elif event["kind"] == "end":
            end = event["at"] / 1e9
    end = min(end, seconds)
    verdicts = [t for t in verdicts if t <= end]
    late = [t for t in verdicts if t > end / 3]
    share = [b for t, b in busy if end / 3 < t <= end]
    return {
        "rate": len(verdicts) / end,
        "late": len(late) / (end * 2 / 3),
        "duplicates": outcomes["duplicate"] / max(1, outcomes.total()),
        "won": duels,
        "busy": sum(share) / max(1, len(share)),
        "first": verdicts[0] if verdicts else 0,
        "costs": costs,
    }


def mean(costs, ids, part):
    """What a candidate takes on average for a part of its verdict."""
    return sum(costs[i].get(part, 0) for i in ids) / max(1, len(ids))


def compare(alone, fleet):
    """What one candidate costs in either: of those that both had, what the fleet adds; of all, what the searches chose."""
    both = alone["costs"].keys() & fleet["costs"].keys()
    for what, mine, yours in (f"{len(both)} candidates of both", both, both), ("all candidates", alone["costs"], fleet["costs"]):
        parts = [f"{part} {mean(alone['costs'], mine, part):.4f} and {mean(fleet['costs'], yours, part):.4f} s"
                 for part in ("compile", "gate", "time", "wait")]
        print(f"  {what}, alone and in the fleet: {', '.join(parts)}")


def main():
    found, seconds = {}, float(sys.argv[2]) if len(sys.argv) > 2 else math.inf
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*-*-*.json")):
        kind, gpus, run = re.fullmatch(r"(alone|fleet)-(\d+)-(\d+)", path.stem).groups()
        found[int(gpus), int(run), kind] = read(path, seconds)
    print(f"{'GPUs':>4} {'round':>5} {'':5} {'verdicts/s':>10} {'without 1st third':>17} {'devices asked':>13} "
          f"{'duplicates':>10} {'duels won':>9} {'first after':>11}")
    for (gpus, run, kind), r in sorted(found.items()):
        print(f"{gpus:>4} {run:>5} {kind:5} {r['rate']:>10.1f} {r['late']:>17.1f} {r['busy']:>13.0%} {r['duplicates']:>10.1%} "
              f"{r['won']:>9} {r['first']:>10.1f}s")
    for gpus, run in sorted({(g, n) for g, n, _ in found}):
        alone, fleet = found.get((gpus, run, "alone")), found.get((gpus, run, "fleet"))
        if alone and fleet and alone["rate"] and alone["late"]:
            print(f"{gpus} GPUs, round {run}: a fleet gives {fleet['rate'] / alone['rate']:.2f} of one process, "
                  f"{fleet['late'] / alone['late']:.2f} without the first third")
            compare(alone, fleet)


main()
