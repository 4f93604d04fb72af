"""Counts what the loops of a kernel of products do: nvdisasm -c KERNEL.cubin | python3 banks.py

An FMA takes as many turns as one bank of registers has to give numbers for it, at least one; any other instruction takes one.
A bank is the even or the odd registers. A number is still at hand where the instruction before that read the same bank at the
same place of its operands said .reuse. How a GPU spreads reads over time is not documented: this is the worst that it may do.
"""

import re
import sys

INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?\s*(\S+)\s*(.*?)\s*;")
LABEL = re.compile(r"\s*(\.L\w+):")
REGISTER = re.compile(r"\bR(\d+)(\.reuse)?")


def kernel(lines, entry):
    """The instructions of a kernel as (operation, operands), and where its labels are."""
    inside, code, labels = False, [], {}
    for line in lines:
        if ".section" in line:
            inside = f".text.{entry}," in line
        elif inside and (m := LABEL.match(line)):
            labels[m.group(1)] = len(code)
        elif inside and (m := INSTRUCTION.match(line)):
            code.append((m.group(1), m.group(2)))
    return code, labels


def turns(loop):
    """FMAs, and turns that the instructions of a loop take."""
    at_hand, fmas, total = {}, 0, 0
    for operation, operands in loop:
        if not operation.startswith("FFMA"):
            total += 1
            continue
        reads, seen = [0, 0], set()
        for place, text in enumerate(operands.split(",")[1:]):
            if not (m := REGISTER.search(text)):
                continue
            register = int(m.group(1))
            bank = register % 2
            if at_hand.get((bank, place)) != register and register not in seen:
                reads[bank] += 1
            seen.add(register)
            at_hand[bank, place] = register if m.group(2) else None
        fmas, total = fmas + 1, total + max(1, *reads)
    return fmas, total


def main():
    code, labels = kernel(sys.stdin, sys.argv[1] if len(sys.argv) > 1 else "multiply")
    for end, (operation, operands) in enumerate(code):
        target = re.search(r"\((\.L\w+)\)", operands)
        if not operation.startswith("BRA") or not target or labels.get(target.group(1), end + 1) > end:
            continue
        loop = code[labels[target.group(1)] : end + 1]
        fmas, total = turns(loop)
        if fmas >= 100:
            print(f"{len(loop)} instructions, {fmas} FMAs: {fmas / len(loop):.1%}; {total} turns: {fmas / total:.1%}")


main()
