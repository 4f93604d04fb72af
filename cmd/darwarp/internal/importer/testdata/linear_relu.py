import torch
import torch.nn as nn

batch_size = 16
in_features = 48
out_features = 32


class Model(nn.Module):
    def __init__(self, inputs, outputs, shape):
        super().__init__()
        self.gemm = nn.Linear(inputs, outputs, bias=False)
        self.bias = nn.Parameter(torch.randn(shape))

    def forward(self, x):
        return torch.relu(self.gemm(x) + self.bias)


def get_inputs():
    return [torch.rand(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, (out_features,)]
