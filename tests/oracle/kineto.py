#!/usr/bin/env python3
"""Kernels, calls, seconds and FLOPs of a PyTorch trace, found another way than src/import: each kernel's launch by correlation, then a
search of all operators around it. Usage: kineto.py FILE."""
import collections, gzip, json, math, sys

path = sys.argv[1]
data = open(path, "rb").read()
trace = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
events = [e for e in trace["traceEvents"] if e.get("ph") == "X"]
kinds = ("kernel", "gpu_memcpy", "gpu_memset")
done = [e for e in events if e.get("cat") in kinds]
if not done:
    sys.exit(3)
threads = collections.defaultdict(list)
for e in events:
    if e.get("cat") == "cpu_op":
        threads[e["pid"], e["tid"]].append(e)
launches = {e["args"]["correlation"]: e for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in e.get("args", {})}

PRODUCTS = {"aten::mm": (0, 1), "aten::addmm": (1, 2), "aten::bmm": (0, 1), "aten::baddbmm": (1, 2)}
flops = 0
seen = set()
for k in done:
    l = launches.get(k["args"].get("correlation"))
    if k["cat"] != "kernel" or l is None:
        continue
    around = [o for o in threads[l["pid"], l["tid"]] if o["ts"] <= l["ts"] <= o["ts"] + o["dur"]]
    around = [o for o in around if o["name"] in PRODUCTS and "Input Dims" in o["args"]]
    if around:
        op = max(around, key=lambda o: (o["ts"], -o["dur"]))
        if id(op) not in seen:
            seen.add(id(op))
            a, b = (op["args"]["Input Dims"][i] for i in PRODUCTS[op["name"]])
            flops += 2 * math.prod(a) * b[-1]
print("calls", len(done))
print("total_seconds", sum(e["dur"] for e in done) * 1e-6)
if flops:
    print("product_flops", flops)
