import torch
import torch.nn as nn

batch_size = 6
features = 8
height = 12
width = 10


class Model(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.norm = nn.LayerNorm(normalized_shape=shape)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.rand(batch_size, features, height, width)]


def get_init_inputs():
    return [(features, height, width)]
