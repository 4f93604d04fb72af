"""Makes an operator of PyTorch of an exported kernel."""
import warnings
from ctypes import c_void_p

import torch

from darwarp._cuda import Driver, Kernels
from darwarp._folder import Plan
from darwarp._source import name_of

NAMES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "e8m0": "float8_e8m0fnu"}
DTYPES = {name: getattr(torch, NAMES.get(name, name), None)  # None: this PyTorch does not have the type
          for name in [*NAMES, "int8", "uint8", "int32", "int64", "bool"]}
ALIGNED = 16  # bytes: what kernels expect of addresses

_library = torch.library.Library("darwarp", "FRAGMENT")
_operators = {}  # by name: loading a kernel again is no second operator


class Caller:
    """Runs an exported kernel on tensors of a measured size. Kernels are loaded once for each GPU."""

    def __init__(self, plan):
        self.plan, self.driver, self.kernels = plan, None, {}

    def on(self, device):
        """The kernels on a GPU, every launch prepared: a CUDA graph may be captured next."""
        if device.index not in self.kernels:
            self.driver = self.driver or Driver()
            kernels = Kernels(self.driver, self.plan.cubin, device.index)
            for launch in (each for w in self.plan.workloads for each in w["launches"]):
                kernels.prepare(launch)
            self.kernels[device.index] = kernels
        return self.kernels[device.index]

    def __call__(self, *args):
        tensors, flags = args[:len(self.plan.inputs)], args[len(self.plan.inputs):]
        w = self.plan.workload([tuple(t.shape) for t in tensors], tuple(flags))
        if w is None:
            raise ValueError(f"{self.plan.name}: not measured for {[tuple(t.shape) for t in tensors]} {flags}")
        device = tensors[0].device
        with torch.cuda.device(device):  # also makes its context, and has it current
            outputs = self.outputs(w, tensors[0])
            inputs = [ready(t) for t in tensors]
            held = dict(zip([t["name"] for t in self.plan.inputs + self.plan.outputs], inputs + outputs))
            for s in w.get("scratch") or []:
                cleared = s.get("zero") or s.get("once")  # memory of its own for each call: any stream may call
                make = torch.zeros if cleared else torch.empty
                held[s["name"]] = make(max(s["bytes"], 1), dtype=torch.uint8, device=device)
            self.launch(w, held, self.on(device), torch.cuda.current_stream(device).cuda_stream)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def launch(self, w, held, kernels, stream):
        of = {t["name"]: t for t in w["tensors"]}
        places = {name: c_void_p(t.data_ptr()) for name, t in held.items()}
        for launch in w["launches"]:
            maps = {m["name"]: kernels.tensor_map(m, of[m["tensor"]], held[m["tensor"]].data_ptr())
                    for m in launch.get("tensor_maps") or []}
            kernels.launch(launch, {**places, **maps}, stream)

    def outputs(self, w, like):
        return [like.new_empty(shape, dtype=DTYPES[t["dtype"]]) for t, shape in zip(self.plan.outputs, w["output_shapes"])]

    def fake(self, *args):
        """Shapes and types of the outputs, for torch.compile."""
        n = len(self.plan.inputs)
        w = self.plan.workload([tuple(t.shape) for t in args[:n]], tuple(args[n:]))
        if w is None:
            raise ValueError(f"{self.plan.name}: not measured for {[tuple(t.shape) for t in args[:n]]}")
        outputs = self.outputs(w, args[0])
        return outputs[0] if len(outputs) == 1 else tuple(outputs)


def ready(t):
    """A tensor as the kernel reads it: dense, and at an address that is aligned."""
    t = t.contiguous()
    return t.clone() if t.data_ptr() % ALIGNED else t


def registered(plan):
    """torch.ops.darwarp.NAME for a plan, and what it calls."""
    if plan.name not in _operators:
        params = [f"Tensor t{i}" for i in range(len(plan.inputs))] + [f"int n{i}" for i in range(len(plan.flags))]
        result = "Tensor" if len(plan.outputs) == 1 else "(" + ", ".join(["Tensor"] * len(plan.outputs)) + ")"
        caller = Caller(plan)
        _library.define(f"{plan.name}({', '.join(params)}) -> {result}")
        _library.impl(plan.name, caller.__call__, "CUDA")
        torch.library.register_fake(f"darwarp::{plan.name}", caller.fake, lib=_library)
        _operators[plan.name] = caller
    return getattr(torch.ops.darwarp, plan.name), _operators[plan.name]


class Operator(torch.nn.Module):
    """A kernel that darwarp found, where it was measured; elsewhere the module that it stands for.

    There is no backward: where gradients are asked for, the module works.
    """

    def __init__(self, plan, fallback):
        super().__init__()
        self.plan, self.fallback, self.said = plan, fallback, False
        self.op, caller = registered(plan)
        self.own = {}  # inputs of the problem that are the module's: where they are
        if fallback is not None:
            names = [n for n, _ in fallback.named_parameters()] + [n for n, _ in fallback.named_buffers()]
            mangled = {name_of(n): n for n in names}
            self.own = {t["name"]: mangled[t["name"]] for t in plan.inputs if t["name"] in mangled}
        self.unusable = "there is no GPU here"
        if plan.kind != "cuda" or torch.cuda.is_available():
            self.unusable = plan.runs_on(torch.cuda.get_device_capability() if plan.kind == "cuda" else None)
        if self.unusable is None:
            caller.on(torch.device("cuda", torch.cuda.current_device()))

    def given(self, name):
        """A parameter or buffer of the module, as it is now."""
        path, _, last = self.own[name].rpartition(".")
        return getattr(self.fallback.get_submodule(path), last)

    def arguments(self, args):
        """The operator's arguments, or why it cannot take them."""
        rest = list(args)
        own, free = len(self.own), len(self.plan.inputs) + len(self.plan.flags) - len(self.own)
        if len(rest) != free:
            return None, f"{len(rest)} arguments were given, it takes {free}"
        tensors = [self.given(t["name"]) if t["name"] in self.own else rest.pop(0) for t in self.plan.inputs]
        for t, want in zip(tensors, self.plan.inputs):
            if not isinstance(t, torch.Tensor) or t.dtype != DTYPES[want["dtype"]]:
                return None, f"{want['name']} is not a tensor of {want['dtype']}"
            if t.device != tensors[0].device or t.device.type != "cuda":
                return None, f"{want['name']} is not on the GPU"
            if t.requires_grad and torch.is_grad_enabled():
                return None, f"a gradient of {want['name']} may be asked for: call it under torch.no_grad()"
        if self.plan.workload([tuple(t.shape) for t in tensors], tuple(rest)) is None:
            return None, "the kernel was not measured for these shapes"
        return [*tensors, *rest], None

    def forward(self, *args, **kwargs):
        call, why = None, self.unusable
        if why is None:
            call, why = self.arguments(args) if not kwargs else (None, "keyword arguments were given")
        if why is None:
            return self.op(*call)
        if self.fallback is None:
            raise ValueError(f"{self.plan.problem}: {why}")
        if not self.said and not torch.compiler.is_compiling():
            self.said = True
            warnings.warn(f"darwarp: {self.plan.problem} is computed by the module, not by the kernel: {why}", stacklevel=4)
        return self.fallback(*args, **kwargs)

    def extra_repr(self):
        return f"{self.plan.name}, for " + ", ".join(w["name"] for w in self.plan.workloads)


def operator(folder, module):
    """The operator of an exported folder."""
    return Operator(Plan(folder), module)
