import torch

batch, queries, keys = 2, 9, 20


class Model(torch.nn.Module):
    def forward(self, q, k, v):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)


def get_inputs():
    return [torch.rand(batch, 4, queries, 16), torch.rand(batch, 2, keys, 16), torch.rand(batch, 2, keys, 16)]
