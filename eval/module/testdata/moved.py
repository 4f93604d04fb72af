"""What operators are written out as gives what they give."""
import sys

import torch

sys.path.insert(0, sys.argv[1])
from chosen import Counted  # noqa: E402
from parts import PARTS  # noqa: E402

f = torch.nn.functional
x, y = torch.rand(2, 3, 4, 6), torch.rand(2, 8, 3, 5)
a, b, weight = torch.rand(7, 3), torch.rand(7, 4), torch.rand(5, 3, 4)
q, mask, points = torch.rand(2, 3, 8, 4), torch.rand(8, 8), torch.rand(5, 8, 1, 1)
single, wide, turned = torch.rand(8, 1, 2, 3), torch.rand(5, 3, 2, 3), torch.rand(8, 5, 1, 1)
longer, hidden, nothing = torch.rand(2, 3, 11, 4), mask > 0.6, mask.log() * torch.inf
heads = torch.rand(2, 6, 8, 4)
cell = torch.rand(12, 3), torch.rand(12, 4), torch.rand(12), torch.rand(12)
three, at, bags = Counted(range(3), [3]), torch.tensor([3, 0, 2]), Counted(range(0, 6, 3), [2])
ids, far = torch.tensor([6, 1, 1, 0, 4, 6]), torch.tensor([[3, 0], [2, 2], [1, 3]])
hidden[3], nothing[2:] = False, 0  # a row that sees no key, and two
for name, args, want in [
    ("roll", (x, 1, 2), torch.roll(x, 1, 2)),
    ("roll", (x, [-2, 9], [0, 3]), torch.roll(x, [-2, 9], [0, 3])),
    ("repeat", (x, [2, 1, 3, 1, 2]), x.repeat(2, 1, 3, 1, 2)),
    ("tile", (x, [2, 3]), x.tile(2, 3)),
    ("repeat_interleave", (x, 3, -1), x.repeat_interleave(3, -1)),
    ("stack", ([x, x + 1], 1), torch.stack([x, x + 1], 1)),
    ("upsample_nearest2d", (x, None, (2.0, 3.0)), f.interpolate(x, scale_factor=(2, 3))),
    ("upsample_nearest2d", (x, [8, 18]), f.interpolate(x, (8, 18))),
    ("pixel_shuffle", (y, 2), f.pixel_shuffle(y, 2)),
    ("pixel_unshuffle", (x, 2), f.pixel_unshuffle(x, 2)),
    ("channel_shuffle", (y, 4), f.channel_shuffle(y, 4)),
    ("kron", (a, b), torch.kron(a, b)),
    ("diff", (x,), torch.diff(x)),
    ("cdist", (a, a[:4] + 1), torch.cdist(a, a[:4] + 1)),
    ("cdist", (a, a[:4] + 1, 1.0), torch.cdist(a, a[:4] + 1, 1.0)),
    ("bilinear", (a, b, weight), f.bilinear(a, b, weight)),
    ("conv2d", (y, points, torch.ones(5)), f.conv2d(y, points, torch.ones(5))),
    ("conv2d", (y, points, None, 2), f.conv2d(y, points, None, 2)),
    ("conv2d", (x, wide, None, [2, 3]), f.conv2d(x, wide, None, (2, 3))),
    ("conv2d", (x, wide), None),
    ("conv2d", (y, single, torch.ones(8), 2, [1, 2], [1, 2], 8),
     f.conv2d(y, single, torch.ones(8), 2, (1, 2), (1, 2), 8)),
    ("conv2d", (y, single, None, 1, "same", 1, 8), f.conv2d(y, single, None, 1, "same", 1, 8)),
    ("conv2d", (y, torch.rand(16, 1, 2, 2), None, 1, 0, 1, 8), None),
    ("conv_transpose2d", (y, turned, torch.ones(5)), f.conv_transpose2d(y, turned, torch.ones(5))),
    ("conv_transpose2d", (y, turned, None, 2), None),
    ("conv2d", (y, torch.rand(5, 8, 3, 3)), None),
    ("avg_pool2d", (x, [3, 2], [2, 1], [1, 0], False, True, 5),
     f.avg_pool2d(x, (3, 2), (2, 1), (1, 0), divisor_override=5)),
    ("avg_pool2d", (x, [2], [], [0], False, False, 3), f.avg_pool2d(x, 2, divisor_override=3)),
    ("avg_pool2d", (x, [2], [], [0], True, True, 3), None),
    ("avg_pool3d", (x, [2, 3, 2], [], [0], False, True, 7), f.avg_pool3d(x, (2, 3, 2), divisor_override=7)),
    ("gru_cell", (a, b, *cell[:4]), torch.gru_cell(a, b, *cell[:4])),
    ("gru_cell", (a, b, *cell[:2]), torch.gru_cell(a, b, *cell[:2])),
    ("rnn_tanh_cell", (a, b, *(w[:4] for w in cell[:4])), torch.rnn_tanh_cell(a, b, *(w[:4] for w in cell[:4]))),
    ("slice_scatter", (a, b[2:4, :3], 0, -3, -1), a.slice_scatter(b[2:4, :3], 0, -3, -1)),
    ("slice_scatter", (a, b[:, :2], 1, 1), a.slice_scatter(b[:, :2], 1, 1)),
    ("slice_scatter", (a, b[:, :3], 1), b[:, :3]),
    ("slice_scatter", (a, b[:4, :3], 0, 0, 7, 2), None),
    ("copy", (a, b[:, :1]), b[:, :1].expand(7, 3)),
    ("fill", (a, 2), torch.full_like(a, 2)),
    ("index_put", (a, [a > 0.5], torch.tensor(2.0)), torch.where(a > 0.5, 2.0, a)),
    ("index_put", (a, [a[:, 0] > 0.5], torch.tensor(2.0)), torch.where(a[:, :1] > 0.5, 2.0, a)),
    ("index_put", (a, [torch.tensor([1])], torch.tensor(2.0)), None),
    ("index", (b[:3], [three, at]), b[[0, 1, 2], at]),
    ("index", (x, [None, three, at]), x[:, [0, 1, 2], at]),
    ("index", (x, [None, Counted(range(3), [3, 1]), far]), x[:, torch.arange(3)[:, None], far]),
    ("index", (b, [three, at]), None),  # of the first rows alone
    ("index", (x, [None, three, far]), None),
    ("index", (x, [None, Counted(range(1, 4), [3]), at]), None),
    ("index", (x, [None, at, three]), None),
    ("index", (x, [None, three, at.int()]), None),
    ("index", (b, [at]), None),
    *(("embedding_bag", (a, ids, bags, False, mode), (f.embedding_bag(ids.view(2, 3), a, mode=name),))
      for mode, name in enumerate(("sum", "mean", "max"))),
    ("embedding_bag", (a, ids, bags, False, 0, False, weight.view(-1)[:6], False, -1),
     (f.embedding_bag(ids.view(2, 3), a, mode="sum", per_sample_weights=weight.view(-1)[:6].view(2, 3)),)),
    ("embedding_bag", (a, ids, bags, False, 0, False, None, True), None),
    ("embedding_bag", (a, ids, bags, False, 0, False, None, False, 1), None),
    ("embedding_bag", (a, ids, Counted(range(0, 4, 3), [2]), False, 0, False, None, False, -1), (
        f.embedding_bag(ids, a, torch.tensor([0, 3]), mode="sum"),)),
    ("embedding_bag", (a, ids[:5], bags), None),
    ("embedding_bag", (a, ids, torch.tensor([0, 3])), None),
    ("unfold", (x, 2, 2, 2), x.unfold(2, 2, 2)),
    ("unfold", (x, -1, 3, 3), x.unfold(-1, 3, 3)),
    ("unfold", (x, -1, 3, 1), None),
    ("select_scatter", (a, b[:, 0], 1, -2), a.select_scatter(b[:, 0], 1, -2)),
    ("_weight_norm", (weight, weight[:, :1, :1]), torch._weight_norm(weight, weight[:, :1, :1])),
    ("einsum", ("nd,edh->neh", [a, weight]), torch.einsum("nd,edh->neh", a, weight)),
    ("einsum", ("ij,bjd->bid", [a, weight]), torch.einsum("ij,bjd->bid", a, weight)),
    ("einsum", ("bhij,bchj->hic", [x, y.view(2, 8, 3, 5)[..., 1:].repeat(1, 1, 1, 2)[..., :6]]),
     torch.einsum("bhij,bchj->hic", x, y.view(2, 8, 3, 5)[..., 1:].repeat(1, 1, 1, 2)[..., :6])),
    ("einsum", ("abcd,cdae->be", [x, x.permute(2, 3, 0, 1)]), torch.einsum("abcd,cdae->be", x, x.permute(2, 3, 0, 1))),
    ("einsum", ("id,jd,d->ij", [a, a, torch.ones(3)]), a @ a.T),
    ("scaled_dot_product_attention", (q, q, q, mask), f.scaled_dot_product_attention(q, q, q, mask)),
    ("scaled_dot_product_attention", (q, longer, longer, None, 0.0, True),
     f.scaled_dot_product_attention(q, longer, longer, is_causal=True)),
    ("scaled_dot_product_attention", (q, q, q, hidden), f.scaled_dot_product_attention(q, q, q, hidden)),
    ("scaled_dot_product_attention", (q, q, q, nothing), f.scaled_dot_product_attention(q, q, q, nothing)),
    ("scaled_dot_product_attention", (q, q, q, None, 0.5), None),
    ("scaled_dot_product_attention", (heads, q, longer[:, :, :8], mask, {"enable_gqa": True}),
     f.scaled_dot_product_attention(heads, q, longer[:, :, :8], mask, enable_gqa=True)),
    ("scaled_dot_product_attention", (heads, longer, longer[:, :1], None, 0.0, True, {"enable_gqa": True}),
     f.scaled_dot_product_attention(heads, longer, longer[:, :1].expand(2, 3, 11, 4), is_causal=True, enable_gqa=True)),
]:
    named = args[-1] if isinstance(args[-1], dict) else {}
    got = PARTS[name](*args[:len(args) - len(named)], **named)
    if isinstance(want, tuple) and got is not None and name == "embedding_bag":
        (got,), (want,) = got, want
    if (got is None) != (want is None) or got is not None and not (
            got.shape == want.shape and torch.allclose(got, want, atol=1e-5)):
        sys.exit("%s is not what torch has" % name)
