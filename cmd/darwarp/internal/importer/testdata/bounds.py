import torch

batch = 64
features = 96


class Model(torch.nn.Module):
    def forward(self, x, y):
        return torch.clamp(x, y, y + 1) + torch.frac(x), torch.logaddexp2(x, y)


def get_inputs():
    return [torch.randn(batch, features), torch.randn(batch, features)]
