import torch
import sys

for _ in range(20000):
    print('\x1b[2J' * 100)
    print('\x1b[2J' * 100, file=sys.stderr)
raise RuntimeError('\x1b[2J\u202egnp.exe\x07')


class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2


def get_inputs():
    return [torch.rand(8, 16)]
