"""Exports runs into a cache of this user, and reads exported folders."""
import hashlib
import json
import os
import pathlib
import shutil
import stat
import tempfile

from darwarp._program import DarwarpError, run

NOT_MEASURED = "the run is of the {kind} device: its kernel never ran on a GPU"


def cache():
    """The folder of what this package keeps, which nobody else may write to: its machine code is run."""
    base = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    folder = base / "darwarp" / "python"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    info = folder.stat()
    if info.st_uid != os.getuid() or info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise DarwarpError(f"{folder} can be written to by others: remove it, or set XDG_CACHE_HOME to a folder of your own")
    return folder


def digest(path):
    """The hash of a run's file, with the program that reads it."""
    h = hashlib.sha256(run("--version").encode())
    with open(path, "rb") as f:
        for block in iter(lambda: f.read(1 << 20), b""):
            h.update(block)
    return h.hexdigest()[:32]


def folder_of(source):
    """The exported folder of a run. A run is exported once, as long as its file stays the same."""
    source = os.fspath(source)
    if os.path.isdir(source):
        return pathlib.Path(source)
    if not os.path.isfile(source):  # a name that darwarp knows, or an error that it tells
        return export(source, pathlib.Path(tempfile.mkdtemp(prefix="named-", dir=cache())))
    kept = cache() / digest(source)
    if not (kept / "launch.json").is_file():
        fresh = export(source, pathlib.Path(tempfile.mkdtemp(prefix="new-", dir=cache())))
        try:
            fresh.rename(kept)  # whoever is first
        except OSError:
            shutil.rmtree(fresh, ignore_errors=True)
    return kept


def export(source, folder):
    try:
        run("export", source, "-o", folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder


class Plan:
    """What an exported folder says: the inputs, and the launches of each size that was measured."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        try:
            text = (folder / "launch.json").read_bytes()
            data = json.loads(text)
            self.problem, self.kind = data["problem"], data["kind"]
        except (OSError, ValueError, KeyError) as error:
            raise DarwarpError(f"{folder} is no folder that this version of `darwarp export` wrote: {error}") from None
        self.arch, self.flags, self.workloads = data["arch"], data.get("flags") or [], data["workloads"]
        of_module = data.get("module") or {}
        self.numbers = [(c["at"], c["name"], json.loads(c["value"])) for c in of_module.get("numbers") or []]
        self.scalars, self.long = (frozenset(of_module.get(key) or []) for key in ("scalars", "long"))
        tensors = self.workloads[0]["tensors"]
        self.inputs = [t for t in tensors if not t.get("out")]
        self.outputs = [t for t in tensors if t.get("out")]
        cubin = folder / "kernel.cubin"
        self.cubin = cubin.read_bytes() if cubin.is_file() else None
        self.name = "".join(c if c.isalnum() else "_" for c in self.problem) + "_" + \
            hashlib.sha256(text + (self.cubin or b"")).hexdigest()[:12]
        for w in self.workloads:
            w["input_shapes"] = [tuple(t["shape"]) for t in w["tensors"] if not t.get("out")]
            w["output_shapes"] = [tuple(t["shape"]) for t in w["tensors"] if t.get("out")]
            w["flags"] = tuple(w["dims"][f] for f in self.flags)

    def workload(self, shapes, flags):
        """The workload of these sizes, or None."""
        for w in self.workloads:
            if w["input_shapes"] == shapes and w["flags"] == flags:
                return w
        return None

    def runs_on(self, capability):
        """Why the machine code does not run on a GPU of a compute capability, or None."""
        if self.kind != "cuda":
            return NOT_MEASURED.format(kind=self.kind)
        if any(w.get("prepare") for w in self.workloads):
            return "the kernel packs weights beforehand, which load does not do: export it with --as torch"
        if self.cubin is None:
            return "the folder has no kernel.cubin: export the run where NVRTC is (pip install nvidia-cuda-nvrtc)"
        number = self.arch[len("sm_"):].rstrip("af")
        major, minor = int(number[:-1]), int(number[-1])
        exact = self.arch[-1] in "af"
        if capability[0] != major or capability[1] < minor or exact and capability != (major, minor):
            return f"the kernel is for {self.arch}, the GPU is sm_{capability[0]}{capability[1]}"
        return None
