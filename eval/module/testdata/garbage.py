import torch
import os

os.write(4, b'garbage ' * 4096)


class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2


def get_inputs():
    return [torch.rand(8, 16)]
