#!/usr/bin/env python3
"""Device seconds and FLOPs of a key_averages() table, found another way than src/import: the footer's sum. Usage: torch-table.py FILE."""
import re, sys

text = open(sys.argv[1]).read()
scale = {"us": 1e-6, "ms": 1e-3, "s": 1}
total, unit = re.search(r"Self (?:CUDA|XPU) time total: ([0-9.]+)(us|ms|s)", text).groups()
lines = [re.split(r"\s{2,}", l.strip()) for l in text.splitlines()]
head = next(l for l in lines if l and l[0] == "Name")
rows = [dict(zip(head, l)) for l in lines if len(l) == len(head) and l != head and not set(l[0]) <= {"-"}]
column = [h for h in head if re.fullmatch(r"Total [KMGT]?FLOPs", h)]
device = [h for h in head if h.startswith("Self ") and not h.endswith("%") and "CPU" not in h and "Mem" not in h][0]
if all(re.match(r"0\.000", r[device]) for r in rows):
    sys.exit(3)
print("total_seconds", float(total) * scale[unit])
if column:
    factor = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "F": 1}[column[0][6]]
    print("flops", sum(float(r[column[0]]) for r in rows if r[column[0]] != "--") * factor)
