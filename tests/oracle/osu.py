#!/usr/bin/env python3
"""Rows and seconds of OSU's tables, found another way than src/import. Usage: osu.py FILE."""
import sys

lines = [l.split() for l in open(sys.argv[1]) if l.strip()]
rate = any("MB/s" in " ".join(l) for l in lines)
rows = [(int(l[0]), float(l[1])) for l in lines if l[0].isdigit()]
print("kernels", len(rows))
print("calls", len(rows))
print("total_seconds", sum(size / (value * 1e6) if rate else value * 1e-6 for size, value in rows))
if rate:
    print("link", sum(size for size, _ in rows))
