#!/usr/bin/env python3
"""Reads the machine code of a cubin and holds facts of its kernels' inner loops.

usage: sass.py CUBIN KERNEL OPERATION COUNT MOST [none=OPERATION] [before=OPERATION,OPERATION] [least=PERCENT]
The inner loop is the shortest that has COUNT of OPERATION; it may have MOST instructions. `none`: an operation that it must not have;
`before=A,B`: its first A behind the last OPERATION comes before its first B. Prints the share of the issue slots that OPERATION has, that of
FFMA by two models of register banks (`clocks`); `least`: what the more cautious one must give.
An instruction is 16 bytes, the lowest 12 bits its operation; a jump is relative to the next, in units of 4 bytes, bits 16 to 23 and from
34 on. The registers that an FFMA reads are bits 24, 32 and 64 on, and bits 122 to 124 say which of them are kept for the next (found with
nvcc's own listings of code for sm_90).
"""
import collections
import struct
import sys

OPERATIONS = {"FFMA": {0x223}, "HMMA": {0x23C}, "HGMMA": {0x9F0, 0xDF0}, "QGMMA": {0x9F3, 0xDF3}, "MUFU": {0x308}, "R2UR": {0x2CA}, "ARRIVE": {0x9A7}, "LOCAL": {0x387, 0x983}}
JUMP = 0x947
NO_REGISTER = 255


def code_of(path, kernel):
    data = open(path, "rb").read()
    table, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    for section in sections:
        start = sections[names][4] + section[0]
        if data[start:data.index(b"\0", start)] == b".text." + kernel.encode():
            return list(struct.iter_unpack("<QQ", data[section[4]:section[4] + section[5]]))
    sys.exit(f"{path}: no kernel {kernel}")


def loops(code):
    for at, (low, high) in enumerate(code):
        if low & 0xFFF == JUMP:
            far = (high & 0x3FFFF) << 30 | low >> 34
            far = (far - (1 << 48) if far >> 47 else far) << 8 | low >> 16 & 0xFF
            to = at + 1 + far // 4
            if 0 <= to < at:
                yield code[to:at + 1]


def is_ffma(low):
    return low & 0xFFF in OPERATIONS["FFMA"]


def reads_of(low, high, kept):
    """How many registers of either bank an FFMA reads: not those that the one before kept, in the same operand and bank."""
    reads = [0, 0]
    for operand, register in enumerate((low >> 24 & 0xFF, low >> 32 & 0xFF, high & 0xFF)):
        if register != NO_REGISTER:
            place = operand, register % 2
            reads[register % 2] += kept.get(place) != register
            kept[place] = register if high >> 58 + operand & 1 else None
    return reads


def clocks(loop, window):
    """How long one turn of a loop takes the issue slots of a scheduler: a clock for each instruction, and what FFMAs wait for registers.

    Each of two banks, of the even and of the odd numbers, gives one register a clock, and an FFMA leaves when it can read all of its own within
    `window` clocks: 3 fits most of what Huerta et al. 2025 measured on Ampere (arXiv:2503.20481, section 5.3); at 1 it waits for those before it as
    well, and longer by itself where it has several in a bank. Any other instruction is taken to empty what was kept.
    """
    late, now, start = [0, 0], 0, 0
    for _ in range(2):  # the second time as all later ones
        start, kept = now, {}
        for low, high in loop:
            reads = [0, 0]
            if is_ffma(low):
                reads = reads_of(low, high, kept)
            else:
                kept = {}
            wait = max(0, max(late) - max(0, window - max(1, *reads)))
            late = [max(0, max(0, before - wait) + own - 1) for before, own in zip(late, reads)]
            now += wait + 1
    return now - start


def main(path, kernel, operation, count, most, *facts):
    wanted = OPERATIONS[operation]
    found = [loop for loop in loops(code_of(path, kernel)) if sum(low & 0xFFF in wanted for low, _ in loop) >= int(count)]
    if not found:
        sys.exit(f"{kernel}: no loop with {count} {operation}")
    code = min(found, key=len)
    loop = [low & 0xFFF for low, _ in code]
    have = sum(word in wanted for word in loop)
    shares = [100 * have / taken for taken in ([clocks(code, 1), clocks(code, 3)] if operation == "FFMA" else [len(loop)])]
    print(f"{kernel}: {have} {operation} of {len(loop)} instructions, {' to '.join(f'{share:.0f}' for share in shares)} % of the issue slots")
    if have != int(count) or len(loop) > int(most):
        sys.exit(f"{kernel}: not {count} {operation} in at most {most} instructions")
    if any(word in OPERATIONS["LOCAL"] for word in loop):
        sys.exit(f"{kernel}: local memory in its loop")
    for fact in facts:
        kind, names = fact.split("=")
        if kind == "least" and shares[0] < float(names):
            sys.exit(f"{kernel}: less than {names} % of the issue slots")
        if kind == "none" and any(word in OPERATIONS[names] for word in loop):
            sys.exit(f"{kernel}: {names} in its loop")
        if kind == "before":
            first, second = names.split(",")
            tail = loop[max(i for i, word in enumerate(loop) if word in wanted):]
            order = [name for word in tail for name in (first, second) if word in OPERATIONS[name]]
            if order[:1] != [first]:
                sys.exit(f"{kernel}: the first {second} comes before the first {first}: {collections.Counter(order)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
