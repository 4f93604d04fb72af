import torch
import torch.nn as nn

b = 3
i = 5
j = 7
l = 24
k = 40


class Model(nn.Module):
    def forward(self, A, B):
        return torch.einsum("bijl,lk->bijk", A, B)


def get_inputs():
    return [torch.rand(b, i, j, l), torch.rand(l, k)]
