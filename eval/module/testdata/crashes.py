import torch
import ctypes

ctypes.string_at(8)


class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2


def get_inputs():
    return [torch.rand(8, 16)]
