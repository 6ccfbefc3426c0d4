#!/usr/bin/env python3
"""Regions, calls and seconds of PAPI's high-level JSON, found another way than src/import. Usage: papi.py FILE."""
import collections, json, sys

calls, seconds = collections.Counter(), collections.Counter()
threads = json.load(open(sys.argv[1]))["threads"]
assert len(threads) == 1
for region in threads["0"]["regions"].values():
    calls[region["name"]] += 1
    seconds[region["name"]] += int(region["real_time_nsec"]) * 1e-9
print("kernels", len(calls))
print("calls", sum(calls.values()))
print("total_seconds", sum(seconds.values()))
