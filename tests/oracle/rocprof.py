#!/usr/bin/env python3
"""Kernels, calls, seconds, FLOPs and DRAM bytes of AMD's CSV files, found another way than src/import. Usage: rocprof.py FILE."""
import csv, re, sys

rows = list(csv.DictReader(open(sys.argv[1])))
name = "Kernel_Name" if "Kernel_Name" in rows[0] else sys.exit("no kernels")
print("kernels", len({re.sub(r"( \[clone \.kd\]| \(\.kd\)|\.kd)$", "", r[name]) for r in rows}))
if "Counter_Name" in rows[0]:
    print("calls", len({r["Dispatch_Id"] for r in rows}))
    sys.exit()
print("calls", len(rows))
spans = [(r.get("Start_Timestamp"), r.get("End_Timestamp")) for r in rows]
if all(s and e and s.isdigit() and e.isdigit() and int(e) > int(s) for s, e in spans):
    print("total_seconds", sum(int(e) - int(s) for s, e in spans) * 1e-9)


def column(r, counter):
    return float(r[counter])


ea = "TCC_EA0" if "TCC_EA0_RDREQ_sum" in rows[0] else "TCC_EA"
if ea + "_RDREQ_sum" in rows[0]:
    total = 0
    for r in rows:
        small, wide = column(r, ea + "_RDREQ_32B_sum"), column(r, "TCC_BUBBLE_sum") if ea == "TCC_EA0" else 0
        middle = column(r, ea + "_RDREQ_sum") - small - wide
        written = column(r, ea + "_WRREQ_64B_sum")
        total += 32 * small + 64 * middle + 128 * wide + 64 * written + 32 * (column(r, ea + "_WRREQ_sum") - written)
    print("dram", total)
if "SQ_INSTS_VALU_FMA_F32" in rows[0]:
    kinds = {"ADD": 64, "MUL": 64, "TRANS": 64, "FMA": 128}
    print("fp32_vector", sum(f * column(r, "SQ_INSTS_VALU_%s_F32" % k) for r in rows for k, f in kinds.items()))
