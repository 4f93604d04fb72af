import torch
from torch.nn import functional as F

batch = 64
classes = 96


class Model(torch.nn.Module):
    def forward(self, x, teacher, y):
        apart = F.kl_div(F.log_softmax(x, 1), teacher, reduction="batchmean")
        return apart + F.cross_entropy(x, y, label_smoothing=0.1)


def get_inputs():
    return [torch.rand(batch, classes), torch.rand(batch, classes).softmax(1), torch.randint(0, classes, (batch,))]
