"""How a file is run: on tensors without memory, or with it, on this machine whatever GPU it names."""
import contextlib
import copy
import types

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.overrides import TorchFunctionMode

from refusal import Refused

DRAWN = {torch.rand: "uniform", torch.randn: "normal", torch.rand_like: "uniform", torch.randn_like: "normal"}
NORMS = (torch.nn.functional.rms_norm, torch.rms_norm, torch.ops.aten.rms_norm, torch.ops.aten.rms_norm.default)


class Drawn(TorchFunctionMode):
    """Remembers how tensors are drawn, and keeps them where they are: a file may name a GPU. An RMS norm without an epsilon
    has that of fp32, which torch takes for all types but fp64: the module in fp64 is still that module. Distances are not
    made of products, which lose what near points are apart."""

    def __init__(self, place="cpu"):
        super().__init__()
        self.place = place

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if func is torch.Tensor.cuda or func is torch.Tensor.pin_memory:
            return args[0]
        if "cuda" in str(kwargs.get("device", "")):
            kwargs["device"] = self.place
        kwargs.pop("pin_memory", None)
        args = tuple(self.place if isinstance(a, (str, torch.device)) and str(a).startswith("cuda") else a for a in args)
        if func in NORMS and (args + (None,) * 4)[3] is None:
            args = args[:3]
            kwargs["eps"] = torch.finfo(torch.float32).eps if kwargs.get("eps") is None else kwargs["eps"]
        if func is torch.cdist:
            args, kwargs["compute_mode"] = args[:3], "donot_use_mm_for_euclid_dist"
        out = func(*args, **kwargs)
        if isinstance(out, torch.Tensor) and func in DRAWN:
            out.drawn = DRAWN[func]
        if func is torch.randint:
            out.range = drawn_range(args, kwargs)
        return out


def drawn_range(args, kwargs):
    """The least and the greatest number that torch.randint draws: low, high, size, of which low may be missing."""
    ends = [a for a in args[:2] if isinstance(a, int)]
    low, high = kwargs.get("low", ends[0] if len(ends) == 2 else 0), kwargs.get("high", ends[-1] if ends else 0)
    return [low, high - 1]


class Bounded(TorchFunctionMode):
    """Refuses slices that begin or end outside of their tensors, which torch makes shorter: at such sizes, as of a buffer that
    is shorter than what is read of it, a module is another one."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.Tensor.__getitem__:
            check_bounds(args[0], args[1] if isinstance(args[1], tuple) else (args[1],))
        return func(*args, **(kwargs or {}))


def check_bounds(x, index):
    axis = 0
    for k, i in enumerate(index):
        if i is Ellipsis:
            axis = x.dim() - sum(1 for later in index[k + 1:] if later is not None)
        elif isinstance(i, slice):
            if any(type(n) is int and abs(n) > x.shape[axis] for n in (i.start, i.stop)):
                raise Refused("a slice goes beyond its tensor: [%s:%s] of %d" % (i.start, i.stop, x.shape[axis]))
            axis += 1
        elif i is not None:
            axis += i.dim() if isinstance(i, torch.Tensor) and i.dtype == torch.bool else 1


@contextlib.contextmanager
def without_memory():
    """Tensors that are made have sizes and no memory. torch refuses to convert modules of such ones, and a file may say .half()."""
    old, torch.nn.Module._apply = torch.nn.Module._apply, converted
    try:
        with FakeTensorMode(allow_non_fake_inputs=True), Drawn():
            yield
    finally:
        torch.nn.Module._apply = old


def converted(module, function, recurse=True):
    """As Module._apply: parameters and buffers become what a function makes of them. What is shared stays shared."""
    done = {}
    for part in module.modules() if recurse else [module]:
        for tensors in (part._parameters, part._buffers):
            for name, t in tensors.items():
                if t is None:
                    continue
                if id(t) not in done:
                    new = function(t.detach())
                    done[id(t)] = torch.nn.Parameter(new, t.requires_grad) if isinstance(t, torch.nn.Parameter) else new
                tensors[name] = done[id(t)]
    return module


def copied(module):
    """A copy that shares no tensor with the module, also where a function that it holds, as a lambda, refers to its parts."""
    kinds = copy._deepcopy_dispatch
    old, kinds[types.FunctionType] = kinds[types.FunctionType], copied_function
    try:
        return copy.deepcopy(module)
    finally:
        kinds[types.FunctionType] = old


def copied_function(function, memo):
    if not function.__closure__:
        return function
    cells = tuple(types.CellType() for _ in function.__closure__)
    new = types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, cells)
    new.__kwdefaults__ = function.__kwdefaults__
    memo[id(function)] = new
    for cell, held in zip(cells, function.__closure__):
        with contextlib.suppress(ValueError):  # it is empty
            cell.cell_contents = copy.deepcopy(held.cell_contents, memo)
    return new
