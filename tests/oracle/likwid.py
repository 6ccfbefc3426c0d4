#!/usr/bin/env python3
"""Regions or tests, seconds and FLOPs of LIKWID's output, found another way than src/import. Usage: likwid.py FILE."""
import collections, re, sys

WEIGHT = {"SCALAR_DOUBLE": 1, "128B_PACKED_DOUBLE": 2, "256B_PACKED_DOUBLE": 4, "512B_PACKED_DOUBLE": 8,
          "SCALAR_SINGLE": 1, "128B_PACKED_SINGLE": 4, "256B_PACKED_SINGLE": 8, "512B_PACKED_SINGLE": 16}
text = open(sys.argv[1]).read()
tests = re.findall(r"^Test: (\S+).*?^Time:\s+(\S+) sec.*?^Size \(Byte\):\s+(\d+).*?^Number of Flops:\s+(\d+).*?^Data volume \(Byte\):\s+(\d+)", text, re.M | re.S)
if tests:
    print("kernels", len({(name, size) for name, _, size, _, _ in tests}))
    print("calls", len(tests))
    print("total_seconds", sum(float(t[1]) for t in tests))
    print("flops", sum(int(t[3]) for t in tests))
    print("dram", sum(int(t[4]) for t in tests))
    sys.exit()
calls, seconds, flops = collections.Counter(), collections.Counter(), collections.Counter()
region = None
for line in text.splitlines():
    cells = [c.strip() for c in line.strip("|").split("|" if line.startswith("|") else ",")]
    start = re.match(r"TABLE,Region (.*),Group 1 Raw,|Region (.*), Group 1: ", line)
    if start:
        region = start.group(1) or start.group(2)
    elif cells[0] == "call count":
        calls[region] += int(max(cells[1:], key=lambda c: int(c or 0)))
    elif cells[0] == "RDTSC Runtime [s]":
        coarse = max(float(c) for c in cells[1:] if c)
        seconds[region] += coarse
    elif cells[0].startswith("Runtime (RDTSC) [s]") and "STAT" not in cells[0]:
        fine = max(float(c) for c in cells[1:] if c)
        seconds[region] += fine - coarse if abs(fine - coarse) <= 0.5e-6 else 0
    elif cells[0].startswith("FP_ARITH_INST_RETIRED_") and "STAT" not in cells[0]:
        flops[region] += WEIGHT[cells[0][22:]] * sum(int(float(c)) for c in cells[2:] if c)
    elif cells[0] == "RETIRED_SSE_AVX_FLOPS_ALL":
        flops[region] += sum(int(c) for c in cells[2:])
if not calls:
    sys.exit("no region")
print("kernels", len(calls))
print("calls", sum(calls.values()))
print("total_seconds", sum(seconds.values()))
if flops:
    print("flops", sum(flops.values()))
