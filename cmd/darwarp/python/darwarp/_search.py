"""Imports modules of PyTorch and searches kernels for them, by the command line."""
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

from darwarp._folder import cache
from darwarp._program import DarwarpError, environment, program, reason, run

INTERRUPTED = 130


def import_module(module, inputs=None, folder=None, dims=None):
    """Makes a problem folder of a module and returns its path.

    module: a torch.nn.Module with example inputs, or the path of a Python file in KernelBench's form. folder: where to
    write it, new; else one in the cache, which is used again for the same module. dims: sizes to search for, by name.
    """
    if isinstance(module, (str, os.PathLike)):
        file, text = pathlib.Path(module), pathlib.Path(module).read_text()
    else:
        from darwarp._source import source_of  # needs torch

        text = source_of(module, inputs)
        folder_of_text = pathlib.Path(tempfile.mkdtemp(prefix="module-", dir=cache()))
        file = folder_of_text / "model.py"
        file.write_text(text)
    options = ["--dims", ",".join(f"{k}={v}" for k, v in dims.items())] if dims else []
    if folder is None:
        name = "module_" + hashlib.sha256((run("--version") + text + str(options)).encode()).hexdigest()[:16]
        folder = cache() / name
    folder = pathlib.Path(folder)
    try:
        if not (folder / "problem.toml").is_file():
            run("import", "torch", file, "-o", folder, *options)
    finally:
        if not isinstance(module, (str, os.PathLike)):
            shutil.rmtree(file.parent, ignore_errors=True)
    return folder


def optimize(module, inputs, minutes=10, store=None, progress=True, options=()):
    """Searches a kernel for a module, and returns what stands in for the module: darwarp.load of the run.

    inputs: a list of arguments of the module, of the shapes and types that count. store: the run's file, new; else one in
    the current folder, which the result's attribute run names. progress: a line on stderr, or an output of the notebook. options: more of `darwarp search`.
    An interrupt ends the search; what it found until then is loaded.
    """
    from darwarp import load

    folder = import_module(module, inputs)
    if store is None:
        handle, store = tempfile.mkstemp(prefix=folder.name + "-", suffix=".db", dir=".")
        os.close(handle)
        os.unlink(store)
    search(folder, store, minutes, Progress(minutes * 60) if progress else None, options)
    op = load(store, module)
    op.run = os.fspath(store)
    return op


def search(problem, store, minutes, progress=None, options=()):
    """Runs `darwarp search`, and tells progress of each event."""
    args = [program(), "search", str(problem), "--for", f"{round(minutes * 60)}s", "--json", "--store", str(store), *map(str, options)]
    with tempfile.TemporaryFile("w+", errors="replace") as talk:
        # In a session of its own: an interrupt of the terminal is ours, and the search hears of it once.
        child = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=talk, text=True, env=environment(),
                                 start_new_session=True)
        try:
            follow(child, progress)
        except BaseException as error:
            child.send_signal(signal.SIGINT)
            follow(child, None)  # until it has saved
            if not isinstance(error, KeyboardInterrupt):
                raise
        finally:
            child.stdout.close()
            code = child.wait()
            if progress:
                progress.end()
        if code not in (0, INTERRUPTED):
            talk.seek(0)
            raise DarwarpError(reason(talk.read(), code), code)


def follow(child, progress):
    for line in child.stdout:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if progress and isinstance(event, dict):
            progress.tell(event)


class Progress:
    """A line that says how far a search is: a bar, time, evaluations, how much faster than the naive start."""

    WIDTH = 24
    SECOND = 1e9  # of an event's time

    def __init__(self, seconds, out=None):
        self.seconds, self.out = seconds, out or sys.stderr
        self.display, self.last, self.evals, self.speedup = notebook(), "", 0, None

    def line(self, at):
        done = round(self.WIDTH * min(at / self.seconds, 1)) if self.seconds else self.WIDTH
        bar = "#" * done + "-" * (self.WIDTH - done)
        text = f"darwarp [{bar}] {clock(at)} of {clock(self.seconds)}, {self.evals} evaluated"
        return text + (f", {self.speedup:.2f}x of the start" if self.speedup else "")

    def tell(self, event):
        self.evals, self.speedup = event.get("evals", self.evals), event.get("speedup", self.speedup)
        line = self.line(event.get("at", 0) / self.SECOND)
        if line != self.last:
            self.show(line, event.get("kind") == "champion")
            self.last = line

    def show(self, line, news):
        if self.display:
            self.display.update({"text/plain": line}, raw=True)
        elif self.out.isatty():
            self.out.write("\r\x1b[K" + line)
        elif news:  # a log is not for bars
            self.out.write(line + "\n")
        self.out.flush()

    def end(self):
        if not self.display and self.out.isatty() and self.last:
            self.out.write("\n")


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def notebook():
    """An output of the notebook that this runs in, or None."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    return display({"text/plain": "darwarp"}, raw=True, display_id=True)
