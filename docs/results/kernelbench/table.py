#!/usr/bin/env python3
"""Makes the table of KernelBench's modules: imports them without a GPU, runs them side by side, one on each GPU.

    table.py import DARWARP OUT [--jobs 2]
    table.py search DARWARP OUT [--gpus 0,1] [--for 8s] [--minutes 9] [--only 1_Square,4_Matrix]
    table.py show OUT [--for 8s]

OUT gets the modules (modules.py), a problem folder for each, and the results of each time and module. Every command goes
on where the last one stopped. After `import`, OUT can be moved to the machine with the GPUs, with the same darwarp. The
search begins no module that would not be over in time, and takes first what stands first in ORDER."""
import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

# Numbers of level 1, the most important first: products in strict fp32, then what is bound by memory. Level 2 follows.
ORDER = [1, 2, 6, 17, 18, 3, 10, 7, 9, 14, 15, 4, 23, 40, 39, 36, 19, 26, 47, 95, 89, 94, 33, 34, 37, 48, 53, 52, 98, 100]
OVERHEAD = 50  # seconds of a module besides its search: opening, trial, measurement beside torch


def modules(out):
    """All modules in the order in which they are run: (name, file)."""
    found = [(level, int(f.name.split("_")[0]), f) for level in (1, 2) for f in (out / f"level{level}").glob("*.py")]
    place = {n: i for i, n in enumerate(ORDER)}
    found.sort(key=lambda m: (m[0], place.get(m[1], len(ORDER)) if m[0] == 1 else 0, m[1]))
    return [(f"l{level}_{f.stem}"[:48].strip("_"), f) for level, _, f in found]


def write_modules(out):
    if not (out / "level1").exists():
        subprocess.run([sys.executable, pathlib.Path(__file__).parent / "modules.py", out], check=True)
    for name, f in modules(out):  # each in a folder of its own, for a bench of its own
        home = out / "one" / name
        home.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(f, home / (name + ".py"))


