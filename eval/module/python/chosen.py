"""What indices choose where some of them are counted, as in x[torch.arange(n), i], written out as parts.py does."""
import torch

VIEWS = ("unsqueeze", "view", "reshape")


class Counted:
    """A tensor of the numbers of a range."""

    def __init__(self, numbers, shape):
        self.numbers, self.shape = numbers, list(shape)


def counted(node):
    """The numbers that an argument counts, where it does: else the argument."""
    source = node
    while name_of(source) in VIEWS and isinstance(source.args[0], torch.fx.Node):
        source = source.args[0]
    if name_of(source) != "arange" or not all(type(a) is int for a in source.args):
        return node
    value = node.meta["val"]
    return node if value.is_floating_point() else Counted(range(*source.args), value.shape)


def name_of(node):
    return node.target._schema.name.split("::")[-1] if hasattr(node.target, "_schema") else ""


def with_counts(name, args):
    """The arguments of a node, for a function that can tell what is counted."""
    return torch.fx.node.map_arg(args, counted) if name in CHOSEN else args


def index(x, indices):
    """The same number of each row, or several: a gather along the next axis."""
    before = next((k for k, i in enumerate(indices) if i is not None), 0)
    if len(indices) != before + 2 or not isinstance(indices[before], Counted) or not isinstance(indices[-1], torch.Tensor):
        return None
    rows, places = indices[before], indices[-1]
    count = x.shape[before]
    if places.dtype != torch.int64 or list(places.shape[:1]) != [count] or rows.numbers != range(count) or (
            rows.shape != [count] + [1] * (places.dim() - 1)):
        return None
    behind = list(x.shape[before + 2:])
    lengths = list(x.shape[:before]) + [count, places.numel() // count] + behind
    spread = places.reshape([1] * before + lengths[before:before + 2] + [1] * len(behind)).expand(lengths)
    return torch.gather(x, before + 1, spread).reshape(list(x.shape[:before]) + list(places.shape) + behind)


def embedding_bag(weight, indices, offsets, scale=False, mode=0, sparse=False, weights=None, last=False, padding=None):
    """Bags of one length: their rows, added up or averaged, or the greatest of each number."""
    if not isinstance(offsets, Counted) or last or padding not in (None, -1):
        return None
    count, length = len(offsets.numbers), offsets.numbers.step
    if offsets.numbers.start or count * length != indices.numel():
        return None
    rows = torch.nn.functional.embedding(indices.view(count, length), weight)
    rows = rows if weights is None else rows * weights.view(count, length, 1)
    return ((torch.sum, torch.mean, torch.amax)[mode](rows, 1),)


CHOSEN = {"embedding_bag": embedding_bag, "index": index}
