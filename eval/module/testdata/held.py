import torch


class Model(torch.nn.Module):
    """It holds a function that refers to its parts, a buffer that is half as long as its inputs, rounded
    up, and one that it reads a part of."""

    def __init__(self, width, longest):
        super().__init__()
        self.parts = torch.nn.ModuleDict({"fc": torch.nn.Linear(width, width), "norm": torch.nn.LayerNorm(width)})
        self.register_buffer("places", torch.zeros(longest, width))
        self.register_buffer("steps", torch.arange(0, width, 2).float())
        parts = self.parts
        self.mlp = lambda x: parts.fc(parts.norm(x))

    def forward(self, x):
        a, b = (x + self.places[..., :x.size(0), :]).chunk(2, dim=-1)
        return self.mlp(torch.cat((a * self.steps, b), dim=-1))


rows = 4
width = 8
longest = 16


def get_inputs():
    return [torch.rand(rows, width)]


def get_init_inputs():
    return [width, longest]
