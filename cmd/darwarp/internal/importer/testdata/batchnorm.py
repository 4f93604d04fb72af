import torch
import torch.nn as nn

batch_size = 8
features = 16
side = 12


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.bn = nn.BatchNorm2d(features)

    def forward(self, x):
        return self.bn(x)


def get_inputs():
    return [torch.rand(batch_size, features, side, side)]


def get_init_inputs():
    return [features]
