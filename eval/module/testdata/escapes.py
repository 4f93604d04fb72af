import torch
import os
import signal
import socket
import subprocess

done = []


def attempt(what, f):
    try:
        f()
        done.append(what)
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise


attempt("read the project", lambda: open(PROJECT).read())
attempt("write beside it", lambda: open(PROJECT + ".written", "w").write("x"))
attempt("write to /tmp", lambda: open("/tmp/darwarp-escaped", "w").write("x"))
attempt("write to the program", lambda: open(torch.__file__, "a").write("x"))
attempt("list the home", lambda: os.listdir(os.path.expanduser("~root")))
attempt("read who is here", lambda: open("/etc/passwd").read())
attempt("look into the supervisor", lambda: open("/proc/%d/environ" % os.getppid()).read())
attempt("kill the supervisor", lambda: os.kill(os.getppid(), 0) if os.getppid() > 0 else 1 / 0)
attempt("kill all", lambda: os.kill(-1, signal.SIGSTOP))
attempt("start a program", lambda: subprocess.run(["/bin/true"], check=True))
attempt("fork", lambda: os._exit(0) if os.fork() == 0 else None)
attempt("connect", lambda: socket.create_connection(("127.0.0.1", 22), 1))
attempt("listen", lambda: socket.socket().listen())
attempt("a socket of files", lambda: socket.socket(socket.AF_UNIX))
raise RuntimeError("succeeded: %s" % done)


class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2


def get_inputs():
    return [torch.rand(8, 16)]
