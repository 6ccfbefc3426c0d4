"""Machines: the catalogue's, a file's, figures as they are typed."""

from __future__ import annotations

import ctypes as C
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import _abi as abi
from ._library import Text, call, document, lib, refuse, text, texts


@dataclass(frozen=True)
class Peak:
    """A ceiling of arithmetic: dense unless `sparse`."""

    dtype: str
    unit: str  #: "vector" or "matrix"
    flops_per_second: float  #: NaN: unknown
    sparse: bool
    kind: str  #: "datasheet", "measured", "assumed"
    source: str


@dataclass(frozen=True)
class MemoryLevel:
    """A level of the memory, inner to outer in a machine's list."""

    name: str
    capacity_bytes: float  #: NaN: unknown
    read_bytes_per_second: float
    latency_seconds: float
    kind: str
    source: str


@dataclass(frozen=True)
class Link:
    """A link to other devices or the host, one direction."""

    name: str
    bytes_per_second: float
    latency_seconds: float
    kind: str
    source: str


class Machine:
    """A machine's ceilings. Made by `roofline.machine`.

    Attributes:
        name: as in the catalogue, "nvidia-h100-sxm".
        title: as the vendor writes it.
        vendor, architecture, device_class, kind: texts, "" unknown.
        launch_seconds: what one launch takes, s; NaN unknown.
        peaks, levels, links: tuples of `Peak`, `MemoryLevel` and `Link`.
    """

    def __init__(self, pointer: Any) -> None:
        self._pointer = pointer  # POINTER(roof_machine), this object's to free
        m = pointer.contents
        self.name = text(m.name)
        self.title = text(lib.roof_machine_title(pointer))
        self.vendor = text(m.vendor)
        self.architecture = text(m.architecture)
        self.device_class = text(m.device_class)
        self.kind = text(lib.roof_provenance_name(m.kind))
        self.launch_seconds: float = m.launch_seconds
        self.peaks: Tuple[Peak, ...] = tuple(
            Peak(_name("dtype", p.dtype), _name("unit", p.unit), p.flops_per_second, p.sparse, _name("provenance", p.kind), text(p.source))
            for p in m.peaks[: m.peak_count]
            if not p.unsupported
        )
        self.levels: Tuple[MemoryLevel, ...] = tuple(
            MemoryLevel(text(x.name), x.bytes, x.read_bytes_per_second, x.latency_seconds, _name("provenance", x.kind), text(x.source))
            for x in m.levels[: m.level_count]
        )
        self.links: Tuple[Link, ...] = tuple(
            Link(text(x.name), x.bytes_per_second, x.latency_seconds, _name("provenance", x.kind), text(x.source)) for x in m.links[: m.link_count]
        )

    def document(self) -> Dict[str, Any]:
        """The machine as a roofline.machine/1 document: what a machine file is."""
        return document("roof_machine_write", self._pointer)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the machine file."""
        out = Text()
        call("roof_machine_write", self._pointer, out.address)
        with open(path, "w", encoding="utf-8") as file:
            file.write(str(out))

    def lint(self) -> List[str]:
        """What is wrong or doubtful in its figures, a line each; [] nothing."""
        found = (abi.roof_finding * 256)()
        count = lib.roof_machine_lint(self._pointer, found, len(found))
        return [f"{'error' if f.error else 'warning'}: {text(f.where)}: {text(f.message)}" for f in found[: min(count, len(found))]]

    def __repr__(self) -> str:
        return f"<Machine {self.name}: {self.title}>"

    def __del__(self) -> None:
        if lib is not None and hasattr(self, "_pointer"):
            lib.roof_machine_free(self._pointer)


MachineLike = Union[str, "os.PathLike[str]", Machine]


def _name(what: str, value: int) -> str:
    return text(getattr(lib, f"roof_{what}_name")(value))


def load_all(machines: Union[MachineLike, Sequence[MachineLike], None]) -> List[Machine]:
    """The machines named, as the command's --machine takes them; None: `host`."""
    if isinstance(machines, Machine):
        return [machines]
    if machines is not None and not isinstance(machines, (str, os.PathLike)):
        found = [one for each in machines for one in load_all(each)]
        if not found:
            raise refuse("machine: an empty list")
        return found
    names = None if machines is None else texts([os.fspath(machines)])
    pointers = C.POINTER(C.POINTER(abi.roof_machine))()
    count = C.c_int()
    call("roof_machines_load", names, C.byref(pointers), C.byref(count))
    loaded = [Machine(C.pointer(pointers[i].contents)) for i in range(count.value)]
    lib.roof_machines_free(pointers, 0)  # the list alone: the machines are their objects'
    return loaded


def load_one(what: str, machines: Union[MachineLike, Sequence[MachineLike], None]) -> Machine:
    found = load_all(machines)
    if len(found) > 1:
        raise refuse(f"{what}: one machine at a time; `roofline.sweep` takes several")
    return found[0]


def machine(name: Optional[MachineLike] = None) -> Machine:
    """Loads a machine.

    Args:
        name: a name or an alias of the catalogue ("h100"), the path of a machine file ("mine.json"), or its figures
            ("peak=19.5TFLOP/s bandwidth=2039GB/s"). None: this machine, as `roofline measure` kept it.

    Raises:
        Error: "machine `h10`: unknown; did you mean `h100`?"; of a file with its line and column.
    """
    return load_one("machine", name)


@dataclass(frozen=True)
class MachineEntry:
    """A machine of the catalogue, as `roofline machine list` shows it. NaN: unknown."""

    name: str
    aliases: Tuple[str, ...]
    origin: str  #: "built-in", or the path of its file
    title: str
    memory_bytes: float
    bytes_per_second: float
    fp32_flops_per_second: float
    half_flops_per_second: float
    fp8_flops_per_second: float
    ridge: float  #: FLOP/byte of memory at the peak of 16-bit products


def machines(search: str = "") -> List[MachineEntry]:
    """The machines of the catalogue of whose name, aliases, title, vendor, architecture or class a word begins with `search`."""
    result = abi.roof_search()
    call("roof_catalog_search", search.encode(), C.byref(result))
    found = []
    for one in result.machines[: result.count]:
        entry, f = one.entry.contents, one.figures
        figures = (f.memory_bytes, f.bytes_per_second, f.fp32_flops_per_second, f.half_flops_per_second, f.fp8_flops_per_second, f.ridge)
        found.append(MachineEntry(text(entry.name), tuple(text(entry.aliases).split()), text(entry.origin), text(one.title), *figures))
    lib.roof_search_done(C.byref(result))
    return found
