"""Operators that are written out in others before they are read: each a function with the arguments of the operator of
ATen. None: it stays as it is."""
import math

import torch
from torch.fx.experimental.proxy_tensor import make_fx

from cells import CELLS
from chosen import CHOSEN
from convolved import CONVOLVED
from moved import MOVED


def traced(function, args, kwargs):
    """The graph of a function of nodes of another graph, and those nodes in the order of its arguments; None where it has
    none."""
    nodes = []
    torch.fx.node.map_arg((args, kwargs), nodes.append)
    nodes = list(dict.fromkeys(nodes))

    def written(*tensors):
        held = dict(zip(nodes, tensors))
        return function(*torch.fx.node.map_arg(args, held.get), **torch.fx.node.map_arg(kwargs, held.get))

    with torch.no_grad():
        values = [n.meta["val"] for n in nodes]
        if written(*values) is None:
            return None
        return make_fx(written, pre_dispatch=True)(*values).graph, nodes


def celu(x, alpha=1.0):
    return torch.nn.functional.elu(x / alpha) * alpha


def prelu(x, weight):
    if weight.numel() > 1:
        weight = weight.view([1, -1] + [1] * (x.dim() - 2))
    return x.clamp_min(0) + weight * x.clamp_max(0)


def rrelu(x, lower=1 / 8, upper=1 / 3, training=False, generator=None):
    return None if training else torch.nn.functional.leaky_relu(x, (lower + upper) / 2)


def logit(x, eps=None):
    x = x if eps is None else x.clamp(eps, 1 - eps)
    return torch.log(x / (1 - x))


def logaddexp(a, b):
    return torch.maximum(a, b) + torch.log1p(torch.exp(-(a - b).abs()))


def logaddexp2(a, b):
    return torch.maximum(a, b) + torch.log1p(torch.exp2(-(a - b).abs())) / math.log(2)


def clamp(x, min=None, max=None):
    """Where a bound is a tensor."""
    if not isinstance(min, torch.Tensor) and not isinstance(max, torch.Tensor):
        return None
    x = x if min is None else torch.maximum(x, min) if isinstance(min, torch.Tensor) else x.clamp_min(min)
    return x if max is None else torch.minimum(x, max) if isinstance(max, torch.Tensor) else x.clamp_max(max)


def glu(x, dim=-1):
    a, b = x.chunk(2, dim)
    return a * torch.sigmoid(b)


def addcmul(x, a, b, *, value=1):
    return x + a * b * value


def addcdiv(x, a, b, *, value=1):
    return x + a / b * value


def addmm(c, a, b, *, beta=1, alpha=1):
    return None if beta == alpha == 1 else c * beta + torch.mm(a, b) * alpha


def baddbmm(c, a, b, *, beta=1, alpha=1):
    return c * beta + torch.bmm(a, b) * alpha


def var_mean(x, dim=None, unbiased=True, keepdim=False, *, correction=None, root=False):
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    correction = int(unbiased) if correction is None else correction
    spread = (torch.std if root else torch.var)(x, dim, correction=correction, keepdim=keepdim)
    return spread, torch.mean(x, list(range(x.dim())) if dim is None else dim, keepdim)


def std_mean(*args, **kwargs):
    return var_mean(*args, root=True, **kwargs)


def aminmax(x, *, dim=None, keepdim=False):
    axes = list(range(x.dim())) if dim is None else [dim]
    return torch.amin(x, axes, keepdim), torch.amax(x, axes, keepdim)


def linalg_norm(x, ord=None, dim=None, keepdim=False, *, dtype=None):
    one = isinstance(dim, int) or dim is not None and len(dim) == 1 or x.dim() == 1
    if dtype is not None or isinstance(ord, str) or ord is not None and not one:
        return None
    return torch.linalg.vector_norm(x, 2 if ord is None else ord, dim, keepdim)


