#!/usr/bin/env python3
"""Ceilings of ERT's roofline.json, found another way than src/import. Usage: ert.py FILE."""
import json, sys

found = json.load(open(sys.argv[1]))["empirical"]
levels, peaks = dict(found["gbytes"]["data"]), dict(found["gflops"]["data"])
print("levels", len(levels))
for name, rate in levels.items():
    print(name, rate * 1e9)
print("fp64", peaks["GFLOPs"] * 1e9)
