"""Predictions per second of Python's calls, in CPU time of this process: other programs on a shared machine do not count."""

import time

import numpy
import roofline

MACHINE = roofline.machine("h100")
SIDE = numpy.arange(1, 1001)


def rate(count, call, least=0.5):
    """Points per second of the best of several calls."""
    best, spent = float("inf"), 0.0
    while spent < least:
        start = time.process_time()
        call()
        took = time.process_time() - start
        best, spent = min(best, took), spent + took
    return count / best


def arrays():
    roofline.predict("gemm", m=SIDE[:, None], n=SIDE, k=4096, dtype="fp16", machine=MACHINE)


def single():
    for _ in range(200):
        roofline.predict("gemm", m=512, n=512, k=4096, dtype="fp16", machine=MACHINE)


def named():
    for _ in range(20):
        roofline.predict("gemm", m=512, n=512, k=4096, dtype="fp16", machine="h100")


print("arrays_per_second", rate(SIDE.size**2, arrays, 2))
print("single_per_second", rate(200, single))
print("named_per_second", rate(20, named))
