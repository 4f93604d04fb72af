import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 16
in_features = 48
out_features = 32


class Model(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.gemm = nn.Linear(inputs, outputs)
        self.norm = nn.BatchNorm1d(outputs)

    def forward(self, x):
        return F.relu(F.gelu(self.norm(self.gemm(x))), inplace=True)


def get_inputs():
    return [torch.rand(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features]
