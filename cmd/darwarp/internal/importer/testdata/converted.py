"""It converts what it has, as after .cuda() and .half(), compiles itself, and says that no gradients are wanted."""
import torch
from torch import nn

rows = 48
features = 64


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.first = nn.LayerNorm(features).half()
        self.second = nn.LayerNorm(features).to("cuda")
        self.second.weight = self.first.weight
        self.half().cuda()

    @torch.compile
    def forward(self, x):
        with torch.no_grad():
            y = torch.relu(x * self.second.weight)
        return self.first(y)


def get_inputs():
    return [torch.rand(rows, features, device="cuda").half()]


def get_init_inputs():
    return [features]
