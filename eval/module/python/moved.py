"""Operators that move numbers, or that are products with something around them, written out as parts.py does."""
import math

import torch


def scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    """torch's softmax is the safe one here: a row whose keys are all hidden gives zeros."""
    if dropout_p:
        return None
    if enable_gqa:  # several heads of queries have keys and values together
        k, v = (repeat_interleave(x, q.shape[-3] // x.shape[-3], -3) for x in (k, v))
    scores = torch.matmul(q, k.transpose(-2, -1)) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if is_causal:
        scores = torch.where(scores.new_ones(scores.shape[-2:]).tril() > 0, scores, -math.inf)
    elif attn_mask is not None:
        hidden = attn_mask.dtype == torch.bool
        scores = torch.where(attn_mask, scores, -math.inf) if hidden else scores + attn_mask
    return torch.matmul(torch._safe_softmax(scores, -1), v)


def roll(x, shifts, dims=()):
    shifts, dims = ([a] if isinstance(a, int) else list(a) for a in (shifts, dims))
    if not dims:
        return None
    for shift, dim in zip(shifts, dims):
        shift %= x.shape[dim]
        if shift:
            x = torch.cat([x.narrow(dim, x.shape[dim] - shift, shift), x.narrow(dim, 0, x.shape[dim] - shift)], dim)
    return x


def repeat(x, times):
    more = len(times) - x.dim()
    whole = [n for pair in zip(times, [1] * more + list(x.shape)) for n in pair]
    spread = [n for i, length in enumerate([1] * more + list(x.shape)) for n in (1, length)]
    return x.reshape(spread).expand(whole).reshape([n * t for n, t in zip([1] * more + list(x.shape), times)])


def repeat_interleave(x, times, dim=None, *, output_size=None):
    if not isinstance(times, int) or dim is None:
        return None
    dim %= x.dim()
    shape = list(x.shape)
    return x.unsqueeze(dim + 1).expand(shape[:dim + 1] + [times] + shape[dim + 1:]).reshape(
        shape[:dim] + [shape[dim] * times] + shape[dim + 1:])


def nearest(x, size, *scales):
    """Each number several times along the last axes."""
    rank = x.dim() - 2
    scales = scales[0] if scales and isinstance(scales[0], (list, tuple)) else scales
    size = [int(n * s) for n, s in zip(x.shape[2:], scales)] if size is None else list(size)
    if any(m % n for m, n in zip(size, x.shape[2:])):
        return None
    for i in range(rank):
        x = repeat_interleave(x, size[i] // x.shape[2 + i], 2 + i)
    return x


def bilinear(x, y, weight, bias=None):
    outputs, first, second = weight.shape
    z = torch.matmul(x, weight.permute(1, 0, 2).reshape(first, outputs * second))
    z = (z.view(list(x.shape[:-1]) + [outputs, second]) * y.unsqueeze(-2)).sum(-1)
    return z if bias is None else z + bias


def cdist(x, y, p=2.0, compute_mode=None):
    """The distances themselves. torch makes those of more than 25 points of products, which lose what near points are apart."""
    return torch.linalg.vector_norm(x.unsqueeze(-2) - y.unsqueeze(-3), p, -1) if p > 0 else None


def diff(x, n=1, dim=-1, prepend=None, append=None):
    if n != 1 or prepend is not None or append is not None:
        return None
    return x.narrow(dim, 1, x.shape[dim] - 1) - x.narrow(dim, 0, x.shape[dim] - 1)


def kron(x, y):
    if x.dim() != y.dim():
        return None
    shapes = [n for pair in zip(x.shape, y.shape) for n in pair]
    x = x.view([n for length in x.shape for n in (length, 1)])
    y = y.view([n for length in y.shape for n in (1, length)])
    return (x * y).view([a * b for a, b in zip(shapes[::2], shapes[1::2])])


def pixel_shuffle(x, factor):
    n, c, h, w = x.shape
    return x.view(n, c // factor ** 2, factor, factor, h, w).permute(0, 1, 4, 2, 5, 3).reshape(
        n, c // factor ** 2, h * factor, w * factor)


def pixel_unshuffle(x, factor):
    n, c, h, w = x.shape
    return x.view(n, c, h // factor, factor, w // factor, factor).permute(0, 1, 3, 5, 2, 4).reshape(
        n, c * factor ** 2, h // factor, w // factor)


def channel_shuffle(x, groups):
    n, c = x.shape[:2]
    return x.view([n, groups, c // groups] + list(x.shape[2:])).transpose(1, 2).reshape(x.shape)


def slice_scatter(x, part, dim=0, start=None, end=None, step=1):
    """What is written to a part of a tensor: between what is left of it on both sides."""
    length = x.shape[dim]
    start = max(0 if start is None else start + length if start < 0 else start, 0)
    if step != 1:
        return None
    end = start + part.shape[dim]
    pieces = [x.narrow(dim, 0, start), part, x.narrow(dim, end, length - end)]
    pieces = [piece for piece in pieces if piece.shape[dim]]
    return torch.cat(pieces, dim) if len(pieces) > 1 else part.clone()


def select_scatter(x, part, dim, index):
    index = index + x.shape[dim] if index < 0 else index
    return slice_scatter(x, part.unsqueeze(dim), dim, index)


def filled(x, value):
    return torch.full_like(x, value) if isinstance(value, (int, float)) else value.to(x.dtype).expand(x.shape)


def index_put(x, indices, values, accumulate=False):
    """What a mask chooses is set to one number."""
    mask = indices[0]
    if accumulate or len(indices) > 1 or mask.dtype != torch.bool or mask.dim() > x.dim() or values.numel() > 1:
        return None
    mask = mask.view(list(mask.shape) + [1] * (x.dim() - mask.dim()))
    return torch.where(mask, values.reshape([]), x)


def unfold(x, dim, size, step):
    """Windows side by side, behind all axes."""
    dim %= x.dim()
    if step != size or x.shape[dim] % size:
        return None
    shape = list(x.shape)
    x = x.view(shape[:dim] + [shape[dim] // size, size] + shape[dim + 1:])
    return x.permute([i for i in range(x.dim()) if i != dim + 1] + [dim + 1])


MOVED = {
    "bilinear": bilinear, "cdist": cdist, "channel_shuffle": channel_shuffle, "diff": diff, "kron": kron,
    "copy": lambda x, value, non_blocking=False: filled(x, value), "fill": filled, "index_put": index_put,
    "zero": torch.zeros_like,
    "pixel_shuffle": pixel_shuffle, "pixel_unshuffle": pixel_unshuffle, "repeat": repeat,
    "repeat_interleave": repeat_interleave, "roll": roll,
    "scaled_dot_product_attention": scaled_dot_product_attention,
    "select_scatter": select_scatter, "slice_scatter": slice_scatter,
    "stack": lambda tensors, dim=0: torch.cat([x.unsqueeze(dim) for x in tensors], dim),
    "take_along_dim": lambda x, index, dim=None: None if dim is None else torch.gather(x, dim, index),
    "tile": lambda x, times: repeat(x, [1] * (x.dim() - len(times)) + list(times)), "unfold": unfold,
    "upsample_nearest1d": nearest, "upsample_nearest2d": nearest, "upsample_nearest3d": nearest,
}
