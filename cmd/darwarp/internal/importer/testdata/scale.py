import torch
import torch.nn as nn

M = 64
N = 48


class Model(nn.Module):
    def forward(self, A, s):
        return A * s


def get_inputs():
    return [torch.rand(M, N), 3.14]


def get_init_inputs():
    return []
