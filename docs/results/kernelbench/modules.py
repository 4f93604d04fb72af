#!/usr/bin/env python3
"""Writes modules of PyTorch to import, one a file: modules.py OUTDIR makes OUTDIR/level1/*.py and OUTDIR/level2/*.py.

Names, shapes and constructor arguments are those of KernelBench (ScalingIntelligence/KernelBench 423217d, MIT): its
problems of level 1 without convolutions, and those of level 2 that start with a linear layer, as far as their facts
were at hand. The modules are our own. A problem is a row of a table below:

    number  name | sizes | inputs of forward | its result | the constructor's arguments and attributes

A shape in brackets, as [m, k], stands for a tensor torch.rand(m, k). p[n] stands for a parameter of that shape.
Statements are separated by semicolons; an indented line goes on with the row."""
import pathlib
import re
import sys

# Products of matrices. Triangular inputs are drawn triangular.
PRODUCTS = """
1 Square_matrix_multiplication | n = 4096 | a = [n, n]; b = [n, n] | a @ b
2 Standard_matrix_multiplication | m = 2048; n = 4096; k = 8192 | a = [m, k]; b = [k, n] | a @ b
3 Batched_matrix_multiplication | batch = 128; m = 512; n = 2048; k = 1024 | a = [batch, m, k]; b = [batch, k, n] |
    torch.bmm(a, b)
4 Matrix_vector_multiplication | m = 2048; k = 1048576 | a = [m, k]; b = [k, 1] | a @ b
5 Matrix_scalar_multiplication | m = 65536; n = 16384 | a = [m, n]; s = 3.14 | a * s
6 Matmul_with_large_K_dimension | m = 256; n = 256; k = 524288 | a = [m, k]; b = [k, n] | a @ b
7 Matmul_with_small_K_dimension | m = 32768; n = 32768; k = 64 | a = [m, k]; b = [k, n] | a @ b
9 Tall_skinny_matrix_multiplication | m = 32768; n = 32768; k = 32 | a = [m, k]; b = [k, n] | a @ b
10 3D_tensor_matrix_multiplication | batch = 16; m = 1024; k = 2048; n = 768 | a = [batch, m, k]; b = [k, n] | a @ b
14 Matmul_for_upper_triangular_matrices | n = 4096 | a = [n, n].triu(); b = [n, n].triu() | torch.triu(a @ b)
15 Matmul_for_lower_triangular_matrices | n = 4096 | a = [n, n].tril(); b = [n, n].tril() | torch.tril(a @ b)
17 Matmul_with_transposed_B | m = 2048; n = 4096; k = 8192 | a = [m, k]; b = [n, k] | a @ b.T
18 Matmul_with_transposed_both | m = 2048; n = 4096; k = 8192 | a = [k, m]; b = [n, k] | a.T @ b.T
"""

# Maps of an element, and softmax: all of 4096 x 393216.
MAPS = """
19 ReLU | torch.relu(x)
20 LeakyReLU | F.leaky_relu(x, 0.01)
21 Sigmoid | torch.sigmoid(x)
22 Tanh | torch.tanh(x)
23 Softmax | torch.softmax(x, dim=1)
25 Swish | x * torch.sigmoid(x)
26 GELU | F.gelu(x)
28 HardSigmoid | F.hardsigmoid(x)
29 Softplus | F.softplus(x)
30 Softsign | x / (1 + x.abs())
32 HardTanh | F.hardtanh(x, -1.0, 1.0)
"""

