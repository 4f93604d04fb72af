"""Finds the program of this package and runs it."""
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig


class DarwarpError(RuntimeError):
    """The program failed. Its last line says why; code is its exit code."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


def program():
    """The path of darwarp: what DARWARP_PROGRAM says, or what was installed with this package, or what is in PATH."""
    if os.environ.get("DARWARP_PROGRAM"):
        return os.environ["DARWARP_PROGRAM"]
    here = pathlib.Path(__file__).resolve().parent.parent
    user = sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")) if hasattr(sysconfig, "get_preferred_scheme") else None
    # The last is for pip install --target.
    for folder in (sysconfig.get_path("scripts"), user, here / "bin"):
        path = pathlib.Path(folder or "") / "darwarp"
        if folder and path.is_file() and os.access(path, os.X_OK):
            return str(path)
    found = shutil.which("darwarp")
    if found is None:
        raise DarwarpError("the program darwarp is not here: install the package again, or set DARWARP_PROGRAM to it")
    return found


def environment():
    """That of the program: its helpers in Python are to be this Python, and see the CUDA libraries that it has."""
    return {"DARWARP_PYTHON": sys.executable, **os.environ}


def reason(text, code):
    """The line of an error stream that says why: the last that the program began with its name, or else the last."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    named = [line for line in lines if line.startswith("darwarp: ")]
    line = (named or lines or [f"darwarp ended with exit code {code}"])[-1]
    return line[len("darwarp: "):] if line.startswith("darwarp: ") else line


def run(*args, check=True):
    """Runs darwarp and returns its standard output. check=False returns it whatever the exit code is."""
    done = subprocess.run([program(), *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace", env=environment())
    if check and done.returncode:
        raise DarwarpError(reason(done.stderr, done.returncode), done.returncode)
    return done.stdout
