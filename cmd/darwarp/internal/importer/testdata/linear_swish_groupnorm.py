import torch
import torch.nn as nn

batch_size = 16
in_features = 48
out_features = 64
num_groups = 8
bias_shape = (out_features,)


class Model(nn.Module):
    def __init__(self, inputs, outputs, groups, shape):
        super().__init__()
        self.matmul = nn.Linear(inputs, outputs)
        self.bias = nn.Parameter(torch.randn(shape))
        self.norm = nn.GroupNorm(groups, outputs)

    def forward(self, x):
        x = self.matmul(x)
        x = torch.sigmoid(x) * x
        x = x + self.bias
        return self.norm(x)


def get_inputs():
    return [torch.rand(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, num_groups, bias_shape]
