import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x * x.amax().item()


def get_inputs():
    return [torch.rand(64, 48)]
