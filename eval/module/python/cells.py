"""One step of a recurrent layer, written out as parts.py does."""
import torch


def gates(x, h, w_x, w_h, b_x, b_h, count):
    linear = torch.nn.functional.linear
    return linear(x, w_x, b_x).chunk(count, -1), linear(h, w_h, b_h).chunk(count, -1)


def gru_cell(x, h, w_x, w_h, b_x=None, b_h=None):
    (reset, update, new), (reset_h, update_h, new_h) = gates(x, h, w_x, w_h, b_x, b_h, 3)
    new = torch.tanh(new + torch.sigmoid(reset + reset_h) * new_h)
    return new + torch.sigmoid(update + update_h) * (h - new)


def lstm_cell(x, state, w_x, w_h, b_x=None, b_h=None):
    h, c = state
    (i, f, g, o) = (a + b for a, b in zip(*gates(x, h, w_x, w_h, b_x, b_h, 4)))
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def rnn_cell(activation):
    def cell(x, h, w_x, w_h, b_x=None, b_h=None):
        return activation(torch.nn.functional.linear(x, w_x, b_x) + torch.nn.functional.linear(h, w_h, b_h))

    return cell


CELLS = {
    "gru_cell": gru_cell, "lstm_cell": lstm_cell, "rnn_relu_cell": rnn_cell(torch.relu), "rnn_tanh_cell": rnn_cell(torch.tanh),
}
