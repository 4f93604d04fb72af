import torch
import torch.nn as nn

words = 50
width = 24
bags = 12
length = 5


class Model(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.words = nn.EmbeddingBag(words, width, mode="mean")

    def forward(self, x):
        return self.words(x)


def get_inputs():
    return [torch.randint(0, words, (bags, length))]


def get_init_inputs():
    return [words, width]