# Norms, pools, reductions, scans and losses.
ROWS = """
33 BatchNorm | n = 64; c = 64; h = 512; w = 512 | x = [n, c, h, w] | self.norm(x) | c | norm = nn.BatchNorm2d(c)
34 InstanceNorm | n = 112; c = 64; h = 512; w = 512 | x = [n, c, h, w] | self.norm(x) | c | norm = nn.InstanceNorm2d(c)
36 RMSNorm | n = 112; c = 64; h = 512; w = 512 | x = [n, c, h, w] |
    x / torch.sqrt(x.square().mean(dim=1, keepdim=True) + 1e-5)
37 FrobeniusNorm | n = 112; c = 64; h = 512; w = 512 | x = [n, c, h, w] | x / torch.linalg.vector_norm(x)
39 L2Norm | m = 32768; n = 65535 | x = [m, n] | x / torch.linalg.vector_norm(x, dim=1, keepdim=True)
40 LayerNorm | n = 16; c = 64; h = 256; w = 256 | x = [n, c, h, w] | self.norm(x) | c, h, w |
    norm = nn.LayerNorm((c, h, w))
41 Max_Pooling_1D | n = 64; c = 192; l = 65536 | x = [n, c, l] | F.max_pool1d(x, 8, stride=1, padding=4, dilation=3)
43 Max_Pooling_3D | n = 16; c = 32; l = 128 | x = [n, c, l, l, l] | F.max_pool3d(x, 3, stride=2, padding=1, dilation=3)
44 Average_Pooling_1D | n = 64; c = 128; l = 65536 | x = [n, c, l] | F.avg_pool1d(x, 8, stride=1, padding=4)
46 Average_Pooling_3D | n = 16; c = 32; h = 128; w = 256 | x = [n, c, h, h, w] | F.avg_pool3d(x, 3, stride=2, padding=1)
47 Sum_reduction_over_a_dimension | b = 128; m = 4096; n = 4095 | x = [b, m, n] | x.sum(dim=1, keepdim=True)
48 Mean_reduction_over_a_dimension | b = 128; m = 4096; n = 4095 | x = [b, m, n] | x.mean(dim=1)
52 Argmin_over_a_dimension | b = 128; m = 4096; n = 4095 | x = [b, m, n] | x.argmin(dim=1)
53 Min_reduction_over_a_dimension | b = 128; m = 4096; n = 4095 | x = [b, m, n] | x.amin(dim=1)
89 cumsum | m = 32768; n = 32768 | x = [m, n] | torch.cumsum(x, dim=1)
90 cumprod | m = 32768; n = 32768 | x = [m, n] | torch.cumprod(x, dim=1)
91 cumsum_reverse | m = 32768; n = 32768 | x = [m, n] | torch.cumsum(x.flip(1), dim=1).flip(1)
93 masked_cumsum | m = 32768; n = 32768 | x = [m, n]; mask = torch.randint(0, 2, (m, n)).bool() |
    torch.cumsum(x * mask, dim=1)
94 MSELoss | m = 32768; n = 32768 | x = [m, n] * torch.rand(()); y = [m, n] | torch.mean((x - y) ** 2)
95 CrossEntropyLoss | m = 32768; n = 4096 | x = [m, n]; y = torch.randint(0, n, (m,)) | F.cross_entropy(x, y)
98 KLDivLoss | m = 16384; n = 16384 | x = ([m, n] * torch.rand(())).softmax(dim=-1); y = [m, n].softmax(dim=-1) | KL
100 HingeLoss | m = 32768; n = 32768 | x = [m, n]; y = torch.randint(0, 2, (m,)).float() * 2 - 1 |
    torch.clamp(1 - x * y, min=0).mean()
"""
LONG = {"KL": "F.kl_div(x.log(), y, reduction='batchmean')"}

# A linear layer and what follows it: y is self.linear(x), of k inputs and n outputs. m, k and n come first.
LINEAR = """
14 Gemm_Divide_Sum_Scaling | 1024 8192 8192 | (y / 2).sum(dim=1, keepdim=True) * 1.5 | nobias
22 Matmul_Scale_ResidualAdd_Clamp_LogSumExp_Mish | 1024 8192 8192 |
    z = torch.clamp(y * 2.0 + y * 2.0, -10.0, 10.0).logsumexp(dim=1, keepdim=True); z * F.mish(z)
28 BMM_InstanceNorm_Sum_ResidualAdd_Multiply | 1024 8192 8192 |
    z = F.instance_norm(y.unsqueeze(1).unsqueeze(1)).squeeze(1).squeeze(1); (z + r) * r | r = [m, n]
29 Matmul_Mish_Mish | 1024 8192 8192 | F.mish(F.mish(y))
37 Matmul_Swish_Sum_GroupNorm | 32768 1024 4096 | self.norm(y * torch.sigmoid(y) + self.b) |
    b = p[n]; norm = nn.GroupNorm(64, n)
40 Matmul_Scaling_ResidualAdd | 16384 4096 4096 | y * 0.5 + y
41 Gemm_BatchNorm_GELU_ReLU | 16384 4096 4096 | torch.relu(F.gelu(self.norm(y))) | norm = nn.BatchNorm1d(n)
53 Gemm_Scaling_Hardtanh_GELU | 2048 8192 8192 | F.gelu(F.hardtanh(y * 0.5, -2, 2))
55 Matmul_MaxPool_Sum_Scale | 128 32768 32768 | F.max_pool1d(y.unsqueeze(1), 2).squeeze(1).sum(dim=1) * 0.5
56 Matmul_Sigmoid_Sum | 128 32768 32768 | torch.sigmoid(y).sum(dim=1, keepdim=True)
59 Matmul_Swish_Scaling | 128 32768 32768 | y * torch.sigmoid(y) * 2.0
62 Matmul_GroupNorm_LeakyReLU_Sum | 1024 8192 8192 | z = F.leaky_relu(self.norm(y), 0.01); z + z |
    norm = nn.GroupNorm(512, n)
64 Gemm_LogSumExp_LeakyReLU_LeakyReLU_GELU_GELU | 1024 8192 8192 |
    z = F.leaky_relu(y.logsumexp(dim=1, keepdim=True), 0.01); F.gelu(F.gelu(F.leaky_relu(z, 0.01)))
68 Matmul_Min_Subtract | 128 16384 16384 | torch.minimum(y, self.s) - self.s | s = nn.Parameter(torch.tensor(2.0))
70 Gemm_Sigmoid_Scaling_ResidualAdd | 1024 8192 8192 | torch.sigmoid(y) * 2.0 + y
76 Gemm_Add_ReLU | 1024 8192 8192 | torch.relu(y + self.b) | nobias; b = p[n]
80 Gemm_Max_Subtract_GELU | 1024 8192 8192 | z = y.amax(dim=1, keepdim=True); F.gelu(z - z.mean(dim=1, keepdim=True))
86 Matmul_Divide_GELU | 1024 8192 8192 | F.gelu(y / 10.0)
88 Gemm_GroupNorm_Swish_Multiply_Swish | 1024 8192 8192 | z = F.silu(self.norm(y)) * self.w; F.silu(z) |
    norm = nn.GroupNorm(256, n); w = p[n]
94 Gemm_BiasAdd_Hardtanh_Mish_GroupNorm | 1024 8192 8192 | self.norm(F.mish(F.hardtanh(y + self.b))) |
    b = p[n]; norm = nn.GroupNorm(256, n)
95 Matmul_Add_Swish_Tanh_GELU_Hardtanh | 1024 8192 8192 | F.hardtanh(F.gelu(torch.tanh(F.silu(y + self.b)))) | b = p[n]
97 Matmul_BatchNorm_BiasAdd_Divide_Swish | 1024 8192 8192 | F.silu((self.norm(y) + self.b) / 1.0) |
    norm = nn.BatchNorm1d(n, eps=1e-05, momentum=0.1); b = p[1]
98 Matmul_AvgPool_GELU_Scale_Max | 1024 8192 8192 |
    (F.gelu(F.avg_pool1d(y.unsqueeze(1), 16).squeeze(1)) * 2.0).amax(dim=1)
"""

