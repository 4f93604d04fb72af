#!/usr/bin/env python3
"""Prints what stream-K could gain at each shape of a list: the time of multiprocessors that whole tiles, and whole
shares of k, leave unused.

    docs/results/waves.py [SHAPES] [MULTIPROCESSORS]

A calculation, not a measurement: a block takes as long as it has products, and all multiprocessors are equally fast.
Stream-K would use all of that time, and pay for it: sums of tiles that two blocks share pass through memory.
"""
import os
import sys

RATE = 0.8 * 4096 * 1.7e3  # flop of a multiprocessor in a us: 80 % of 4096 in a cycle of 1.7 GHz
MEMORY = 4.25e6  # bytes in a us
SHARES = (1, 2, 3, 4, 6, 8)
WIDTHS = range(128, 272, 16)  # of tiles of 128 rows: narrower ones read more than L2 brings


def up(a, b):
    return -(-a // b)


def choices(m, n, k, sms):
    """The share of all multiprocessors' time in which somebody's products are made, tile and shares."""
    for width in WIDTHS:
        for shares in SHARES:
            blocks = up(m, 128) * up(n, width) * shares
            if shares == 1 or blocks <= 2 * sms:  # as the family has it
                steps = up(up(k, 64), shares)
                yield m * n * k / (up(blocks, sms) * sms * 128 * width * steps * 64), width, shares


def shapes(path):
    with open(path) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                yield tuple(map(int, line.split()[:3]))


def main():
    given = dict(enumerate(sys.argv[1:]))
    path, sms = given.get(0, os.path.join(os.path.dirname(__file__), "shapes.txt")), int(given.get(1, 132))
    print("| m, n, k | floor | tile, shares of k | in use | stream-K, at most |\n|---|---|---|---|---|")
    for m, n, k in shapes(path):
        products, memory = 2 * m * n * k / (sms * RATE), 2 * (m * k + n * k + m * n) / MEMORY
        if memory > products:  # then it does not matter which of the multiprocessors wait
            print(f"| {m}, {n}, {k} | memory {memory:.1f} us | | | |")
            continue
        used, width, shares = max(choices(m, n, k, sms))
        gain = products / used - products
        print(f"| {m}, {n}, {k} | products {products:.1f} us | 128x{width}, {shares} | {used:.1%} | {gain:.1f} us |")


if __name__ == "__main__":
    main()
