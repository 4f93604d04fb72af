import torch


class Model(torch.nn.Module):
    def forward(self, x):
        with torch.autocast('cpu', dtype=torch.bfloat16):
            y = x @ x
        return torch.relu(y)


def get_inputs():
    return [torch.rand(64, 64)]
