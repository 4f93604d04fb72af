"""darwarp evolves CUDA kernels. This package holds its program, and what Python needs to call what it found.

    op = darwarp.load("relu_norm.db", model.norm)     # a run, or a folder that `darwarp export` wrote
    model.norm = op                                   # an operator of PyTorch; other shapes go to the old module
    model.norm = darwarp.optimize(model.norm, [x], minutes=10)

Whatever it does, the command line does: it runs `darwarp import`, `search` and `export`. PyTorch is needed to call an
operator, and by nothing else here.
"""
from darwarp._program import DarwarpError, program, run
from darwarp._search import import_module, optimize

__all__ = ["DarwarpError", "import_module", "load", "optimize", "program", "run"]


def load(source, module=None):
    """The kernel of a run (a file, or a name that `darwarp runs` lists) or of an exported folder, as a torch.nn.Module.

    It takes the problem's inputs, in their order. With a module it takes what the module takes: parameters and buffers
    of the problem are the module's own. Inputs for which the kernel was not measured, and gradients, are the module's
    work; the first time, a warning says so. Without a module they are a ValueError.
    """
    from darwarp._operator import operator  # needs torch
    from darwarp._folder import folder_of

    return operator(folder_of(source), module)
