import torch
from torch.nn import functional as F

batch = 64
features = 96


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.slope = torch.nn.Parameter(torch.rand(1))

    def forward(self, x, y):
        bent = F.celu(x, 1.2) + F.prelu(y, self.slope) + F.softshrink(x) + F.hardshrink(y) + F.threshold(x, 0.1, 3.0)
        mixed = torch.addcmul(torch.lerp(x, y, 0.3), x, y, value=0.5) + torch.logaddexp(x, y)
        return bent, mixed


def get_inputs():
    return [torch.rand(batch, features), torch.rand(batch, features)]
