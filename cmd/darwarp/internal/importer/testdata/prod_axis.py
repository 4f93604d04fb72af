import torch

batch, rows, cols = 3, 9, 7


class Model(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return torch.prod(x, dim=self.dim, keepdim=True)


def get_inputs():
    return [torch.rand(batch, rows, cols)]


def get_init_inputs():
    return [1]
