"""Makes an operator of PyTorch of an exported kernel."""
import inspect
import warnings
from ctypes import c_void_p

import torch

from darwarp._cuda import Driver, Kernels
from darwarp._folder import Plan
from darwarp._source import name_of

NAMES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "e8m0": "float8_e8m0fnu"}
DTYPES = {name: getattr(torch, NAMES.get(name, name), None)  # None: this PyTorch does not have the type
          for name in [*NAMES, "int8", "uint8", "int32", "int64", "bool"]}
REQUIRED = inspect.Parameter.empty
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


def parameters_of(module):
    """The names of what a module's forward takes, with what it has for those that are left out."""
    try:
        every = inspect.signature(module.forward).parameters.values()
    except (AttributeError, TypeError, ValueError):
        return []
    return [(p.name, p.default) for p in every if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def same(given, value):
    """Whether an argument is what a kernel was made for; infinities are texts there."""
    if given is value:
        return True
    plain = isinstance(given, (int, float, str)) and isinstance(value, (int, float, str))
    return plain and isinstance(given, bool) == isinstance(value, bool) and (given == value or str(given) == value)


class Operator(torch.nn.Module):
    """A kernel that darwarp found, where it was measured; elsewhere the module that it stands for.

    There is no backward: where gradients are asked for, the module works.
    """

    def __init__(self, plan, fallback):
        super().__init__()
        self.plan, self.fallback, self.said = plan, fallback, False
        self.op, caller = registered(plan)
        self.own = {}  # inputs of the problem that are the module's: where they are
        self.takes = parameters_of(fallback)
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

    def in_order(self, args, kwargs):
        """The module's arguments in their order, with its own for those that are left out; None where others are given by
        name."""
        rest, full = dict(kwargs), list(args)
        for name, default in self.takes[len(args):]:
            if name not in rest and default is REQUIRED:
                break
            full.append(rest.pop(name, default))
        return None if rest else full

    def tensors_of(self, args, kwargs):
        """The arguments without those that are part of the kernel, or why it does not stand for what was asked."""
        full = list(args)
        if self.fallback is not None:
            full = self.in_order(args, kwargs)
        if full is None or kwargs and self.fallback is None:
            return None, "keyword arguments were given"
        numbers = self.plan.numbers if self.fallback is not None else []
        count = len(self.plan.inputs) + len(self.plan.flags) - len(self.own) + len(numbers)
        left_out = [default for _, default in self.takes[count:]]  # as when the module was imported
        if len(full) < count or len(full) - count > len(left_out) or not all(map(same, full[count:], left_out)):
            return None, f"{len(args) + len(kwargs)} arguments were given, it takes {count}"
        for at, name, value in numbers:
            if not same(full[at], value):
                return None, f"{name} is not {value!r}, which the kernel is for"
        return [x for i, x in enumerate(full[:count]) if i not in {at for at, _, _ in numbers}], None

    def arguments(self, args, kwargs):
        """The operator's arguments, or why it cannot take them."""
        rest, why = self.tensors_of(args, kwargs)
        if why is not None:
            return None, why
        tensors = [self.given(t["name"]) if t["name"] in self.own else rest.pop(0) for t in self.plan.inputs]
        for i, (t, want) in enumerate(zip(tensors, self.plan.inputs)):
            if not isinstance(t, torch.Tensor) or t.dtype != DTYPES[want["dtype"]]:
                return None, f"{want['name']} is not a tensor of {want['dtype']}"
            if t.device != tensors[0].device or t.device.type != "cuda":
                return None, f"{want['name']} is not on the GPU"
            if t.requires_grad and torch.is_grad_enabled():
                return None, f"a gradient of {want['name']} may be asked for: call it under torch.no_grad()"
            if want["name"] in self.plan.scalars and tuple(t.shape) == ():
                tensors[i] = t.reshape(1)
        if self.plan.workload([tuple(t.shape) for t in tensors], tuple(rest)) is None:
            return None, "the kernel was not measured for these shapes"
        return [*tensors, *rest], None

    def forward(self, *args, **kwargs):
        call, why = None, self.unusable
        if why is None:
            call, why = self.arguments(args, kwargs)
        if why is None:
            return self.as_module(self.op(*call))
        if self.fallback is None:
            raise ValueError(f"{self.plan.problem}: {why}")
        if not self.said and not torch.compiler.is_compiling():
            self.said = True
            warnings.warn(f"darwarp: {self.plan.problem} is computed by the module, not by the kernel: {why}", stacklevel=4)
        return self.fallback(*args, **kwargs)

    def as_module(self, outputs):
        """The outputs as the module gives them: those without axes, and whole numbers of int64."""
        if not self.plan.scalars and not self.plan.long:
            return outputs
        single = len(self.plan.outputs) == 1
        given = []
        for y, t in zip([outputs] if single else outputs, self.plan.outputs):
            y = y.reshape(()) if t["name"] in self.plan.scalars else y
            given.append(y.to(torch.int64) if t["name"] in self.plan.long else y)
        return given[0] if single else tuple(given)

    def extra_repr(self):
        return f"{self.plan.name}, for " + ", ".join(w["name"] for w in self.plan.workloads)


def operator(folder, module):
    """The operator of an exported folder."""
    return Operator(Plan(folder), module)
