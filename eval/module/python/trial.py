"""Runs a module on numbers, at small sizes and in fp64: is it a function of its inputs, and what are its outputs?"""
import copy
import contextlib
import ctypes

import torch

from modes import Bounded, Drawn, copied, without_memory
from refusal import Refused, first_line
from wide import Wide

SMALL = (3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096)
MOST = 1 << 22  # elements of all tensors of a module that is run on numbers
WIRE = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16, "int32": torch.int32,
        "int64": torch.int64, "int8": torch.int8, "uint8": torch.uint8, "bool": torch.bool, "fp64": torch.float64}


def elements(module, inputs):
    tensors = [*module.parameters(), *module.buffers(), *(x for x in inputs if isinstance(x, torch.Tensor))]
    return sum(t.numel() for t in tensors)


def works(source, values):
    """Whether the module runs at some sizes, and on how many elements; None if not."""
    try:
        with without_memory(), torch.no_grad():
            module, inputs = source.build_as_asked(values)
            outputs = run(module, inputs)
            return elements(module, inputs) + sum(t.numel() for t in outputs)
    except Exception:
        return None


def smallest(source, sizes):
    """Values of dims at which the module has few elements, and how many; None: it does not run there."""
    small = {}
    for i in sizes.dims():
        for v in SMALL:
            if v >= sizes.values[i]:
                break
            if works(source, sizes.at({**small, i: v})) is not None:
                small[i] = v
                break
    return small, works(source, sizes.at(small))


def is_small(source, sizes):
    """Whether there are dims, and few elements at small ones."""
    count = smallest(source, sizes)[1] if sizes.dims() else None
    return count is not None and count <= MOST


def small_sizes(source, sizes):
    """Values of dims at which the module has few elements. Raises Refused where there are none."""
    small, count = smallest(source, sizes)
    if count is None:
        why = shapes(source, sizes.values)[1] or "its sizes are unlike those of the file"
        raise Refused("forward does not run on what get_inputs() returns: " + why)
    if count > MOST:
        raise Refused("it cannot be tried: %d elements at the smallest sizes found, at most %d" % (count, MOST))
    return small


def run(module, inputs):
    out = module(*inputs)
    out = out if isinstance(out, (tuple, list)) else (out,)
    for t in out:
        if not isinstance(t, torch.Tensor):
            raise Refused("forward returns a %s: expected a tensor, or a tuple of tensors" % type(t).__name__)
    return [t.clone() for t in out]


def run_wide(module, inputs):
    """A module in fp64."""
    with Wide():
        return run(module, inputs)


def wide(x):
    return x.double() if isinstance(x, torch.Tensor) and x.is_floating_point() else x


def same(a, b):
    return all(x.shape == y.shape and torch.equal(x.nan_to_num(), y.nan_to_num()) for x, y in zip(a, b))


def examine(source, sizes):
    """Refuses modules that are no functions of their inputs, or constant ones. Returns notes. A norm of one number is
    constant, so that small sizes alone say little."""
    small = small_sizes(source, sizes)
    larger = sizes.at({i: min(4 * v, sizes.values[i]) for i, v in small.items()})
    notes = examine_first(source, [sizes.at(small), larger, sizes.at({})])
    if notes is None or notes:  # a few numbers may change nothing by chance
        if (works(source, larger) or MOST + 1) <= MOST:
            more = examine_first(source, [larger, sizes.at({})])
            notes = notes if more is None else more
    if notes is None:
        raise Refused("its output is the same for all inputs, but for rounding")
    return notes


class Beyond(Refused):
    """An index is beyond what it chooses from."""


def examine_first(source, tried):
    """What is found at the first sizes that have what indices choose: these are drawn as for the module's own sizes."""
    for k, values in enumerate(tried):
        try:
            return examine_at(source, values)
        except Beyond as error:
            why = error
            if k + 1 < len(tried) and (works(source, tried[k + 1]) or MOST + 1) > MOST:
                break
    raise why


def examine_at(source, values):
    """None if the output is constant."""
    try:
        with Drawn(), torch.no_grad():
            module, inputs = source.build(values)
            return examine_made(module, inputs)
    except Refused:
        raise
    except Exception as error:
        beyond = any(said in str(error) for said in ("index out of range", "out of bounds"))
        raise (Beyond if beyond else Refused)("it does not run: " + first_line(error))


def examine_made(module, inputs):
    double = copied(module).double()
    def at(given):
        return run_wide(copied(double), [wide(copy.copy(x)) for x in given])
    first = at(inputs)
    used = copied(double)
    if not same(first, at(inputs)):
        raise Refused("forward gives other outputs for the same inputs: it draws random numbers")
    run_wide(used, [wide(x) for x in inputs])
    if not same(first, run_wide(used, [wide(x) for x in inputs])):
        raise Refused("a second call gives other outputs for the same inputs: it keeps state")
    narrow = run(copied(module), [copy.copy(x) for x in inputs])
    notes, moved = [], False
    for k, x in enumerate(inputs):
        if isinstance(x, torch.Tensor):
            changed = any(moves(first, narrow, at([*inputs[:k], redrawn(x, seed), *inputs[k + 1:]])) for seed in (1, 2, 3))
            moved = moved or changed
            if not changed:
                notes.append("no change of argument %d was seen to change an output" % (k + 1))
    return notes if moved else None


