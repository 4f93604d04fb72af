"""A module in fp64 as the function that it is in fp32."""
import ctypes
import math

import torch
from torch.overrides import TorchFunctionMode


class Wide(TorchFunctionMode):
    """Numbers that a module widens to fp32, as norms do, are not rounded to it where it runs in fp64. Plain numbers are those that
    torch computes with in fp32."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.Tensor.float:
            func = torch.Tensor.double
        args = tuple(widened(a) for a in args)
        return func(*args, **{name: widened(a) for name, a in (kwargs or {}).items()})


def widened(a):
    if a is torch.float32:
        return torch.float64
    if type(a) is float:
        narrow = ctypes.c_float(a).value
        return narrow if math.isfinite(narrow) and (narrow or not a) else a
    return a
