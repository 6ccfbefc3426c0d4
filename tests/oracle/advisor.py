#!/usr/bin/env python3
"""Loops and seconds of Advisor's survey, found another way than src/import. Usage: advisor.py FILE."""
import re, sys

loops = re.findall(r"^ *\d+ +(\[.*?\]) +[\d.]+s +([\d.]+)s ", open(sys.argv[1]).read(), re.M)
if not loops:
    sys.exit("no survey")
print("kernels", len(loops))
print("calls", len(loops))
print("total_seconds", sum(float(seconds) for _, seconds in loops))
