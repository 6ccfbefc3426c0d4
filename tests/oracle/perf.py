#!/usr/bin/env python3
"""Seconds and FLOPs of what perf stat wrote, found another way than src/import. Usage: perf.py FILE."""
import json, re, sys

WIDTH = {"scalar_double": 1, "128b_packed_double": 2, "256b_packed_double": 4, "512b_packed_double": 8,
         "scalar_single": 1, "128b_packed_single": 4, "256b_packed_single": 8, "512b_packed_single": 16}
text = open(sys.argv[1]).read()
flops, seconds = 0, None
fp = False
elapsed = re.search(r"([\d.,]+) seconds time elapsed", text)
if elapsed:
    seconds = float(elapsed.group(1).replace(",", "."))
elif '"counter-value"' in text:
    for row in (json.loads(l) for l in text.splitlines() if l.startswith("{")):
        if row["event"] == "task-clock":
            seconds = float(row["counter-value"]) * 1e-3 / row["metric-value"]
else:
    for line in text.splitlines():
        clock = re.match(r"([\d.]+),msec,task-clock,\d+,[\d.]+,([\d.]+),CPUs", line)
        counted = re.match(r"\s*([\d.]+),(\d+),,fp_arith_inst_retired\.(\w+),", line)
        if clock:
            seconds = float(clock.group(1)) * 1e-3 / float(clock.group(2))
        if counted:
            seconds, fp = float(counted.group(1)), True
            flops += int(counted.group(2)) * WIDTH[counted.group(3)]
print("kernels 1")
print("calls 1")
print("total_seconds", seconds)
if fp:
    print("flops", flops)