MODULE = """import torch
import torch.nn.functional as F
from torch import nn

{sizes}


class Model(nn.Module):
    def __init__(self{init}):
        super().__init__(){attributes}

    def forward(self, {arguments}):{forward}


def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return [{initial}]
"""


def rows(table, fields):
    """The rows of a table as lists of that many fields, missing ones empty; the first is the file's name."""
    for line in table.strip().replace("\n    ", " ").splitlines():
        row = [field.strip() for field in line.split(" | ")]
        row[0] = row[0].replace(" ", "_", 1)
        yield row + [""] * (fields - len(row))


def parts(text):
    """What a field lists, separated by semicolons."""
    return [part for part in text.split("; ") if part]


def lines(statements):
    return "".join("\n        " + statement for statement in statements)


def module(sizes, inputs, result, init="", attributes=""):
    """The text of a module, of the fields of a row."""
    names, values = zip(*(part.split(" = ", 1) for part in parts(inputs)))
    *before, last = parts(LONG.get(result, result))
    drawn = [re.sub(r"\[([^\]]*)\]", r"torch.rand(\1)", value) for value in values]
    made = [re.sub(r"p\[([^\]]*)\]", r"nn.Parameter(torch.randn(\1))", part) for part in parts(attributes)]
    return MODULE.format(
        sizes="\n".join(parts(sizes)), init=", " * bool(init) + init, attributes=lines(["self." + a for a in made]),
        arguments=", ".join(names), forward=lines(before + ["return " + last]), inputs=", ".join(drawn), initial=init)


def linear(sizes, result, more):
    """The text of a module that starts with a linear layer. Of more, nobias is about the layer, r another input."""
    m, k, n = sizes.split()
    more = parts(more)
    layer = "linear = nn.Linear(k, n" + (", bias=False)" if "nobias" in more else ")")
    inputs = ["x = [m, k]"] + [part for part in more if part.startswith("r = ")]
    made = [layer] + [part for part in more if part != "nobias" and not part.startswith("r = ")]
    result = "y = self.linear(x); " + result
    return module(f"m = {m}; k = {k}; n = {n}", "; ".join(inputs), result, "k, n", "; ".join(made))


def level1():
    for name, sizes, inputs, result in rows(PRODUCTS, 4):
        yield name, module(sizes, inputs, result)
    for name, result in rows(MAPS, 2):
        yield name, module("m = 4096; n = 393216", "x = [m, n]", result)
    for name, *fields in rows(ROWS, 6):
        yield name, module(*fields)


def level2():
    for name, *fields in rows(LINEAR, 4):
        yield name, linear(*fields)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: modules.py OUTDIR")
    for level in (level1, level2):
        folder = pathlib.Path(sys.argv[1]) / level.__name__
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in level():
            (folder / (name + ".py")).write_text(text)


if __name__ == "__main__":
    main()
