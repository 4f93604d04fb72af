import torch

batch = 64
features = 96


class Model(torch.nn.Module):
    def forward(self, x, y):
        both = ((x > 0.5) & (y > 0.5)) | ((x < 0.1) ^ (y < 0.1))
        return torch.softmax(torch.where(both, x, y), 1).float()


def get_inputs():
    return [torch.rand(batch, features), torch.rand(batch, features)]
