#!/usr/bin/env python3
"""Stands in for darwarp: answers as it does, and writes down how it was called to $CALLS."""
import json
import os
import pathlib
import signal
import sys
import time

args = sys.argv[1:]
with open(os.environ["CALLS"], "a") as calls:
    calls.write(" ".join(args) + "\n")


def fail(message):
    print("a line before\ndarwarp: " + message + "\na line behind", file=sys.stderr)
    sys.exit(2)


def tell(**event):
    print(json.dumps(event), flush=True)


if args == ["--version"]:
    print("darwarp v9")
elif args[0] == "export":
    if not os.path.exists(args[1]):
        fail(args[1] + ": no such run")
    folder = pathlib.Path(args[3])
    folder.mkdir(exist_ok=True)
    for name in "launch.json", "kernel.cubin":
        (folder / name).write_bytes((pathlib.Path(os.environ["EXPORTED"]) / name).read_bytes())
elif args[:2] == ["import", "torch"]:
    if "refused" in pathlib.Path(args[2]).read_text():
        fail("the module draws random numbers")
    folder = pathlib.Path(args[4])
    folder.mkdir()
    (folder / "problem.toml").write_text("")
elif args[0] == "search":
    tell(kind="start", at=0)
    tell(kind="champion", at=30_000_000_000, evals=7, speedup=1.5)
    print("no event", flush=True)
    tell(kind="result", at=45_000_000_000, evals=9, speedup=1.5)
    pathlib.Path(args[args.index("--store") + 1]).write_text("a run")
    if "--wait" in args:
        signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
        tell(kind="champion", at=50_000_000_000, evals=11)
        time.sleep(60)
    if "--fail" in args:
        fail("the device hangs")
