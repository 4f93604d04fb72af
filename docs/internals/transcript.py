#!/usr/bin/env python3
"""Draws what a search with --plain printed as a picture: docs/internals/transcript.py 'COMMAND' LOG OUT.svg. Long lines end in dots, figures of progress are left out."""
import html
import re
import sys

COLUMNS, LINE, GREEN, GREY, GOLD = 132, 18, "#8fd18f", "#d0d4dc", "#f0d080"


def wanted(lines):
    """The header, the champions, and what became of the last."""
    for line in lines:
        if re.match(r"(looking|starting comp|computing|measuring|Stored|  darwarp)|.*(left  |starting again)", line):
            continue
        yield line
        if line.startswith("  outcome"):
            return


def main():
    command, log, out = sys.argv[1:]
    rows = [(GREEN, "$ " + command)]
    blank = skip = False
    for line in wanted(open(log, encoding="utf-8").read().splitlines()):
        skip = line in ("genes", "resources") or skip and line != ""
        if skip or line == "" and blank or line.startswith("  outcome"):
            continue
        blank = line == ""
        rows.append((GOLD if "  champion " in line else GREY, line if len(line) <= COLUMNS else line[: COLUMNS - 3] + "..."))
    while rows[-1][1] == "":
        rows.pop()
    height = LINE * len(rows) + 22
    with open(out, "w", encoding="utf-8") as f:
        f.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="1100" height="{height}" viewBox="0 0 1100 {height}" role="img" aria-label="A search in the terminal">\n'
                f'<rect width="1100" height="{height}" rx="8" fill="#14161b"/>\n'
                '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" xml:space="preserve">\n')
        for i, (colour, text) in enumerate(rows):
            f.write(f'<text x="20" y="{28 + LINE * i}" fill="{colour}">{html.escape(text)}</text>\n')
        f.write("</g>\n</svg>\n")


main()
