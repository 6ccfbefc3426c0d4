#!/usr/bin/env python3
"""Reads the machine code of a cubin and holds facts of its kernels' inner loops.

usage: sass.py CUBIN KERNEL OPERATION COUNT MOST [none=OPERATION] [before=OPERATION,OPERATION]
The inner loop is the shortest that has COUNT of OPERATION; it may have MOST instructions. `none`: an operation that it must not have;
`before=A,B`: its first A behind the last OPERATION comes before its first B. Prints the share of the issue slots that OPERATION has.
An instruction is 16 bytes, the lowest 12 bits its operation; a jump is relative to the next, in units of 4 bytes, bits 16 to 23 and from
34 on (found with nvcc's own listings of code for sm_90).
"""
import collections
import struct
import sys

OPERATIONS = {"FFMA": {0x223}, "HMMA": {0x23C}, "HGMMA": {0x9F0, 0xDF0}, "QGMMA": {0x9F3, 0xDF3}, "MUFU": {0x308}, "R2UR": {0x2CA}, "ARRIVE": {0x9A7}, "LOCAL": {0x387, 0x983}}
JUMP = 0x947


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
                yield [word & 0xFFF for word, _ in code[to:at + 1]]


def main(path, kernel, operation, count, most, *facts):
    wanted = OPERATIONS[operation]
    found = [loop for loop in loops(code_of(path, kernel)) if sum(word in wanted for word in loop) >= int(count)]
    if not found:
        sys.exit(f"{kernel}: no loop with {count} {operation}")
    loop = min(found, key=len)
    have = sum(word in wanted for word in loop)
    print(f"{kernel}: {have} {operation} of {len(loop)} instructions, {100 * have / len(loop):.0f} % of the issue slots")
    if have != int(count) or len(loop) > int(most):
        sys.exit(f"{kernel}: not {count} {operation} in at most {most} instructions")
    if any(word in OPERATIONS["LOCAL"] for word in loop):
        sys.exit(f"{kernel}: local memory in its loop")
    for fact in facts:
        kind, names = fact.split("=")
        if kind == "none" and any(word in OPERATIONS[names] for word in loop):
            sys.exit(f"{kernel}: {names} in its loop")
        if kind == "before":
            first, second = names.split(",")
            tail = loop[max(i for i, word in enumerate(loop) if word in wanted):]
            order = [name for word in tail for name in (first, second) if word in OPERATIONS[name]]
            if order[:1] != [first]:
                sys.exit(f"{kernel}: the first {second} comes before the first {first}: {collections.Counter(order)}")


main(*sys.argv[1:])
