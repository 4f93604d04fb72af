import torch
from torch import device, inf, nan


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_weight = torch.nn.Parameter(torch.randn([4096]).to(torch.float32))

    def forward(self, x):
        return self.graph(self.norm_weight, x)[0]

    def graph(self, p_norm_weight, x):
        silu = torch.ops.aten.silu.default(x);  x = None
        rms_norm = torch.ops.aten.rms_norm.default(silu, [4096], p_norm_weight);  silu = p_norm_weight = None
        return (rms_norm,)


def get_inputs():
    return [torch.rand([4096, 4096]).to(torch.float32)]


def get_init_inputs():
    return []

