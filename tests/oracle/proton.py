#!/usr/bin/env python3
"""Kernels, calls, seconds, FLOPs and bytes of a Proton profile, found another way than src/import. Usage: proton.py FILE."""
import json, sys

todo = [n for n in json.load(open(sys.argv[1])) if "frame" in n]
found = []
while todo:
    node = todo.pop()
    if node["frame"]["name"] == "__proton_launch_metadata":
        continue
    todo += node["children"]
    if node["metrics"].get("count", 0) > 0:
        found.append((node["frame"]["name"], node["metrics"]))
print("kernels", len({n for n, _ in found}))
print("calls", sum(m["count"] for _, m in found))
print("total_seconds", sum(m["time (ns)"] for _, m in found) * 1e-9)
flops = [m[k] for _, m in found for k in m if k in ("flops8", "flops16", "flops32", "flops64")]
dram = [m["bytes"] for _, m in found if "bytes" in m]
if flops:
    print("flops", sum(flops))
if dram:
    print("dram", sum(dram))
