import torch
import torch.nn as nn

batch_size = 16
features = 24


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear, self.drop = nn.Linear(features, features), nn.Dropout(0.2)

    def forward(self, x):
        return self.drop(self.linear(x))


def get_inputs():
    return [torch.rand(batch_size, features)]


def get_init_inputs():
    return [features]
