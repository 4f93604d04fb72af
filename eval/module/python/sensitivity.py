"""How far the outputs of a module follow its inputs: what rounding is held against where nobody knows the terms of a sum.

The scale of an output y is |y| + sqrt(sum of (x dy/dx)^2 over all numbers x that go in): what it would move by, relative to
the roundoff of an input, if each of them were off by its own. It is measured: all inputs are moved a little, up or down at
random, and the squares of what that does are averaged. Rounding on the way may do more, as in (x + 1e6) - 1e6: so the
module is run in fp32 as well, and where that differs by more than its scale explains, the scale is larger. Where a number on
the way may be on either side of a step, the scale is as large as the step makes it (steps.py).
"""
import copy

import torch

from modes import copied
from steps import Watched
from trial import run, run_wide

PROBES = 16  # a scale is too small by half for one output in a million
STEP = 2.0**-20  # of a number: small for curves, and large beside the roundoff of fp64
UNIT = 2.0**-24  # roundoff of fp32
MARGIN = 16  # rounding in fp32 may be this many units of the scale: the least tolerance is four times that
ROOM = 2 * MARGIN  # a step is so many units of the scale at most: half of the tolerance
OFTEN = 0.99  # of the outputs; a single one may be on the other side of a step
SAMPLES = 3  # outputs whose terms are counted
MOST_SORTED = 1 << 20
LARGEST = torch.finfo(torch.float32).max


def told(module, inputs):
    """Values and scales of all outputs, and how many numbers the outputs that were tried depend on. All is in fp64."""
    strict()
    steps = Watched()
    first = steps.begin(lambda: run_wide(module, inputs))
    moved = moves(module, inputs, first, steps)
    narrow = steps.cut(lambda: run(copied(module).float(), [x.float() if floating(x) else copy.copy(x) for x in inputs]))
    scales = [scale(y, s, n.double()) for y, s, n in zip(first, moved, narrow)]
    jumps = steps.jumps(lambda: run_wide(module, inputs), first, scale, PROBES, MARGIN * UNIT)
    scales = [torch.maximum(s, (j / (ROOM * UNIT)).float()) for s, j in zip(scales, jumps)]
    return [held(y) for y in first], scales, terms(module, inputs)


def strict():
    """Has products and convolutions of fp32 round to nothing narrower, as a GPU's convolutions do by default."""
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False


def floating(x):
    return isinstance(x, torch.Tensor) and x.is_floating_point()


def tensors(module, inputs):
    """Everything floating that goes in, once each."""
    found = {id(t): t.data for t in (*module.parameters(), *module.buffers(), *inputs) if floating(t)}
    return list(found.values())


def moves(module, inputs, first, steps):
    """The root of the mean square of what outputs move by, over the share that every input is moved by."""
    given = [(t, t.clone()) for t in tensors(module, inputs)]
    squares = [torch.zeros_like(y, dtype=torch.float64) for y in first]
    draws = {place: torch.Generator(place).manual_seed(1) for place in {t.device for t, _ in given}}
    for _ in range(PROBES):
        for t, base in given:
            signs = torch.randint(0, 2, base.shape, generator=draws[t.device], dtype=torch.int8, device=t.device).to(base.dtype)
            t.copy_(base + base * (signs * 2 - 1) * STEP)
        for s, y, z in zip(squares, first, steps.probe(lambda: run_wide(module, inputs), STEP)):
            s += ((z - y).double() / STEP).nan_to_num(0, 0, 0).square()
    for t, base in given:
        t.copy_(base)
    return [(s / PROBES).sqrt() for s in squares]


def scale(y, moved, narrow):
    """The scale of each number of an output y, which fp32 makes narrow."""
    size = y.abs()
    base = size + moved
    units = ((narrow - y).abs() / UNIT).nan_to_num(0, 0, 0)
    known = (base > 0) & base.isfinite()
    wide = max(1.0, often((units[known] / base[known])) / MARGIN)
    out = torch.maximum(base * wide, units / MARGIN)
    return torch.where(y.isfinite(), out, size).float()


def often(ratios):
    """What few of them exceed."""
    if ratios.numel() == 0:
        return 0.0
    step = max(1, ratios.numel() // MOST_SORTED)
    ordered = ratios.flatten()[::step].sort().values
    return ordered[int(OFTEN * (ordered.numel() - 1))].item()


def held(y):
    """An output as a reference kernel gives it: what is too large for a float is the largest one where rounding may keep
    it there, and else inf. A module may have narrowed it to fp32 by itself."""
    y = y.double()
    size = y.abs()
    y = torch.where((size > LARGEST) & (size < 1.1 * LARGEST), LARGEST * y.sign(), y)
    return torch.where(y.abs() > LARGEST, y.sign() * torch.inf, y)


def terms(module, inputs):
    """How many numbers an output depends on, the most of some; where torch has no derivatives, all there are."""
    try:
        with torch.enable_grad():
            return max(2, counted(copied(module).requires_grad_(True), inputs))
    except Exception:
        return max(2, sum(t.numel() for t in tensors(module, inputs)))


def counted(module, inputs):
    leaves = [x.detach().clone().requires_grad_(True) for x in inputs if floating(x)]
    rest = iter(leaves)
    outputs = run_wide(module, [next(rest).clone() if floating(x) else x for x in inputs])
    leaves += [p for p in module.parameters()]
    draw, most = torch.Generator().manual_seed(2), 0
    for y in outputs:
        for at in torch.randint(0, max(1, y.numel()), (min(SAMPLES, y.numel()),), generator=draw, device="cpu").tolist():
            grads = torch.autograd.grad(y.flatten()[at], leaves, retain_graph=True, allow_unused=True)
            most = max(most, sum(int(g.count_nonzero()) for g in grads if g is not None))
    return most
