import torch

torch.note("compiler")
