#!/usr/bin/env python3
"""Kernels, calls and total seconds of an export or table of Nsight Systems, found another way than src/import. Usage: nsys.py FILE."""
import csv, sqlite3, sys

path = sys.argv[1]
if open(path, "rb").read(15) == b"SQLite format 3":
    db = sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True)
    rows = db.execute("select (select value from StringIds where id = demangledName), end - start from CUPTI_ACTIVITY_KIND_KERNEL").fetchall()
    rows += [("copy %d" % k, d) for k, d in db.execute("select copyKind, end - start from CUPTI_ACTIVITY_KIND_MEMCPY")]
    if db.execute("select 1 from sqlite_master where name = 'CUPTI_ACTIVITY_KIND_MEMSET'").fetchone():
        rows += [("set", d) for (d,) in db.execute("select end - start from CUPTI_ACTIVITY_KIND_MEMSET")]
    found = [(n, 1, d) for n, d in rows]
else:
    table = csv.DictReader(open(path))
    found = []
    for r in table:
        name = r.get("Name") or r["Kernel Name"]
        if "Instances" in r:
            found.append((name, int(r["Instances"]), int(r["Total Time (ns)"])))
        elif "Count" in r:
            found.append((name, int(r["Count"]), float(r["KAvg (ns)"]) * int(r["Count"])))
        else:
            found.append((name, 1, int(r["Duration (ns)"])))
print("kernels", len({n for n, _, _ in found}))
print("calls", sum(c for _, c, _ in found))
print("total_seconds", sum(t for _, _, t in found) * 1e-9)
