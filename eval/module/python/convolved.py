"""Convolutions that are products of matrices, or sums of a few terms, written out as parts.py does."""
import itertools
import math

import torch

MOST_PLACES = 49  # of a window that is written out


def convolution(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """One of single points or of windows side by side: a product of matrices. Of each channel by itself: a sum of what
    the window sees, each place times its weight."""
    rank = weight.dim() - 2
    if x.dim() != weight.dim():
        return None
    stride, dilation = each_axis(stride, rank), each_axis(dilation, rank)
    kernel, pads = list(weight.shape[2:]), padded(padding, weight.shape[2:], dilation)
    if 1 < groups == x.shape[1] == weight.shape[0] and math.prod(kernel) <= MOST_PLACES:
        y = channelwise(x, weight, stride, pads, dilation)
    elif groups == 1 and not any(pads) and all(n == 1 for n in kernel):
        x = x if all(n == 1 for n in stride) else strided(x, [0] * rank, stride)
        y = points(x, weight.view(weight.shape[:2]))
    elif groups == 1 and not any(pads) and stride == kernel and all(n == 1 for n in dilation):
        y = patches(x, weight)
    else:
        return None
    return y if y is None or bias is None else y + along_channels(bias, rank)


def along_channels(x, rank):
    return x.view([-1] + [1] * rank)


def each_axis(value, rank):
    value = list(value) if isinstance(value, (list, tuple)) else [value]
    return value * rank if len(value) == 1 else value


def padded(padding, kernel, dilation):
    """Zeros at both ends of each axis, in the order of torch's pad: those of the last axis come first."""
    if isinstance(padding, str):
        all_of = [d * (k - 1) if padding == "same" else 0 for k, d in zip(kernel, dilation)]
        ends = [(n // 2, n - n // 2) for n in all_of]
    else:
        ends = [(n, n) for n in each_axis(padding, len(kernel))]
    return [n for pair in reversed(ends) for n in pair]


def points(x, matrix):
    return torch.matmul(matrix, x.flatten(2)).view([x.shape[0], matrix.shape[0]] + list(x.shape[2:]))


def strided(x, first, stride, lengths=None):
    """Every stride-th place of the axes behind the channels, from the first on."""
    for i, (start, step) in enumerate(zip(first, stride)):
        end = x.shape[2 + i] if lengths is None else start + step * (lengths[i] - 1) + 1
        x = torch.ops.aten.slice(x, 2 + i, start, end, step)
    return x


def channelwise(x, weight, stride, pads, dilation):
    kernel = list(weight.shape[2:])
    x = torch.nn.functional.pad(x, pads) if any(pads) else x
    lengths = [(n - d * (k - 1) - 1) // s + 1 for n, k, d, s in zip(x.shape[2:], kernel, dilation, stride)]
    y = None
    for place in itertools.product(*(range(k) for k in kernel)):
        factor = weight.select(1, 0)
        for i in place:
            factor = factor.select(1, i)
        seen = strided(x, [i * d for i, d in zip(place, dilation)], stride, lengths)
        term = seen * along_channels(factor, len(kernel))
        y = term if y is None else y + term
    return y


def patches(x, weight):
    """Windows that do not overlap, as of an image's patches."""
    kernel, rank = list(weight.shape[2:]), weight.dim() - 2
    if any(n % k for n, k in zip(x.shape[2:], kernel)):
        return None
    counts = [n // k for n, k in zip(x.shape[2:], kernel)]
    x = x.view(list(x.shape[:2]) + [n for pair in zip(counts, kernel) for n in pair])
    x = x.permute([0, 1] + [3 + 2 * i for i in range(rank)] + [2 + 2 * i for i in range(rank)])
    x = x.reshape(x.shape[0], math.prod(weight.shape[1:]), math.prod(counts))
    return torch.matmul(weight.view(weight.shape[0], -1), x).view([x.shape[0], weight.shape[0]] + counts)


def transposed(x, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """One of single points that moves nothing is a product of matrices."""
    moves = any(n != 1 for n in [*weight.shape[2:], *each_axis(stride, 1)]) or any(
        each_axis(padding, 1) + each_axis(output_padding, 1))
    if x.dim() != weight.dim() or groups != 1 or moves:
        return None
    y = points(x, weight.view(weight.shape[:2]).transpose(0, 1))
    return y if bias is None else y + along_channels(bias, x.dim() - 2)


CONVOLVED = {
    "conv1d": convolution, "conv2d": convolution, "conv3d": convolution,
    "conv_transpose1d": transposed, "conv_transpose2d": transposed, "conv_transpose3d": transposed,
}
