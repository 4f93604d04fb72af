import torch

batch, channels, height, width = 2, 4, 12, 15


class Model(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = torch.nn.Conv2d(channels, channels, (3, 2), stride=(1, 2), padding=(1, 0), groups=channels)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.rand(batch, channels, height, width)]


def get_init_inputs():
    return [channels]
