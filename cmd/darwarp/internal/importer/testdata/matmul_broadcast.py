import torch

batch, heads, m, n, k = 2, 3, 9, 20, 12


class Model(torch.nn.Module):
    def forward(self, a, b, c):
        return torch.relu(torch.matmul(a, b)) + c


def get_inputs():
    return [torch.rand(batch, heads, m, k), torch.rand(heads, k, n), torch.rand(batch, 1, 1, n)]
