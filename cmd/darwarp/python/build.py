#!/usr/bin/env python3
"""Builds the wheel of darwarp: the program for one platform, and the Python package beside it.

    cmd/darwarp/python/build.py [--arch amd64|arm64] [--program FILE] [-o FOLDER]

It needs Python and, unless a built program is given, Go. The same commit gives the same bytes on the same versions of both.
"""
import argparse
import base64
import hashlib
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
# The program needs a C library that can open others, of any version: Go's own code is older than 2.17.
TAGS = {"amd64": "py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64", "arm64": "py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64"}
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
STAMPED = "darwarp/cmd/darwarp/internal/session.stamped"
CUDA = ["nvidia-cuda-nvrtc", "nvidia-cuda-runtime", "nvidia-cuda-cccl", "nvidia-cuda-crt"]
METADATA = """Metadata-Version: 2.1
Name: darwarp
Version: {version}
Summary: Evolves CUDA kernels: search, check and measure on your own GPU
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: cuda
{cuda}
Provides-Extra: torch
Requires-Dist: torch>=2.4; extra == "torch"
Description-Content-Type: text/markdown

{readme}"""


def git(*args):
    done = subprocess.run(["git", "-C", ROOT, *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def stamp():
    """Tag, commit and date of the source. Only a tag of this very commit, unchanged, is a release."""
    changed = bool(git("status", "--porcelain"))
    tag = "" if changed else git("describe", "--tags", "--exact-match", "--match", "v[0-9]*")
    commit, date = (git("log", "-1", "--format=%H %cs") or "unknown 1980-01-01").split()
    return tag or "devel", commit[:12] + ("+dirty" if changed else ""), date


def version(tag, commit, date):
    """The version as Python writes it (PEP 440)."""
    if re.fullmatch(r"v\d+(\.\d+)*", tag):
        return tag[1:]
    release = re.fullmatch(r"v(\d+(?:\.\d+)*)-(rc|alpha|beta)\.?(\d+)", tag)
    if release:
        return release[1] + {"rc": "rc", "alpha": "a", "beta": "b"}[release[2]] + release[3]
    return "0.0.0.dev" + date.replace("-", "") + "+g" + commit.replace("+dirty", ".dirty")


def compile_program(arch, out):
    """Builds the program without anything of this machine in it."""
    env = {**os.environ, "CGO_ENABLED": "0", "GOOS": "linux", "GOARCH": arch, "GOAMD64": "v1", "GOARM64": "v8.0"}
    env.pop("GOFLAGS", None)
    flags = f"-s -w -buildid= -X '{STAMPED}={' '.join(stamp())}'"
    subprocess.run(["go", "build", "-C", ROOT, "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", out, "./cmd/darwarp"],
                   check=True, env=env)


def contents(program, tag, release):
    """The wheel's files: name, bytes, mode."""
    info = f"darwarp-{release}.dist-info"
    package = sorted((HERE / "darwarp").glob("*.py"))
    files = [(f"darwarp/{p.name}", p.read_bytes(), 0o644) for p in package]
    files.append((f"darwarp-{release}.data/scripts/darwarp", pathlib.Path(program).read_bytes(), 0o755))
    cuda = "\n".join(f'Requires-Dist: {name}>=13; extra == "cuda"' for name in CUDA)
    readme = (HERE / "README.md").read_text()
    wheel = "Wheel-Version: 1.0\nGenerator: darwarp\nRoot-Is-Purelib: false\n"
    wheel += "".join(f"Tag: py3-none-{p}\n" for p in tag[len("py3-none-"):].split("."))
    files += [(f"{info}/METADATA", METADATA.format(version=release, cuda=cuda, readme=readme).encode(), 0o644),
              (f"{info}/WHEEL", wheel.encode(), 0o644), (f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644)]
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data, _ in files) + f"{info}/RECORD,,\n"
    return [*files, (f"{info}/RECORD", record.encode(), 0o644)]


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def write(path, files, date):
    """A zip file whose bytes are of its contents alone."""
    when = tuple(int(n) for n in date.split("-")) + (0, 0, 0)
    with zipfile.ZipFile(path, "w") as z:
        for name, data, mode in files:
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, (0o100000 | mode) << 16
            z.writestr(entry, data, compresslevel=6)


def build(arch, program, folder):
    tag, commit, date = stamp()
    release = version(tag, commit, date)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"darwarp-{release}-{TAGS[arch]}.whl"
    with tempfile.TemporaryDirectory() as room:
        if program is None:
            program = pathlib.Path(room) / "darwarp"
            compile_program(arch, program)
        write(path, contents(program, TAGS[arch], release), date)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", choices=sorted(TAGS), default=MACHINES.get(platform.machine(), "amd64"))
    parser.add_argument("--program", type=pathlib.Path, help="a built darwarp, for that architecture")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("dist"), help="the folder to write to (dist)")
    args = parser.parse_args()
    print(build(args.arch, args.program, args.output))


if __name__ == "__main__":
    sys.exit(main())
