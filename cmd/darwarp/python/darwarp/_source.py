"""Writes a module that is in memory as a Python file in KernelBench's form, which `darwarp import torch` reads.

What is written is the module's graph. Parameters and buffers have other numbers there: a search draws its own.
"""
import keyword
import re

import torch

from darwarp._program import DarwarpError

HEAD = '''import torch
from torch import device, inf, nan
%s

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
'''


def name_of(path):
    """What `darwarp import torch` calls a parameter or buffer in a problem: an identifier, also of a path like 0.weight."""
    name = re.sub(r"[^0-9A-Za-z]", "_", path)[:60].strip("_") or "t"
    return "t" + name if name[0].isdigit() or keyword.iskeyword(name) else name


def literal(t, rand="torch.rand", sizes=None):
    """An expression for a tensor of the same shape and type, with names for the lengths that have one."""
    axes = [(sizes or {}).get((i - t.dim(), n), str(n)) for i, n in enumerate(t.shape)]
    shape = f"[{', '.join(axes)}]"
    if t.dtype.is_floating_point:
        return f"{rand}({shape}).to({t.dtype})"
    if t.dtype == torch.bool:
        return f"torch.rand({shape}) > 0.5"
    if t.numel() == 0:
        return f"torch.zeros({shape}, dtype={t.dtype})"
    low, high = span(t)
    return f"torch.randint({low}, {high + 1}, {shape}, dtype={t.dtype})"


def span(t):
    """The least and the greatest of whole numbers; where all are equal, with a neighbour that indices may have, too: a module
    whose inputs do not change gives the same always."""
    low, high = int(t.min()), int(t.max())
    return (low, high) if low < high else (low - 1, high) if low > 0 else (low, high + 1)


def sizes_of(inputs):
    """Names for the lengths of the inputs' axes, by the axis, counted from the last, and the length.

    Equal lengths in one place are one size, and elsewhere others: which of these are the same an import finds out."""
    names = {}
    for t in inputs:
        if isinstance(t, torch.Tensor):
            for i, n in enumerate(t.shape):
                names.setdefault((i - t.dim(), n), f"n{len(names)}")
    return names


def source_of(module, inputs):
    """The file of a module, with get_inputs for inputs like these."""
    if isinstance(inputs, torch.Tensor) or inputs is None:
        raise TypeError("inputs: expected a list of the module's arguments")
    program = exported(module, inputs)
    check_outputs(program)
    names, lines = {}, []
    for spec in program.graph_signature.input_specs:
        if spec.target is None:
            continue
        name = name_of(spec.target)
        while name in names.values():
            name += "_"
        value = program.state_dict.get(spec.target, program.constants.get(spec.target))
        names[spec.arg.name] = name
        if "CONSTANT" in str(spec.kind):  # it is no part of the module that could be given to a kernel
            if value.dim() > 0:
                raise DarwarpError("forward makes a tensor of constants: make it a buffer of the module", 2)
            lines.append(f"        self.{name} = torch.tensor({value.item()!r}, dtype={value.dtype})")
        elif "PARAMETER" in str(spec.kind):
            lines.append(f"        self.{name} = torch.nn.Parameter({literal(value, 'torch.randn')})")
        else:
            lines.append(f"        self.register_buffer({name!r}, {literal(value)})")
    graph = [n.name for n in program.graph.nodes if n.op == "placeholder"]
    free = [n for n in graph if n not in names]
    code = re.sub(r"^def forward\(self", "def graph(self", program.graph_module.code.strip(), flags=re.M)
    single = len(program.graph_signature.user_outputs) == 1
    call = f"self.graph({', '.join('self.' + names[n] if n in names else n for n in graph)})"
    sizes = sizes_of(inputs)
    said = "".join(f"\n{name} = {n}" for (_, n), name in sizes.items())
    return "\n".join([
        HEAD % (said + "\n" if said else "") + "\n".join(lines or ["        pass"]), "",
        f"    def forward(self, {', '.join(free)}):", f"        return {call}{'[0]' if single else ''}", "",
        *("    " + line if line.strip() else "" for line in code.splitlines()), "", "",
        "def get_inputs():", f"    return [{', '.join(argument(i, sizes) for i in inputs)}]", "", "",
        "def get_init_inputs():", "    return []", ""])


def exported(module, inputs):
    """The module's program, in which numbers follow the lengths of the inputs' axes, where it can be had so: views, ranges."""
    auto = getattr(torch.export.Dim, "AUTO", None) if hasattr(torch.export, "Dim") else None
    if auto is not None:
        shapes = tuple({k: auto for k in range(x.dim())} if isinstance(x, torch.Tensor) else None for x in inputs)
        try:
            return torch.export.export(module, tuple(inputs), dynamic_shapes=shapes)
        except Exception:  # of many kinds: what cannot be exported at all is told by the next attempt
            pass
    return torch.export.export(module, tuple(inputs))


def check_outputs(program):
    """An operator returns a tensor, or several as a tuple: what a module returns must be that."""
    spec = program.call_spec.out_spec
    if spec.is_leaf():
        return
    leaves = list(spec.children() if hasattr(spec, "children") else spec.children_specs)  # that of earlier versions
    kind = spec.type.__name__
    if spec.type is tuple:
        kind = "tuple of one" if len(leaves) == 1 else "tuple of more than tensors"
    if spec.type is not tuple or len(leaves) < 2 or not all(leaf.is_leaf() for leaf in leaves):
        raise DarwarpError(f"forward returns a {kind}: expected a tensor, or several as a tuple", 2)


def argument(value, sizes):
    return literal(value, sizes=sizes) if isinstance(value, torch.Tensor) else repr(value)
