import torch
import torch.nn as nn

rows = 40
cols = 24


class Model(nn.Module):
    def forward(self, x, factor, best, mask=None, mode="sum"):
        y = x * factor
        y = y if mask is None else y * mask
        return (y.sum() if mode == "sum" else y.mean()) / best


def get_inputs():
    return [torch.randn(rows, cols), 3.14, torch.rand(()) + 0.5, None]
