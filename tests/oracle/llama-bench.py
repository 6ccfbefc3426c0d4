#!/usr/bin/env python3
"""Tests, runs, seconds, FLOPs and weights read of llama-bench's JSON and Markdown, found another way than src/import.
Usage: llama-bench.py FILE."""
import json, math, re, sys

text = open(sys.argv[1]).read()
rows = re.findall(r"^\|.*?\| *([\d.]+) GiB \| *([\d.]+) B \|.*\| *(?:(pp)|tg)(\d+)(?: @ d\d+)? \| *([\d.]+) ±", text, re.M)
if rows:
    print("kernels", len(rows))
    print("calls", len(rows))
    print("total_seconds", sum(int(n) / float(rate) for _, _, _, n, rate in rows))
    print("flops", sum(2 * float(params) * 1e9 * int(n) for _, params, _, n, _ in rows))
    print("dram", sum(float(size) * 2**30 * (math.ceil(int(n) / 512) if prompt else int(n)) for size, _, prompt, n, _ in rows))
else:
    tests = json.loads(text) if text.lstrip().startswith("[") else [json.loads(l) for l in text.splitlines() if l.startswith("{")]
    if not tests:
        sys.exit("no test")
    runs = [(t, ns) for t in tests for ns in t["samples_ns"]]
    print("calls", len(runs))
    print("total_seconds", sum(ns for _, ns in runs) * 1e-9)
    print("flops", sum(2 * t["model_n_params"] * (t["n_prompt"] + t["n_gen"]) for t, _ in runs))
    print("dram", sum(t["model_size"] * (t["n_gen"] + math.ceil(t["n_prompt"] / t.get("n_ubatch", 512))) for t, _ in runs))
