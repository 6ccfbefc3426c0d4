"""What profilers wrote, as a list of kernels under the ceilings."""

from __future__ import annotations

import ctypes as C
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Union

from . import _abi as abi
from ._library import Text, call, document, lib, refuse, said, text, texts
from ._machines import Machine, MachineLike, load_one
from ._plot import Plot
from ._records import frame, record, scalars

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Kernel:
    """A kernel of a profile, all its calls together. NaN, None: the file does not say, or there is no ceiling."""

    name: str
    calls: int
    seconds: float  #: s per call
    total_seconds: float
    flops: Optional[Dict[str, float]]  #: per call, by format
    bytes: Optional[Dict[str, float]]  #: per call, by level
    fraction_of_ceiling: float
    lost_seconds: float  #: s of all calls, against the ceiling
    regime: str
    binding: str
    verdict: str
    counters: Dict[str, float]


@dataclass(frozen=True)
class Skipped:
    """Something that a file holds and that became no figure."""

    what: str
    why: str


class Profile:
    """Kernels of one or several files, most time lost first.

    Attributes:
        kernels: a list of `Kernel`.
        skipped: a list of `Skipped`.
        source, format: which profiler wrote it.
        machine: the name of the machine whose ceilings these are; "" none.
        sentence: what takes the time, and what is lost against the ceilings.
    """

    def __init__(self, paths: Sequence[Path], machine: Optional[MachineLike], format: Optional[str], filter: Optional[str]) -> None:
        self._raw = abi.roof_profile()
        self._address = C.byref(self._raw)
        call("roof_profile_init", self._address)
        options = abi.roof_import_options()
        if format is not None:
            found = C.POINTER(abi.roof_format)()
            call("roof_format_find", format.encode(), C.byref(found))
            options.format = found
        names = [os.fspath(path) for path in paths]
        call("roof_import_files", texts(names), len(names), C.byref(options), self._address)
        if machine is not None:
            lib.roof_profile_drop_ceilings(self._address)
        self._machine = _machine_of(self._raw, machine)
        self._rank(filter)
        d = self._document
        self.source: str = d["source"]
        self.format: str = d["format"]
        self.machine: str = d["machine"] or ""
        self.kernels: List[Kernel] = [record(Kernel, one) for one in d["kernels"]]
        self.skipped: List[Skipped] = [record(Skipped, one) for one in d["skipped"]]

    def _rank(self, filter: Optional[str]) -> None:
        pointer = self._machine._pointer if self._machine else None
        self._ceilings, self._ranking = abi.roof_ceilings(), abi.roof_ranking()
        call("roof_ceilings_init", C.byref(self._ceilings), pointer, 0, None)
        call("roof_profile_rank", self._address, C.byref(self._ceilings), filter.encode() if filter else None, C.byref(self._ranking))
        self._document = document("roof_ranking_write", self._address, C.byref(self._ranking), pointer, None)
        self.sentence = said("roof_ranking_sentence", self._address, C.byref(self._ranking), pointer).strip()

    def document(self) -> Dict[str, Any]:
        """What `roofline import --json` prints: roofline.measurements/1, with how each figure was counted."""
        return self._document

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: a row each kernel; FLOPs and bytes are sums over formats and of the outermost level counted."""
        table = frame(self.kernels, scalars(Kernel))
        table.insert(4, "flops", [sum(k.flops.values()) if k.flops else float("nan") for k in self.kernels])
        table.insert(5, "bytes", [list(k.bytes.values())[-1] if k.bytes else float("nan") for k in self.kernels])
        return table

    def plot(self, levels: bool = False) -> Plot:
        """The kernels under the roof; `levels`: a dot for each level that was counted."""
        parts = [self._address, C.byref(self._ranking), C.byref(self._ceilings)]
        return Plot.of("roof_ranking_scene", *parts, levels)

    def timeline(self) -> Plot:
        """What each stream of the devices did over time, of a file that has the times of calls; where the time went is `document()["time"]`."""
        if not self._raw.timeline:
            raise refuse("timeline: no file has times of calls", "ROOF_E_UNSUPPORTED")
        accounting, svg = abi.roof_accounting(), Text()
        call("roof_timeline_account", C.cast(self._raw.timeline, C.POINTER(abi.roof_timeline)), C.byref(accounting))
        try:
            call("roof_timeline_svg", self._address, C.byref(accounting), 0, svg.address)
        finally:
            lib.roof_accounting_done(C.byref(accounting))
        return Plot(svg=svg)

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(f"<tr><td style='text-align:left'>{escape(k.name)}</td><td>{k.calls}</td><td>{k.total_seconds:.4g} s</td><td>{escape(k.regime)}</td><td>{k.fraction_of_ceiling:.1%}</td></tr>" for k in self.kernels)
        heads = "".join(f"<th>{name}</th>" for name in ("kernel", "calls", "time", "bound by", "of the ceiling"))
        return f"<p>{escape(self.sentence)}</p><table><tr>{heads}</tr>{rows}</table>"

    def __len__(self) -> int:
        return len(self.kernels)

    def __str__(self) -> str:
        return self.sentence

    def __del__(self) -> None:
        if lib is not None and hasattr(self, "_address"):
            if hasattr(self, "_ranking"):
                _free(self._ranking.rows)
            lib.roof_profile_done(self._address)


_libc = C.CDLL(None)
_libc.free.argtypes, _libc.free.restype = (C.c_void_p,), None


def _free(pointer: Any) -> None:
    _libc.free(C.cast(pointer, C.c_void_p))


def _machine_of(profile: Any, named: Optional[MachineLike]) -> Optional[Machine]:
    """The machine named, else the one that the file was taken on; None where the catalogue has none of that name."""
    if named is not None:
        return load_one("import", named)
    found = C.POINTER(abi.roof_machine)()
    call("roof_catalog_match_or_copy", profile.device, profile.machine, C.byref(found))
    return Machine(found) if found else None


def import_profile(*paths: Path, machine: Optional[MachineLike] = None, format: Optional[str] = None, filter: Optional[str] = None) -> Profile:
    """Reads what profilers wrote: Nsight Compute and Systems, PyTorch's traces, rocprof, perf and others.

        >>> import roofline
        >>> roofline.import_profile("examples/ncu.csv", machine="h100").kernels[0].name
        'gemm_bf16'

    Args:
        *paths: files; gzip, zstd and xz are decoded. Several are joined by the kernels' names.
        machine: whose ceilings the kernels are held against; None: the one that the file was taken on.
        format: a name of `roofline.import_formats()`; None: it is detected.
        filter: a regular expression (POSIX extended) that the kernels' names match.

    Raises:
        Error: FILE:LINE:COLUMN and what is wrong there.
    """
    return Profile(paths, machine, format, filter)


def import_formats() -> Dict[str, str]:
    """Every format by its name, with what it is."""
    formats = (lib.roof_format_at(i).contents for i in range(lib.roof_format_count()))
    return {text(one.name): text(one.title) for one in formats}
