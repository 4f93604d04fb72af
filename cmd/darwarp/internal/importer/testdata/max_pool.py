import torch
import torch.nn as nn

batch_size = 4
features = 6
length = 50


class Model(nn.Module):
    def __init__(self, kernel, stride, padding, dilation):
        super().__init__()
        self.pool = nn.MaxPool1d(kernel, stride=stride, padding=padding, dilation=dilation)

    def forward(self, x):
        return self.pool(x)


def get_inputs():
    return [torch.rand(batch_size, features, length)]


def get_init_inputs():
    return [8, 3, 4, 2]
