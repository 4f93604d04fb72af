#!/usr/bin/env python3
"""Prints what docs/results/points.sh found as one table, by problem and family, and then every point that is not right.

    docs/results/points.py FILE.json ...
"""
import collections
import json
import sys

OUTCOMES = ["ok", "duplicate", "invalid", "unsupported", "compile", "wrong", "crash", "timeout", "suspect", "flaky", "lost"]


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(str(cell) if cell else "" for cell in row) + " |")


def main():
    found = collections.defaultdict(collections.Counter)
    seconds, sizes, failed = collections.Counter(), collections.defaultdict(set), []
    for path in sys.argv[1:]:
        with open(path) as f:
            text = f.read()
        if not text.strip():
            print(f"{path} is empty: its log says why")
            continue
        r = json.loads(text)
        where = f"{r['problem']} {r['dtype']} {' '.join(r['workloads'])}"
        seconds[r["problem"]] += r["seconds"]
        for family, outcomes in r["families"].items():
            found[r["problem"], family].update(outcomes)
            sizes[r["problem"], family].add(where)
        failed += [(where, f) for f in r.get("failed") or []]
    seen = [o for o in OUTCOMES if any(n[o] for n in found.values())]
    rows = [(problem, family, len(sizes[problem, family]), sum(n.values()), *(n[o] for o in seen))
            for (problem, family), n in sorted(found.items())]
    total = sum(found.values(), collections.Counter())
    rows.append(("all", "", len(set().union(*sizes.values())), sum(total.values()), *(total[o] for o in seen)))
    table(["problem", "family", "types and sizes", "points", *seen], rows)
    print(f"\n{len(failed)} of {sum(total.values())} points are not right.")
    for where, f in failed:
        detail = f["detail"].splitlines()[0] if f["detail"] else ""
        print(f"\n{where}: {f['outcome']}, family {f['variant'].get('family', '')}, {f['id'][:10]}: {detail}\n  {f['again']}")


main()
