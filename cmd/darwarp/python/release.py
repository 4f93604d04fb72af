#!/usr/bin/env python3
"""Builds all that a release has, for amd64 and arm64: tarballs, wheels, and their checksums.

    cmd/darwarp/python/release.py [-o FOLDER] [--arch amd64 --arch arm64]

It needs Go and Python, and a machine that can run one of the programs: manual pages and completions are its own output.
The same commit gives the same bytes on the same versions of both.
"""
import argparse
import gzip
import hashlib
import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import build

SHELLS = ("bash", "zsh", "fish")
HERE_ARCH = build.MACHINES.get(build.platform.machine())


def extras(program, room):
    """Manual pages and completions, by their place in the tarball."""
    subprocess.run([program, "man", room], check=True, stdout=subprocess.DEVNULL)
    files = {f"share/man/man1/{p.name}": p.read_bytes() for p in sorted(pathlib.Path(room).glob("*.1"))}
    for shell in SHELLS:
        done = subprocess.run([program, "completion", shell], check=True, stdout=subprocess.PIPE)
        files[f"share/completions/darwarp.{shell}"] = done.stdout
    return files


def tarball(path, top, files, seconds):
    """A tarball whose bytes are of its contents alone."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, (data, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mode, entry.mtime = len(data), mode, seconds
            tar.addfile(entry, io.BytesIO(data))
    with open(path, "wb") as out, gzip.GzipFile(filename="", fileobj=out, mode="wb", mtime=seconds) as zipped:
        zipped.write(raw.getvalue())


def release(folder, arches, programs):
    folder.mkdir(parents=True, exist_ok=True)
    tag, commit, date = build.stamp()
    name = build.version(tag, commit, date)
    seconds = int(build.git("log", "-1", "--format=%ct") or 0)
    made = []
    with tempfile.TemporaryDirectory() as room:
        room = pathlib.Path(room)
        for arch in arches:
            if arch not in programs:
                programs[arch] = room / arch
                build.compile_program(arch, programs[arch])
        if HERE_ARCH not in programs:
            programs[HERE_ARCH] = room / "here"
            build.compile_program(HERE_ARCH, programs[HERE_ARCH])
        texts = {n: (build.ROOT / n).read_bytes() for n in ("LICENSE", "README.md", "CHANGELOG.md")}
        texts.update(extras(programs[HERE_ARCH], room / "man"))
        for arch in arches:
            files = {n: (data, 0o644) for n, data in texts.items()}
            files["bin/darwarp"] = (programs[arch].read_bytes(), 0o755)
            top = f"darwarp-{name}-linux-{arch}"
            tarball(folder / f"{top}.tar.gz", top, files, seconds)
            made += [folder / f"{top}.tar.gz", build.build(arch, programs[arch], folder)]
    sums = "".join(f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}\n" for p in sorted(made))
    (folder / "SHA256SUMS").write_text(sums)
    return [*made, folder / "SHA256SUMS"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", action="append", choices=sorted(build.TAGS), help="only this architecture; repeatable")
    parser.add_argument("--program", action="append", default=[], metavar="ARCH=FILE", help="a built darwarp; repeatable")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("dist"), help="the folder to write to (dist)")
    args = parser.parse_args()
    programs = {arch: pathlib.Path(file) for arch, _, file in (p.partition("=") for p in args.program)}
    for path in release(args.output, args.arch or sorted(build.TAGS), programs):
        print(path)


if __name__ == "__main__":
    sys.exit(main())
