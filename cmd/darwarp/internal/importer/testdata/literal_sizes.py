import torch
import torch.nn as nn
import torch.nn.functional as F




class Model(nn.Module):
    def forward(self, x):
        return F.log_softmax(x, dim=1) / x.shape[1]


def get_inputs():
    return [torch.rand(24, 56)]


def get_init_inputs():
    return []
