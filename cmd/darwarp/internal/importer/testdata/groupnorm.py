import torch
import torch.nn as nn

batch_size = 4
features = 32
num_groups = 8
side = 9


class Model(nn.Module):
    def __init__(self, features, groups):
        super().__init__()
        self.norm = nn.GroupNorm(groups, features)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.rand(batch_size, features, side, side)]


def get_init_inputs():
    return [features, num_groups]
