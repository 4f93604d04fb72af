import torch
import torch.nn as nn

words = 48
width = 24
rows = 10


class Model(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.words = nn.Embedding(words, width)

    def forward(self, x):
        return torch.relu(self.words(x))


def get_inputs():
    return [torch.randint(20, 40, (rows,))]


def get_init_inputs():
    return [words, width]
