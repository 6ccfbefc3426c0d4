"""Regions of a program, timed by libroofline_region."""

from __future__ import annotations

import ctypes as C
from contextlib import ContextDecorator
from types import TracebackType
from typing import Any, Dict, Optional, Type

from . import _abi as abi
from ._library import NAN, Library, error_of, lib

_recorder: Optional[Library] = None
_regions: Dict[str, Any] = {}


def _library() -> Library:
    global _recorder
    if _recorder is None:
        _recorder = Library("roofline_region")
    return _recorder


def _pointer(name: str) -> Any:
    """The region of that name; None while nothing is recorded."""
    if name not in _regions:
        recorder = _library()
        enabled = C.c_int.in_dll(recorder._loaded, "roof_region_enabled")
        _regions[name] = recorder.roof_region_get(name.encode()) if enabled.value else None
    return _regions[name]


class region(ContextDecorator):
    """Marks a region of your program: `with region("step", flops=..., bytes=...):`, or a decorator of a function.

    While the environment names no file in ROOFLINE_REGIONS nothing is recorded. Else a roofline.measurements/1 document is written
    there when the program ends (`%p` in the name is the process id), which `roofline plot`, `roofline record` and
    `roofline.import_profile` take. Regions nest, and may be used by several threads.

        >>> import roofline
        >>> with roofline.region("step", flops=2e9, bytes=24e6, dtype="fp32"):
        ...     pass

    Args:
        name: what calls are collected under.
        flops: FLOP of a call; None: not known.
        bytes: bytes of a call, from and to memory; None: not known.
        dtype: of the FLOPs.
    """

    def __init__(self, name: str, *, flops: Optional[float] = None, bytes: Optional[float] = None, dtype: str = "fp64") -> None:
        self.name = name
        self.flops = NAN if flops is None else float(flops)
        self.bytes = NAN if bytes is None else float(bytes)
        number = C.c_int()
        error = abi.roof_error()
        status = lib.roof_dtype_parse(dtype.encode(), C.byref(number), C.byref(error))
        if status:
            raise error_of(status, error)
        self._dtype = number.value

    def __enter__(self) -> "region":
        pointer = _pointer(self.name)
        if pointer:
            _library().roof_region_begin(pointer)
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        pointer = _pointer(self.name)
        if pointer:
            _library().roof_region_end(pointer, self._dtype, self.flops, self.bytes)


def write_regions() -> None:
    """Writes what was recorded so far, which a program that ends by os._exit must do itself.

    Raises:
        Error: status "ROOF_E_UNSUPPORTED" where nothing is recorded.
    """
    error = abi.roof_error()
    status = _library().roof_region_write(C.byref(error))
    if status:
        raise error_of(status, error)
