#!/usr/bin/env python3
"""Rows, seconds and bytes through a link of nccl-tests, found another way than src/import. Usage: nccl-tests.py FILE."""
import re, sys

text = open(sys.argv[1]).read()
number = r"([\d.]+)"
rows = re.findall(rf"^ *(\d+) +\d+ +float .*? {number} +{number} +{number} +\S+ +{number} +{number} +{number} +\S+ *$", text, re.M)
calls = [(float(r[0]), float(r[i]) * 1e-6, float(r[i + 1]), float(r[i + 2])) for r in rows for i in (1, 4)]
_, _, algorithm, bus = max(calls, key=lambda c: c[2])
ranks = 1 + max(int(n) for n in re.findall(r"Rank +(\d+)", text))
factor = min((2 * (ranks - 1) / ranks, (ranks - 1) / ranks, 1), key=lambda f: abs(f - bus / algorithm))
print("calls", len(calls))
print("total_seconds", sum(c[1] for c in calls))
print("link", sum(c[0] * factor for c in calls))
