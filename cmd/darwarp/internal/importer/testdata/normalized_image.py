import torch

b = 2
c = 3
h = 18
w = 22


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1))

    def forward(self, x, offset):
        return (x.float() / 255.0 - self.mean) * 2 ** 0.5 + offset


def get_inputs():
    return [torch.randint(0, 256, (b, c, h, w), dtype=torch.uint8), torch.randint(-128, 128, (b, 1, h, w), dtype=torch.int8)]
