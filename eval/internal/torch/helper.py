"""Runs what a user of torch would run instead, for darwarp. It is started as one text behind frames.py and fresh.py, which
have serve and fresh.

What a baseline does wrong is the reply's "failure"; the timing follows darwarp's own: graphs of calls over a rotation of
buffers.
"""
import contextlib
import ctypes
import json
import math
import warnings

DTYPES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "int32": "int32", "int64": "int64", "bool": "bool",
          "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "e8m0": "float8_e8m0fnu", "int8": "int8", "uint8": "uint8"}
SDPA = {"flash": "FLASH_ATTENTION", "efficient": "EFFICIENT_ATTENTION", "math": "MATH", "cudnn": "CUDNN_ATTENTION"}

torch = None  # imported by load
driver = None  # libcuda, for what torch does not offer; none where torch is not for CUDA
functions = {}  # compiled calls by what they are: compiling takes seconds
runs = {}  # prepared runs by key


def load(req, _):
    """Imports torch, and what compiles with it, and leaves the GPU alone: somebody may be timed there."""
    global torch
    import torch as module

    torch = module
    if req["compiles"]:
        with contextlib.suppress(Exception):  # the calls say what a torch lacks
            import torch._dynamo
            import torch._inductor.compile_fx
    return {"version": torch.__version__}, b""


def open_device(req, _):
    global driver
    if not torch.cuda.is_available():
        raise RuntimeError("torch %s sees no GPU" % torch.__version__)
    driver = ctypes.CDLL("libcuda.so.1") if torch.version.cuda else None
    torch.cuda.set_device(req["index"])
    return {"version": torch.__version__, "device": torch.cuda.get_device_name()}, b""


def function(req):
    key = json.dumps([req["call"], req["backend"], req.get("tf32"), req.get("module"), req["dims"], [b["name"] for b in req["buffers"]]])
    if key not in functions:
        names = ", ".join(b["name"] for b in req["buffers"] if not b.get("out"))
        scope = dict(req["dims"], torch=torch, F=torch.nn.functional, math=math)
        if req.get("module"):
            scope[req["module"].partition(".")[0]] = __import__(req["module"])
        f = eval("lambda %s: (%s)" % (names, req["call"]), scope)
        if req["backend"] == "compile":
            f = torch.compile(f, dynamic=False)
        elif req["backend"] == "max-autotune":
            f = torch.compile(f, dynamic=False, mode="max-autotune-no-cudagraphs")
        functions[key] = f
    return functions[key]


@contextlib.contextmanager
def running(req):
    backend = req["backend"]
    torch.backends.cuda.matmul.allow_tf32 = bool(req.get("tf32"))  # products in fp32: else strictly so, torch's default
    with torch.no_grad():
        if backend not in SDPA:
            yield
            return
        with torch.nn.attention.sdpa_kernel(getattr(torch.nn.attention.SDPBackend, SDPA[backend])):
            yield


def dtype(buffer):
    return getattr(torch, DTYPES[buffer["dtype"]])


def results(req, got):
    """The outputs of a call, as many and as large as declared."""
    got = got if isinstance(got, (tuple, list)) else (got,)
    want = [b for b in req["buffers"] if b.get("out")]
    if len(got) != len(want):
        raise ValueError("the call gives %d outputs, the problem has %d" % (len(got), len(want)))
    got = [t.reshape(1) if b["shape"] == [1] and t.dim() == 0 else t for t, b in zip(got, want)]  # a problem's tensors have axes
    for t, b in zip(got, want):
        if list(t.shape) != b["shape"]:
            raise ValueError("the call gives %s of shape %s, the problem has %s" % (b["name"], list(t.shape), b["shape"]))
    return list(zip(got, want))


def check(req, blob):
    """Runs the call once on given inputs and returns the outputs, in the declared types."""
    at, inputs = 0, []
    for b in req["buffers"]:
        if not b.get("out"):
            t = torch.empty(b["shape"], dtype=dtype(b))
            n = t.numel() * t.element_size()
            ctypes.memmove(t.data_ptr(), blob[at:at + n], n)
            at += n
            inputs.append(t.cuda())
    with running(req):
        got = results(req, function(req)(*inputs))
    out = b""
    for t, b in got:
        t = t.to(dtype(b)).contiguous().cpu()
        out += ctypes.string_at(t.data_ptr(), t.numel() * t.element_size())
    return {}, out


