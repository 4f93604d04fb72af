"""Prints how long the phases of candidates and of the device took, from the traces of searches (`--trace FILE`, also compressed).

    python3 docs/results/search/phases.py FILE...

Rows of the device are requests (their whole time on it) and their phases; "queue the gate" is the host's time for the launches.
"""
import collections
import gzip
import json
import statistics
import sys

wanted = [("candidates", n) for n in ("candidate", "wait for a compiler", "compiler", "wait for a slot", "wait for the device")]
wanted += [("device", n) for n in ("send", "load", "queue the gate", "judge", "look", "disturb")]


def spans(path):
    """Durations in ms by process and name, from the first candidate's beginning on; and for how many seconds that was."""
    lines = (line.strip().rstrip(",") for line in (gzip.open if path.endswith(".gz") else open)(path, "rt"))
    events = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]  # one may be cut off
    rows = {e["pid"]: e["args"]["name"] for e in events if e.get("ph") == "M" and e.get("tid", 0) == 0}
    events = [e for e in events if e.get("ph") == "X"]
    begin = min(e["ts"] for e in events if e["name"] == "candidate")
    end = max(e["ts"] + e["dur"] for e in events if e["name"] == "candidate")
    found = collections.defaultdict(list)
    for e in events:
        if begin <= e["ts"] <= end:
            found[rows.get(e["pid"], e["pid"]), e["name"]].append(e["dur"] / 1e3)
    return found, (end - begin) / 1e6


for path in sys.argv[1:]:
    found, seconds = spans(path)
    print("%s: %d candidates in %.1f s" % (path, len(found["candidates", "candidate"]), seconds))
    print("\n| of | phase | times | median, ms | together, s |\n|---|---|---|---|---|")
    for key in wanted:
        if found[key]:
            print("| %s | %s | %d | %.2f | %.2f |" % (*key, len(found[key]), statistics.median(found[key]), sum(found[key]) / 1e3))
    print()
