import torch


class First(torch.nn.Module):
    def forward(self, x):
        return x * 2


class Second(First):
    pass


def get_inputs():
    return [torch.rand(4, 4)]
