import torch

batch_size = 7
dim1 = 33
dim2 = 41


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.prod(x, dim=0)


def get_inputs():
    return [torch.rand(batch_size, dim1, dim2)]