def import_one(darwarp, out, name):
    """Imports a module, or keeps why it is refused."""
    made, refused = out / "problems" / name, out / "problems" / (name + ".refused")
    if made.exists() or refused.exists():
        return name, 0.0, "there"
    start = time.monotonic()
    run = subprocess.run([darwarp, "import", "torch", out / "one" / name / (name + ".py"), "-o", made], text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    why = run.stdout.strip().splitlines()[-1:] or ["no reason was given"]
    if run.returncode == 2:
        refused.write_text(why[0])
    elif run.returncode != 0:
        sys.exit(f"{name}: {run.stdout}")
    return name, time.monotonic() - start, "refused: " + why[0] if run.returncode else "imported"


def do_import(args):
    write_modules(args.out)
    binary = hashlib.sha256(pathlib.Path(args.darwarp).read_bytes()).hexdigest()
    problems = args.out / "problems"
    made_by = problems / "made-by"
    if problems.exists() and (not made_by.exists() or made_by.read_text() != binary):
        shutil.rmtree(problems)  # families of another darwarp
    problems.mkdir(exist_ok=True)
    made_by.write_text(binary)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for name, seconds, what in pool.map(lambda m: import_one(args.darwarp, args.out, m[0]), modules(args.out)):
            print(f"{name}: {what}, {seconds:.1f} s", flush=True)


def result(out, how_long, name):
    """What came of a module: the last line of its results, or that it was not imported; none: it was not run."""
    refused = out / "problems" / (name + ".refused")
    if refused.exists():
        return {"outcome": "refused", "why": refused.read_text().strip()}
    path = out / how_long / name / "results.jsonl"
    lines = path.read_text().splitlines()[1:] if path.exists() else []
    found = json.loads(lines[-1]) if lines else None
    return found if found and found["outcome"] != "failed" else None


def do_search(args):
    write_modules(args.out)
    wanted = [w for w in args.only.split(",") if w]
    todo = queue.SimpleQueue()
    for name, f in modules(args.out):
        if result(args.out, args.how_long, name) is None and (not wanted or any(f.name.startswith(w) for w in wanted)):
            todo.put(name)
    gpus, end = args.gpus.split(","), time.monotonic() + args.minutes * 60
    need = seconds(args.how_long) + OVERHEAD
    (args.out / args.how_long).mkdir(exist_ok=True)
    print(f"{todo.qsize()} modules to run on GPUs {args.gpus}", flush=True)
    workers = [threading.Thread(target=work, args=(args, gpu, len(gpus), todo, end, need)) for gpu in gpus]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    show(args.out, args.how_long)


def work(args, gpu, share, todo, end, need):
    """Runs modules on one GPU while there is time for another one."""
    while end - time.monotonic() > need:
        try:
            name = todo.get_nowait()
        except queue.Empty:
            return
        start, home = time.monotonic(), args.out / args.how_long / name
        command = [args.darwarp, "bench", "kernelbench", args.out / "one" / name, "-o", home, "--problems",
                   args.out / "problems", "--for", args.how_long, "--gpus", gpu, "--gate-test=false", "--jobs",
                   str(max(os.cpu_count() // share, 1)), "--json"]
        with open(str(home) + ".log", "w") as log:
            run = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
            try:
                run.wait(max(end - time.monotonic(), 1))
            except subprocess.TimeoutExpired:
                run.send_signal(signal.SIGINT)
                run.wait()
        print(f"GPU {gpu}, {time.monotonic() - start:.0f} s: {line(name, result(args.out, args.how_long, name))}", flush=True)


def seconds(text):
    """A duration as darwarp takes it."""
    return sum(float(n) * {"h": 3600, "m": 60, "s": 1}[unit] for n, unit in re.findall(r"([0-9.]+)([hms])", text))


def line(name, r):
    """A row of the table."""
    if r is None:
        return f"| {name} | not run, or failed | | | | | |"
    if r["outcome"] != "right":
        return f"| {name} | {r['outcome']} | | | | | {r.get('why', '')} |"
    over = r.get("speedups", {})
    ratio = ["%.2f" % over[b] if b in over else "" for b in ("torch", "torch-compile")]
    return f"| {name} | {r.get('standing') or 'right'} | {r['verdicts']} | {r['ns'] / 1e6:.3f} ms | {' | '.join(ratio)} | {r['precision']} |"


def show(out, how_long):
    rows = [(name, result(out, how_long, name)) for name, _ in modules(out)]
    print(f"\n| module | champion | verdicts | time | x eager | x torch.compile | precision, or why |\n{'|---' * 7}|")
    for name, r in rows:
        print(line(name, r))
    for baseline, title in (("torch", "eager"), ("torch-compile", "torch.compile")):
        over = [r["speedups"][baseline] for _, r in rows if r and baseline in (r.get("speedups") or {})]
        if over:
            mean = math.exp(sum(map(math.log, over)) / len(over))
            print(f"geometric mean of {len(over)} over {title}: {mean:.2f}, least {min(over):.2f}")
    counts = {}
    for _, r in rows:
        what = r["outcome"] if r else "not run"
        counts[what] = counts.get(what, 0) + 1
    print(", ".join(f"{n} {what}" for what, n in sorted(counts.items())))


def main():
    commands = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = commands.add_subparsers(dest="what", required=True)
    for what in ("import", "search", "show"):
        c = sub.add_parser(what)
        if what != "show":
            c.add_argument("darwarp", type=os.path.abspath)
        c.add_argument("out", type=pathlib.Path)
        if what == "import":
            c.add_argument("--jobs", type=int, default=2)
        else:
            c.add_argument("--for", dest="how_long", default="8s")
        if what == "search":
            c.add_argument("--gpus", default="0,1")
            c.add_argument("--minutes", type=float, default=9)
            c.add_argument("--only", default="")
    args = commands.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    {"import": do_import, "search": do_search, "show": lambda a: show(a.out, a.how_long)}[args.what](args)


if __name__ == "__main__":
    main()
