"""PyTorch under the roofline: a module and its inputs as operations with shapes, predicted before they run, compared afterwards.

    >>> import torch, roofline.torch  # doctest: +SKIP
    >>> t = roofline.torch.predict(module, torch.empty(8, 1024, 4096, dtype=torch.bfloat16), machine="h100")  # doctest: +SKIP
    >>> print(t)  # doctest: +SKIP

`predict` needs no device and no memory for the weights. `trace` does the same for whatever runs inside it; with `measure=True`, or with a torch.profiler
profile and `compare`, next to what it took. Calls that no operation stands for are counted and named (`Trace.unknown`).
"""

from ._trace import Call, Row, Trace, compare, predict, trace

__all__ = ["Call", "Row", "Trace", "compare", "predict", "trace"]

for _name in __all__:
    globals()[_name].__module__ = "roofline.torch"
