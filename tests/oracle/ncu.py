#!/usr/bin/env python3
"""What a file of Nsight Compute holds, found another way than src/import: kernels, calls, total seconds, FLOPs and DRAM bytes.

Usage: ncu.py FILE. Prints `name value` lines; a figure that the file does not give is not printed. Numbers are taken with the
decimal mark that makes Duration x SM Frequency equal Elapsed Cycles, or the point."""
import collections, csv, io, re, sys

SCALE = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
TIME = {"second": 1, "s": 1, "msecond": 1e-3, "ms": 1e-3, "usecond": 1e-6, "us": 1e-6, "nsecond": 1e-9, "ns": 1e-9}


def si(unit):
    if unit in TIME:
        return TIME[unit]
    if "/" in unit:
        top, bottom = unit.split("/")
        return si(top) / si(bottom)
    if re.fullmatch("[KMGT]?(byte|hz)", unit, re.I):
        return SCALE.get(unit[0], 1) if unit[0] in "KMGT" and len(unit) > 2 else 1
    return 1


def number(text, comma):
    text = text.replace("\u202f", "").replace(" ", "")
    text = text.replace(".", "").replace(",", ".") if comma else text.replace(",", "")
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) != float("inf") and value == value else None


def rows(path):
    text = open(path, "rb").read().decode("utf-8-sig", "replace")
    begin = re.search(r'^"(ID|Process ID)",', text, re.M)
    if begin is None:
        return
    lines = [l for l in text[begin.start():].splitlines(True)]
    kept, quotes = [], 0
    for line in lines:  # program output between the rows has no quote in front
        if quotes % 2 == 0 and not line.startswith('"'):
            continue
        kept.append(line)
        quotes += line.count('"')
    yield from csv.reader(io.StringIO("".join(kept)))


def launches(path, comma):
    table = rows(path)
    header = next(table)
    at = {name: i for i, name in reversed(list(enumerate(header)))}
    long_form = "Metric Name" in at
    found, units = collections.OrderedDict(), None
    for number_of_row, row in enumerate(table):
        if not long_form and units is None:
            units = row
            continue
        name = row[at["Kernel Name"]]
        calls = number(row[at["Invocations"]], False) if "Invocations" in at else 1
        key = (row[at.get("ID", at["Process ID"])], name, row[at["Grid Size"]] if "Grid Size" in at else "", row[at["Block Size"]] if "Block Size" in at else "")
        metrics = found.setdefault(key, (name, calls, {}))[2]
        pairs = [(row[at["Metric Name"]], row[at["Metric Unit"]], row[at["Average" if "Average" in at else "Metric Value"]])] if long_form else \
            [(header[i], units[i], row[i]) for i in range(at["CC"] + 1, min(len(row), len(header)))]
        for metric, unit, text in pairs:
            value = number(text, comma)
            if value is not None and (metric != "Memory Throughput" or "byte" in unit):
                metrics[metric] = value * si(unit)
    return list(found.values())


def consistent(all_launches):
    for _, _, m in all_launches:
        if {"Duration", "SM Frequency", "Elapsed Cycles"} <= m.keys():
            return 0.9 < m["Duration"] * m["SM Frequency"] / m["Elapsed Cycles"] < 1.1
    return True


def pick(m, *names):
    for name in names:
        for prefix in ("", "sm__", "smsp__"):
            if prefix + name in m:
                return m[prefix + name]
    return None


def total(parts):
    return None if any(p is None for p in parts) else sum(parts)


def seconds(m):
    time = pick(m, "gpu__time_duration.sum", "gpu__time_duration.avg", "Duration")
    for chip in ("sm__", "smsp__"):
        cycles, rate = m.get(chip + "cycles_elapsed.avg"), m.get(chip + "cycles_elapsed.avg.per_second")
        if time is None and cycles and rate:
            time = cycles / rate
    return time


def single(m):
    thread = "sass_thread_inst_executed_op_%s_pred_on.sum"
    counted = total([pick(m, thread % "fadd"), pick(m, thread % "fmul"), pick(m, thread % "ffma"), pick(m, thread % "ffma")])
    if counted is not None:
        return counted
    cycles = pick(m, "smsp__cycles_elapsed.avg", "sm__cycles_elapsed.avg")
    clock = m.get("smsp__cycles_elapsed.avg.per_second", m.get("sm__cycles_elapsed.avg.per_second"))
    if cycles is None and clock and seconds(m):
        cycles = clock * seconds(m)
    rate = total([pick(m, thread % "fadd" + ".per_cycle_elapsed"), pick(m, thread % "fmul" + ".per_cycle_elapsed"),
                  m.get("derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2")])
    return rate * cycles if rate is not None and cycles else None


def dram(m):
    both = total([m.get("dram__bytes_read.sum"), m.get("dram__bytes_write.sum")])
    renamed = total([m.get("dram__bytes_op_read.sum"), m.get("dram__bytes_op_write.sum")])
    rate = pick(m, "dram__bytes.sum.per_second", "Memory Throughput")
    rated = rate * seconds(m) if rate is not None and seconds(m) else None
    return next((v for v in (m.get("dram__bytes.sum"), both, renamed, rated) if v is not None), None)


def main(path):
    table = next(rows(path), None)
    if table is None:
        sys.exit("no table")
    data = launches(path, False)
    if not consistent(data):
        data = launches(path, True)
    print("kernels", len({name for name, _, _ in data}))
    print("calls", int(sum(calls for _, calls, _ in data)))
    for label, of in (("total_seconds", seconds), ("fp32_vector", single), ("dram", dram)):
        values = [(of(m), calls) for _, calls, m in data]
        if any(v is not None for v, _ in values):
            print(label, repr(sum(v * calls for v, calls in values if v is not None)))


main(sys.argv[1])
