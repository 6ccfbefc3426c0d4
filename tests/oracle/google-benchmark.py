#!/usr/bin/env python3
"""Benchmarks, iterations, seconds, FLOPs and bytes of Google Benchmark's JSON, found another way than src/import.
Usage: google-benchmark.py FILE."""
import json, sys

UNIT = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
runs = [b for b in json.load(open(sys.argv[1]))["benchmarks"]
        if b.get("run_type", "iteration") == "iteration" and "real_time" in b and not b.get("error_occurred")]
if not runs:
    sys.exit("no benchmark with a time")
print("kernels", len({b.get("run_name", b["name"]) for b in runs}))
print("calls", sum(b["iterations"] for b in runs))
print("total_seconds", sum(b["real_time"] * UNIT[b["time_unit"]] * b["iterations"] for b in runs))
for figure, key, seconds in (("flops", "FLOP", None), ("dram", "bytes_per_second", "cpu_time")):
    if any(key in b for b in runs):
        print(figure, sum(b[key] * (b[seconds] * UNIT[b["time_unit"]] if seconds else 1) * b["iterations"] for b in runs if key in b))
