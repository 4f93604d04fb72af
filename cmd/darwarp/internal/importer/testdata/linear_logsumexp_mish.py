import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 16
input_size = 48
hidden_size = 40
scale_factor = 2.0
clamp_min = -10.0
clamp_max = 10.0


class Model(nn.Module):
    def __init__(self, inputs, hidden, scale, low, high):
        super().__init__()
        self.matmul = nn.Linear(inputs, hidden)
        self.scale, self.low, self.high = scale, low, high

    def forward(self, x):
        x = self.matmul(x) * self.scale
        x = x + x
        x = torch.clamp(x, self.low, self.high)
        x = torch.logsumexp(x, dim=1, keepdim=True)
        return x * F.mish(x)


def get_inputs():
    return [torch.rand(batch_size, input_size)]


def get_init_inputs():
    return [input_size, hidden_size, scale_factor, clamp_min, clamp_max]
