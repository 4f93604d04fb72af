import torch
import torch.nn as nn

batch_size = 6
features = 16
dim1 = 12
dim2 = 10


class Model(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.features, self.eps = features, eps

    def forward(self, x):
        rms = torch.sqrt(torch.mean(x**2, dim=1, keepdim=True) + self.eps)
        return x / rms


def get_inputs():
    return [torch.rand(batch_size, features, dim1, dim2)]


def get_init_inputs():
    return [features]
