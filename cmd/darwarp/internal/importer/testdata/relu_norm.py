import torch
import torch.nn as nn

batch = 32
features = 64


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        return self.norm(torch.relu(x))


def get_inputs():
    return [torch.rand(batch, features)]


def get_init_inputs():
    return [features]
