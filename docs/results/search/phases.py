"""Prints how long the phases of candidates and of the device took, and who waited for whom, from the traces of searches (`--trace FILE`,
also compressed).

    python3 docs/results/search/phases.py FILE...

Rows of the device are requests (their whole time on it) and their phases; "queue the gate" is the host's time for the launches. Several
GPUs are one device. The second table is what the device's requests are made of: means of their phases, of all that were begun. The third is of
the compilers, as many as were ever busy at once: when they had nothing to do, and who had a device then. The last is how long phases
took by how many of the compilers were busy meanwhile: means, and how many there were.
"""
import collections
import gzip
import json
import statistics
import sys

wanted = [("candidates", n) for n in ("candidate", "wait for a compiler", "compiler", "wait for a slot", "wait for the device")]
wanted += [("device", n) for n in ("gate", "time", "send", "load", "queue the gate", "judge", "look", "disturb")]


def read(path):
    """The spans of a trace as (row, name, begin, end), seconds from the first candidate's beginning on."""
    lines = (line.strip().rstrip(",") for line in (gzip.open if path.endswith(".gz") else open)(path, "rt"))
    events = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]  # one may be cut off
    rows = {e["pid"]: e["args"]["name"] for e in events if e.get("ph") == "M" and e.get("name") == "process_name"}
    events = [e for e in events if e.get("ph") == "X"]
    begin = min(e["ts"] for e in events if e["name"] == "candidate")
    return [(rows.get(e["pid"]) or "", e["name"], (e["ts"] - begin) / 1e6, (e["ts"] + e["dur"] - begin) / 1e6) for e in events]


def on_device(row):
    """Whether a row of the trace is a device's."""
    return row == "device" or row.startswith("GPU ")


def requests(spans):
    """What the devices were asked for: (name, begin, end)."""
    rows = sorted({row for row, *_ in spans if on_device(row)})
    return [one for row in rows for one in outer([s[1:] for s in spans if s[0] == row])]


def made_of(spans):
    """What a device's requests are made of: {request: (how many, ms of a mean one, {phase: ms of a mean one})}."""
    found = {}
    for row in sorted({row for row, *_ in spans if on_device(row)}):
        mine = sorted((s[1:] for s in spans if s[0] == row), key=lambda s: (s[1], -s[2]))
        end = name = None
        for what, begin, until in mine:
            if end is None or begin >= end - 1e-6:
                end, name = until, what
                count, whole, phases = found.get(name, (0, 0.0, collections.Counter()))
                found[name] = count + 1, whole + (until - begin) * 1e3, phases
            else:
                found[name][2][what] += (until - begin) * 1e3
    return {k: (n, whole / n, {p: ms / n for p, ms in phases.items()}) for k, (n, whole, phases) in found.items()}


def outer(spans):
    """Of spans in a row those that are not within another: requests, without their phases."""
    found, end = [], 0.0
    for name, begin, until in sorted(spans, key=lambda s: (s[1], -s[2])):
        if begin >= end - 1e-6:
            found.append((name, begin, until))
            end = until
    return found


def compiling(spans, seconds):
    """How many compilers were busy, by millisecond."""
    busy = [0] * int(seconds * 1e3)
    for row, name, begin, end in spans:
        if (row, name) == ("candidates", "compiler"):
            for i in range(int(begin * 1e3), min(int(end * 1e3), len(busy))):
                busy[i] += 1
    return busy


def budget(spans, seconds):
    """How many compiler-seconds there were, and what became of them: (what, compiler-seconds)."""
    busy = compiling(spans, seconds)
    steps, holder = range(len(busy)), [None] * len(busy)
    for name, begin, end in requests(spans):
        for i in range(max(0, int(begin * 1e3)), min(int(end * 1e3) + 1, len(steps))):
            holder[i] = name
    slots = max(busy)
    ready = next(i for i in steps if busy[i] >= slots - 1) / 1e3
    last = max(begin for row, name, begin, end in spans if (row, name) == ("candidates", "candidate"))
    parts = collections.Counter(compiling=sum(busy) / 1e3)
    for i in steps:
        when = "before all of them were busy" if i / 1e3 < ready else "after the last candidate was begun" if i / 1e3 > last else None
        parts["idle " + (when or "while the device had: %s" % (holder[i] or "nothing"))] += (slots - busy[i]) / 1e3
    return slots, parts.most_common()


def beside(spans, seconds):
    """The times of phases, in ms, by how many quarters of the compilers were busy: {(phase, quarters): times}."""
    busy, found = compiling(spans, seconds), collections.defaultdict(list)
    for row, name, begin, end in spans:
        if on_device(row) and name in ("send", "queue the gate", "judge") and 1 < begin and end < seconds and end - begin > 1e-4:
            meanwhile = statistics.mean(busy[int(begin * 1e3):int(end * 1e3) + 1])
            found[name, min(3, int(4 * meanwhile / max(busy)))].append((end - begin) * 1e3)
    return found


for path in sys.argv[1:]:
    spans = read(path)
    seconds = max(end for row, name, begin, end in spans if name == "candidate")
    times = collections.defaultdict(list)
    for name, begin, end in requests(spans):
        times["device", name].append((end - begin) * 1e3)
    for row, name, begin, end in spans:
        row = "device" if on_device(row) else row
        if 0 <= begin <= seconds and (row, name) not in (("device", "gate"), ("device", "time"), ("device", "disturb")):
            times[row, name].append((end - begin) * 1e3)
    count = len(times["candidates", "candidate"])
    print("%s: %d candidates in %.1f s" % (path, count, seconds))
    print("\n| of | phase | times | median, ms | together, s |\n|---|---|---|---|---|")
    for key in wanted:
        if times[key]:
            print("| %s | %s | %d | %.2f | %.2f |" % (*key, len(times[key]), statistics.median(times[key]), sum(times[key]) / 1e3))
    print("\n| request | times | ms | of which |\n|---|---|---|---|")
    for name, (n, whole, phases) in sorted(made_of(spans).items(), key=lambda kv: -kv[1][0] * kv[1][1]):
        print("| %s | %d | %.2f | %s |" % (name, n, whole, ", ".join("%s %.2f" % (p, ms) for p, ms in sorted(phases.items(), key=lambda kv: -kv[1]))))
    slots, parts = budget(spans, seconds)
    print("\n| %d compilers | compiler-seconds | of all | a candidate, ms |\n|---|---|---|---|" % slots)
    for what, of in parts:
        print("| %s | %.1f | %.0f %% | %.0f |" % (what, of, 100 * of / (slots * seconds), 1e3 * of / count))
    found = beside(spans, seconds)
    print("\n| of the compilers are busy | up to a quarter | half | three | all |\n|---|---|---|---|---|")
    for name in ("send", "queue the gate", "judge"):
        cells = ["%.1f ms (%d)" % (statistics.mean(v), len(v)) if (v := found[name, k]) else "" for k in range(4)]
        print("| %s | %s |" % (name, " | ".join(cells)))
    print()
