"""What outputs move by where a number on the way is on the other side of a step, as of round(x / s).

Rounding may put a number that is near a step on either side of it, and a kernel is right on both. All inputs moved at random
find most such numbers, and miss one in a hundred where two inputs must move in opposite ways. So what goes into a step is
moved itself, by what rounding in fp32 may do to it: all numbers one way, all the other, and each either way or not at all,
so that steps that cancel are seen alone as well.
"""
import torch
from torch.overrides import TorchFunctionMode

RUNS = 20  # with each number moved or not: one step in a million of those that others cancel is not seen

NAMES = ("round", "floor", "ceil", "trunc", "fix", "sign", "sgn", "heaviside", "floor_divide", "remainder", "fmod", "gt", "ge",
         "lt", "le", "greater", "greater_equal", "less", "less_equal", "argmax", "argmin", "bucketize", "searchsorted")
METHODS = ("__gt__", "__ge__", "__lt__", "__le__", "__floordiv__", "__mod__", "long", "int", "short", "char", "byte", "round_", "floor_", "ceil_",
           "trunc_", "sign_")
STEPS = {getattr(of, name) for of, names in ((torch, NAMES), (torch.Tensor, NAMES + METHODS)) for name in names
         if hasattr(of, name)}


def to_whole(func, args, kwargs):
    """Whether numbers are cut to whole ones of a type that is named."""
    types = (a for a in (*args[1:], *kwargs.values()) if isinstance(a, torch.dtype))
    return func in (torch.Tensor.to, torch.Tensor.type) and any(not t.is_floating_point and t is not torch.bool for t in types)


class Steps(TorchFunctionMode):
    """Hands each tensor that goes into a step to a function, with the number of the step, and goes on with what that gives."""

    def __init__(self, each):
        super().__init__()
        self.each, self.count = each, 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        rounds = func in (torch.div, torch.Tensor.div, torch.true_divide) and kwargs.get("rounding_mode") is not None
        if (rounds or func in STEPS or to_whole(func, args, kwargs)) and args and isinstance(args[0], torch.Tensor) and args[0].is_floating_point():
            self.count += 1
            new = self.each(self.count - 1, args[0])
            args = (args[0].copy_(new) if func.__name__.endswith("_") and not func.__name__.endswith("__") else new, *args[1:])
        return func(*args, **kwargs)


class Watched:
    """What goes into the steps of a module: numbers, and the squares of what they move by. run(each) runs it so."""

    def __init__(self):
        self.first, self.squares, self.narrow, self.lost = [], [], [], False

    def note(self, run, what):
        """Runs the module and has what(k, t) look at what goes into step k."""
        def each(k, t):
            if not self.lost:
                what(k, t)
            return t
        with Steps(each) as steps:
            out = run()
        self.lost = self.lost or steps.count != len(self.first)
        return out

    def begin(self, run):
        return self.note(run, lambda k, t: self.first.append(t.detach().clone()))

    def probe(self, run, step):
        if not self.first:
            return run()
        self.squares = self.squares or [torch.zeros_like(t) for t in self.first]

        def add(k, t):
            if self.fits(k, t):
                self.squares[k] += ((t - self.first[k]) / step).nan_to_num(0, 0, 0).square()
        return self.note(run, add)

    def cut(self, run):
        """Runs it in fp32."""
        return self.note(run, lambda k, t: self.narrow.append(t.detach().double())) if self.first else run()

    def fits(self, k, t):
        self.lost = self.lost or k >= len(self.first) or t.shape != self.first[k].shape
        return not self.lost

    def jumps(self, run, outputs, scale_of, probes, unit):
        """The most that each output moves by where what goes into steps is moved by so many of its scale; 0 where there are no
        steps, or others than at first."""
        most = [torch.zeros_like(y, dtype=torch.float64) for y in outputs]
        if self.lost or not self.first:
            return most
        by = [scale_of(t, (s / probes).sqrt(), n).double() * unit for t, s, n in zip(self.first, self.squares, self.narrow)]
        by = [b.nan_to_num(0, 0, 0) for b in by]
        draws = {d: torch.Generator(d).manual_seed(3) for d in {b.device for b in by}}
        for turn in range(RUNS + 2):
            def move(k, t):
                if k >= len(by) or t.shape != by[k].shape:
                    return t
                if turn < 2:
                    return t + by[k] * (1 - 2 * turn)
                return t + by[k] * torch.randint(-1, 2, t.shape, generator=draws[t.device], dtype=torch.int8, device=t.device)
            with Steps(move):
                moved = run()
            for m, y, z in zip(most, outputs, moved):
                if z.shape == y.shape:
                    torch.maximum(m, (z - y).double().abs().nan_to_num(0, 0, 0), out=m)
        return most