def moves(first, narrow, others):
    """Whether outputs differ by more than what fp32 makes of the same inputs."""
    for a, n, b in zip(first, narrow, others):
        if not a.is_floating_point():
            if not torch.equal(a, b):
                return True
            continue
        rounding = (n.double() - a).abs().nan_to_num().max().item() if a.numel() else 0
        if (b - a).abs().nan_to_num(posinf=1e300).max().item() > 4 * rounding:
            return True
    return False


def redrawn(x, seed):
    """Other values of the same kind: those of the tensor in another order, scaled."""
    g = torch.Generator().manual_seed(seed)
    flat = x.reshape(-1)
    flat = flat[torch.randperm(flat.numel(), generator=g)]
    if x.is_floating_point():
        flat = flat * torch.empty(flat.shape, dtype=torch.float64).uniform_(0.25, 2, generator=g).to(x.dtype)
    return flat.reshape(x.shape)


def compute(source, values, buffers, blob):
    """Runs the module in fp64 on given numbers: buffers say name in the module, kind, dtype and shape of each tensor.
    Where forward does not take the sizes, None and why."""
    try:
        with Drawn(), torch.no_grad():
            module, inputs = source.build_as_asked(values)
            try:
                module, inputs = filled(module, inputs, buffers, blob)
                with bounded(source):
                    out = run_wide(module, inputs)
            except Exception as error:
                return None, first_line(error)
            return pack(out)
    except Refused:
        raise
    except Exception as error:
        raise Refused("it does not run: " + first_line(error))


def shapes(source, values):
    """The shapes of the outputs at some sizes, without numbers; None and why where forward does not take them."""
    try:
        with without_memory(), torch.no_grad():
            module, inputs = source.build_as_asked(values)
            with bounded(source):
                return [list(t.shape) for t in run(module, inputs)], None
    except Refused as error:
        return None, str(error)
    except Exception as error:
        return None, first_line(error)


def bounded(source):
    """A mode that refuses slices beyond their tensors, where the module has none at its own sizes."""
    if not hasattr(source, "bounds"):
        source.bounds = contextlib.nullcontext
        with contextlib.suppress(Exception), without_memory(), torch.no_grad():
            module, inputs = source.build_as_asked()
            with Bounded():
                run(module, inputs)
            source.bounds = Bounded
    return source.bounds()


def device_of(gpu):
    """Where truths are computed: on the GPU of an index, below 0 or where torch does not work on it on the processor. The
    module itself is not to see one: it would put its tensors there."""
    try:
        place = "cpu" if gpu < 0 else "cuda:%d" % gpu
        torch.ones(2, 2, dtype=torch.float64, device=place).mm(torch.ones(2, 2, dtype=torch.float64, device=place)).sum().item()
    except Exception:
        place = "cpu"
    torch.cuda.is_available = lambda: False
    return place


def tell(source, values, buffers, blob, device="cpu"):
    """Shapes of the outputs on given numbers, how many numbers one of them depends on at most, and as bytes the values of
    each in fp64 with its scales in fp32. What does not work on a GPU, as for want of memory, is done on the processor."""
    try:
        return told_on(device, source, values, buffers, blob)
    except Refused:
        raise
    except Exception as error:
        if device == "cpu":
            raise Refused("it does not run: " + first_line(error))
    finally:
        if device != "cpu":
            torch.cuda.empty_cache()
    return tell(source, values, buffers, blob)


def told_on(device, source, values, buffers, blob):
    import sensitivity

    with Drawn(), torch.no_grad():
        module, inputs = source.build_as_asked(values)
        module, inputs = filled(module, inputs, buffers, blob)
    with Drawn(device), torch.device(device), torch.no_grad():
        module, inputs = module.to(device), [x.to(device) if isinstance(x, torch.Tensor) else x for x in inputs]
        outputs, scales, terms = sensitivity.told(module, inputs)
    parts = [numbers(t) for pair in zip(outputs, scales) for t in pair]
    return [list(t.shape) for t in outputs], terms, b"".join(parts)


def numbers(t):
    t = t.cpu().contiguous()
    return ctypes.string_at(t.data_ptr(), t.numel() * t.element_size())


def filled(module, inputs, buffers, blob):
    """Puts numbers in the place of parameters, buffers and arguments; what a problem leaves out stays as it was made."""
    module, at = module.double(), 0
    inputs = [wide(x) for x in inputs]
    for b in buffers:
        t = torch.empty(b["shape"], dtype=WIRE[b["dtype"]])
        n = t.numel() * t.element_size()
        ctypes.memmove(t.data_ptr(), bytes(blob[at:at + n]), n)
        at += n
        if b["kind"] == "input":
            inputs[int(b["torch"])] = like(t, inputs[int(b["torch"])])
            continue
        owner, _, name = b["torch"].rpartition(".")
        old = getattr(module.get_submodule(owner), name)
        old.data = like(t, old)
    return module, inputs


def like(t, old):
    """Numbers in the shape, type and order in memory of what they replace."""
    if t.numel() != old.numel():
        raise Refused("a tensor has shape %s where the problem has %s" % (list(old.shape), list(t.shape)))
    return torch.empty_like(old).copy_(wide(t.reshape(old.shape)))


def pack(outputs):
    """Shapes, and all numbers as fp64."""
    return [list(t.shape) for t in outputs], b"".join(numbers(t.double()) for t in outputs)