def linalg_matrix_norm(x, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    return torch.linalg.vector_norm(x, 2, dim, keepdim) if ord == "fro" and dtype is None else None


def added(loss, reduction):
    return [lambda x: x, torch.mean, torch.sum][reduction](loss)


def cosine_embedding_loss(a, b, target, margin=0.0, reduction=1):
    root = torch.sqrt(((a * a).sum(-1) + 1e-12) * ((b * b).sum(-1) + 1e-12))
    cosine = (a * b).sum(-1) / root
    apart = torch.where(target == -1, torch.relu(cosine - margin), 0.0)
    return added(torch.where(target == 1, 1 - cosine, apart), reduction)


def poisson_nll_loss(x, target, log_input, full, eps, reduction):
    if full:
        return None
    return added(torch.exp(x) - target * x if log_input else x - target * torch.log(x + eps), reduction)


def triplet_margin_loss(anchor, near, far, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction=1):
    if not swap:
        return None
    distance = torch.nn.functional.pairwise_distance
    apart = torch.minimum(distance(anchor, far, p, eps), distance(near, far, p, eps))
    return added(torch.relu(distance(anchor, near, p, eps) + margin - apart), reduction)


def binary_cross_entropy_with_logits(x, target, weight=None, pos_weight=None, reduction=1):
    if weight is None or pos_weight is not None:
        return None
    loss = torch.nn.functional.binary_cross_entropy_with_logits(x, target, reduction="none")
    return added(loss * weight, reduction)


def divided(rank):
    """A mean of windows that is a sum divided by another number."""
    def pool(x, kernel, stride=(), padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
        if divisor_override is None or ceil_mode:
            return None
        average = (None, torch.nn.functional.avg_pool2d, torch.nn.functional.avg_pool3d)[rank - 1]
        places = kernel ** rank if isinstance(kernel, int) else math.prod(kernel) ** (rank // len(kernel))
        return average(x, kernel, stride or None, padding) * (places / divisor_override)

    return pool


def adaptive(x, size, rank, whole, windows):
    """A pooling to a size: of everything, or of windows that do not overlap."""
    size = [size] * rank if isinstance(size, int) else size
    lengths = list(x.shape[-rank:])
    if all(n == 1 for n in size):
        return whole(x, list(range(-rank, 0)), True)
    if any(n is None or length % n for n, length in zip(size, lengths)):
        return None
    return windows[rank - 1](x, [length // n for n, length in zip(size, lengths)])


def adaptive_avg_pool(rank):
    f = torch.nn.functional
    return lambda x, size: adaptive(x, size, rank, torch.mean, (f.avg_pool1d, f.avg_pool2d, f.avg_pool3d))


def adaptive_max_pool(rank):
    def pool(x, size):
        f = torch.nn.functional
        most = adaptive(x, size, rank, torch.amax, (f.max_pool1d, f.max_pool2d, f.max_pool3d))
        return None if most is None else (most,)

    return pool


def einsum(equation, operands, *, path=None):
    """Two tensors: what they share is multiplied, and what the result has not is added up, as a product of matrices where
    each has axes of its own."""
    terms, arrow, out = equation.replace(" ", "").partition("->")
    names = terms.split(",")
    if len(operands) > 2 and arrow and terms.replace(",", "").isalpha() and all(len(set(n)) == len(n) for n in names):
        later = set(out + "".join(names[2:]))
        both = "".join(dict.fromkeys(i for i in names[0] + names[1] if i in later))
        first = torch.einsum("%s,%s->%s" % (names[0], names[1], both), operands[0], operands[1])
        return torch.einsum("%s->%s" % (",".join([both] + names[2:]), out), first, *operands[2:])
    if len(operands) != 2 or not arrow or not all(n.isalpha() and len(set(n)) == len(n) for n in names) or (
            not set(out) <= set(terms)) or (set(names[0]) ^ set(names[1])) - set(out):
        return None
    (a, b), (x, y) = names, operands
    shared = [i for i in a if i in b and i in out]
    summed = [i for i in a if i in b and i not in out]
    rows, cols = [i for i in a if i not in b], [i for i in b if i not in a]
    if summed and rows and cols:
        batch = shared + rows[:-1] + cols[:-1]
        x = joined(spread(x, a, batch + rows[-1:] + summed), len(batch) + 1)
        y = joined(spread(y, b, batch + summed + cols[-1:]), len(batch), len(batch) + len(summed))
        return turned(torch.matmul(x, y), batch + rows[-1:] + cols[-1:], out)
    every = list(out) + summed
    product = spread(x, a, every) * spread(y, b, every)
    return product.sum(list(range(len(out), len(every)))) if summed else product


def joined(x, first, end=None):
    """The tensor with several axes side by side as one."""
    end = x.dim() if end is None else end
    return x if end - first == 1 else x.reshape(list(x.shape[:first]) + [math.prod(x.shape[first:end])] + list(x.shape[end:]))


def turned(x, names, order):
    """The tensor with its axes in that order."""
    if list(names) == list(order):
        return x
    if x.dim() > 1 and list(names[:-2]) == list(order[:-2]):
        return x.transpose(-1, -2)
    return x.permute([list(names).index(i) for i in order])


def spread(x, names, every):
    """The tensor with axes of length one where it has none of a name."""
    x = turned(x, names, [i for i in every if i in names])
    for k, i in enumerate(every):
        x = x if i in names else x.unsqueeze(k)
    return x


def weight_norm(v, g, dim=0):
    axes = [i for i in range(v.dim()) if i != dim] if dim >= 0 else list(range(v.dim()))
    return v * (g / torch.linalg.vector_norm(v, 2, axes, True))


PARTS = {
    **CELLS, **CHOSEN, **CONVOLVED, **MOVED,
    "adaptive_avg_pool1d": adaptive_avg_pool(1), "adaptive_avg_pool2d": adaptive_avg_pool(2),
    "adaptive_avg_pool3d": adaptive_avg_pool(3), "adaptive_max_pool1d": adaptive_max_pool(1),
    "adaptive_max_pool2d": adaptive_max_pool(2), "adaptive_max_pool3d": adaptive_max_pool(3),
    "addcdiv": addcdiv, "addcmul": addcmul, "addmm": addmm, "aminmax": aminmax, "baddbmm": baddbmm,
    "avg_pool2d": divided(2), "avg_pool3d": divided(3),
    "binary_cross_entropy_with_logits": binary_cross_entropy_with_logits, "celu": celu, "clamp": clamp,
    "cosine_embedding_loss": cosine_embedding_loss,
    "dist": lambda x, y, p=2: torch.linalg.vector_norm(x - y, p), "dot": lambda x, y: (x * y).sum(), "einsum": einsum,
    "ger": lambda x, y: x.unsqueeze(1) * y, "glu": glu,
    "frac": lambda x: x - torch.trunc(x), "hardshrink": lambda x, lambd=0.5: torch.where(x.abs() > lambd, x, 0.0),
    "lerp": lambda a, b, weight: a + (b - a) * weight,
    "linalg_matrix_norm": linalg_matrix_norm, "linalg_norm": linalg_norm, "logaddexp": logaddexp,
    "logaddexp2": logaddexp2, "logit": logit,
    "outer": lambda x, y: x.unsqueeze(1) * y, "poisson_nll_loss": poisson_nll_loss, "prelu": prelu, "rrelu": rrelu,
    "softshrink": lambda x, lambd=0.5: x - x.clamp(-lambd, lambd), "std_mean": std_mean,
    "tanhshrink": lambda x: x - torch.tanh(x),
    "threshold": lambda x, threshold, value: torch.where(x > threshold, x, value),
    "triplet_margin_loss": triplet_margin_loss,
    "var_mean": var_mean, "vdot": lambda x, y: (x * y).sum(), "_weight_norm": weight_norm,
    "_weight_norm_interface": lambda v, g, dim=0: (weight_norm(v, g, dim),),
}
