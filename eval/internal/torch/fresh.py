"""New numbers for a baseline's inputs, written where the old ones were: what darwarp's own timed calls work on.

A buffer's "drawn" says that its numbers mean something, as indices and lengths do: low, high and how (kernels.Drawn).
Other tensors have numbers of the input class uniform, or else normal ones."""
import math


def fresh(torch, t, drawn, input_class):
    if drawn is None:
        ordinary(torch, t, input_class)
    elif drawn.get("how") == "permutation":
        t.copy_(torch.randperm(t.numel(), device=t.device).view(t.shape))
    elif drawn.get("how") == "lengths":
        t.copy_(lengths(torch, t, int(drawn["low"]), int(drawn["high"])))
    elif drawn.get("how") == "offsets":
        t.copy_(offsets(torch, t, int(drawn["low"]), int(drawn["high"])))
    elif drawn.get("how") == "skewed":
        t.copy_(skewed(torch, t, int(drawn["low"]), int(drawn["high"])))
    elif not t.is_floating_point():
        t.random_(int(drawn["low"]), int(drawn["high"]) + 1)
    elif t.element_size() > 1:
        t.uniform_(math.log2(drawn["low"]), math.log2(drawn["high"])).exp2_()
    else:  # torch draws no numbers of 8 bits
        low, high = math.log2(drawn["low"]), math.log2(drawn["high"])
        t.copy_(torch.empty(t.shape, device=t.device).uniform_(low, high).exp2_().to(t.dtype))


def ordinary(torch, t, input_class):
    if not t.is_floating_point():
        t.random_(-1, 2)
        return
    to = t if t.element_size() > 1 else torch.empty(t.shape, device=t.device)
    to.uniform_() if input_class == "uniform" else to.normal_()
    if to is not t:
        t.copy_(to.to(t.dtype))


def lengths(torch, t, low, high):
    """Every fourth number is the greatest and every fourth the least. Of the others half are anywhere between, and half a
    multiple of 16 to 256, or one more or less: tiles and pages end there."""
    def draw(least, most):
        return torch.randint(least, most + 1, t.shape, device=t.device)
    turn = (torch.arange(t.numel(), device=t.device).view(t.shape) + torch.randint(4, (1,), device=t.device)) % 4
    tile = 16 << draw(0, 4)
    ends = (draw(low, high) // tile * tile + draw(-1, 1)).clamp_(low, high)
    between = torch.where(turn == 2, draw(low, high), ends)
    return torch.where(turn == 0, high, torch.where(turn == 1, low, between))


def offsets(torch, t, least, end):
    """Where lines begin that lie one after the other, and the end of the last: each beside where it would begin if all
    were as long, by so much that none is shorter than the least, if that is possible."""
    lines = t.numel() - 1
    begins = torch.arange(lines + 1, device=t.device) * end // lines
    room = max(0, (end // lines - least) // 2)
    begins[1:-1] += torch.randint(-room, room + 1, (lines - 1,), device=t.device)
    return begins.view(t.shape)


def skewed(torch, t, least, end):
    """Offsets of lines of which a few have most of what is beyond the least: halves of the lines, halves of these, and so on,
    get an even share of it, any, or all or nothing."""
    lines = t.numel() - 1
    each = max(least, 0)
    if each >= end // lines:
        return (torch.arange(lines + 1) * end // lines).to(t.device).view(t.shape)
    begins, parts = [end] * (lines + 1), [(0, lines, 0, end - lines * each)]
    while parts:
        low, high, at, rest = parts.pop()
        if high - low == 1:
            begins[low] = at + low * each
            continue
        middle, turn = (low + high) // 2, int(torch.randint(4, (1,)))
        half = rest * (middle - low) // (high - low) if turn == 0 else int(torch.randint(rest + 1, (1,)))
        if turn == 3:
            half = rest if 2 * half > rest else 0
        parts += [(low, middle, at, half), (middle, high, at + half, rest - half)]
    return torch.tensor(begins, device=t.device).view(t.shape)