class Run:
    """One call at one size, in a graph over a rotation of buffers."""

    def __init__(self, req):
        self.req, self.hot = req, req["cache"] == "hot"
        self.f = function(req)
        inputs = [b for b in req["buffers"] if not b.get("out")]
        self.sets = [[torch.empty(b["shape"], dtype=dtype(b), device="cuda") for b in inputs] for _ in range(req["sets"])]
        self.drawn = [b.get("drawn") for b in inputs]
        self.made = [b.get("made") for b in inputs]
        for s in self.sets:
            self.refill(s)
        self.flush = None if self.hot else torch.empty(req["flush"], dtype=torch.uint8, device="cuda")
        self.start, self.stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        with running(req):
            self.warm()
            self.capture(len(self.sets))
            self.sample()
            ns = min(self.sample() for _ in range(3))
            n = max(len(self.sets), min(req["max_calls"], math.ceil(req["region"] / ns)))
            self.capture(n + -n % len(self.sets))
        self.estimate = min(self.sample() for _ in range(3))

    def refill(self, inputs):
        for t, drawn, made in zip(inputs, self.drawn, self.made):
            if not made:
                fresh(torch, t, drawn, self.req["class"])
        if any(self.made):
            self.follow(inputs)

    def follow(self, inputs):
        """Makes the inputs that follow from the others."""
        given = [b for b in self.req["buffers"] if not b.get("out") and not b.get("made")]
        maker = function(dict(self.req, call=self.req["maker"], backend="eager", buffers=given))
        with torch.no_grad():
            got = maker(*[t for t, made in zip(inputs, self.made) if not made])
            for t, x in zip([t for t, made in zip(inputs, self.made) if made], got):
                t.copy_(x.reshape(t.shape))

    def warm(self):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                results(self.req, self.f(*self.sets[0]))
        torch.cuda.current_stream().wait_stream(side)
        torch.cuda.synchronize()

    def capture(self, calls):
        self.graph, self.calls = torch.cuda.CUDAGraph(), calls
        self.outs = [None] * len(self.sets)
        with torch.cuda.graph(self.graph):
            for i in range(calls):
                self.outs[i % len(self.sets)] = self.f(*self.sets[i % len(self.sets)])

    def sample(self):
        """ns a call of one replay, on new inputs, or on inputs that are not in L2. Lines that a kernel asked L2 to evict last,
        which Triton's kernels do, outlast a flush: they are made normal ones before."""
        if driver:
            driver.cuCtxResetPersistingL2Cache()
        for s, out in zip(self.sets, self.outs):
            if self.hot:
                self.refill(s)
            for t, _ in results(self.req, out):
                if t.is_floating_point():
                    t.fill_(float("nan"))
        if not self.hot:
            self.flush.add_(1)
        torch.cuda._sleep(int(2 * (20e3 + 100 * self.calls)))  # about 2 cycles a ns: time to queue the graph
        self.start.record()
        self.graph.replay()
        self.stop.record()
        self.stop.synchronize()
        return self.start.elapsed_time(self.stop) * 1e6 / self.calls


def prepare(req, _):
    runs.clear()
    torch.cuda.empty_cache()
    runs[req["key"]] = Run(req)
    return {"estimate": runs[req["key"]].estimate}, b""


def sample(req, _):
    run = runs[req["key"]]
    return {"samples": [run.sample() for _ in range(req["count"])]}, b""


HANDLERS = {"load": load, "open": open_device, "check": check, "prepare": prepare, "sample": sample}


def reason(error, notes):
    """One line: what torch says, and what it warned of before."""
    text = "%s: %s" % (type(error).__name__, str(error).strip().split("\n")[0])
    notes = [str(w.message).strip().split("\n")[0] for w in notes]
    return "; ".join([text] + notes[:2])[:500]


def answer(body, blob):
    ((what, req),) = body.items()
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        try:
            return HANDLERS[what](req, blob)
        except Exception as error:
            return {"failure": reason(error, notes)}, b""


serve(answer)
