#!/usr/bin/env python3
"""Runs and seconds of a serving benchmark, found another way than src/import. Usage: serving-bench.py FILE."""
import json, re, sys

text = open(sys.argv[1]).read()
report = re.findall(r"^Benchmark duration \(s\): +([\d.]+)", text, re.M)
durations = [float(d) for d in report] or [json.loads(text)["duration"]]
print("kernels", len(durations))
print("calls", len(durations))
print("total_seconds", sum(durations))
