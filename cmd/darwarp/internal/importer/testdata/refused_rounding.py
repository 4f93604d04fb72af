import torch
import torch.nn as nn

batch_size = 4
channels = 8
length = 30


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.GroupNorm(4, channels)

    def forward(self, x):
        return self.norm(x).mean(dim=[1, 2])


def get_inputs():
    return [torch.rand(batch_size, channels, length)]


def get_init_inputs():
    return [channels]
