#!/usr/bin/env python3
"""Kernels, calls, FLOPs, bytes and seconds of nvprof's CSV, found another way than src/import. Usage: nvprof.py FILE."""
import collections, csv, re, sys

lines = [l for l in open(sys.argv[1]) if not l.startswith("==")]
start = next(i for i, l in enumerate(lines) if l.startswith('"Device"') or l.startswith('"Start"'))
table = list(csv.reader(lines[start:]))
head, body = table[0], table[1:]
if head[0] == "Start":
    units, body = body[0], [r for r in body[1:] if len(r) == len(head)]
    scale = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[units[1]]
    names = [re.sub(r" \[\d+\]$", "", r[-1]) for r in body]
    print("kernels", len(set(names)))
    print("calls", len(body))
    print("total_seconds", sum(float(r[1]) * scale for r in body))
else:
    kernels = collections.defaultdict(dict)
    calls = {}
    for r in body:
        if len(r) == len(head):
            kernels[r[1]][r[3]] = r[7]
            calls[r[1]] = int(r[2])
    number = lambda k, m: float(re.match(r"[0-9.e+]+", kernels[k][m]).group())
    print("kernels", len(kernels))
    print("calls", sum(calls.values()))
    print("fp32_vector", sum(calls[k] * number(k, "flop_count_sp") for k in kernels))
    print("dram", sum(calls[k] * 32 * (number(k, "dram_read_transactions") + number(k, "dram_write_transactions")) for k in kernels))
    print("l2", sum(calls[k] * 32 * (number(k, "l2_read_transactions") + number(k, "l2_write_transactions")) for k in kernels))
