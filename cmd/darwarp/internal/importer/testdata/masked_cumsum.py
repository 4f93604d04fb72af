import torch
import torch.nn as nn

batch_size = 32
dim = 96


class Model(nn.Module):
    def forward(self, x, mask):
        return torch.cumsum(x * mask, dim=1)


def get_inputs():
    return [torch.rand(batch_size, dim), torch.randint(0, 2, (batch_size, dim)).bool()]


def get_init_inputs():
    return []
