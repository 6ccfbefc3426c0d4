"""One operation over the points of a shape on one or more machines."""

from __future__ import annotations

import ctypes as C
import html
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union, overload

from . import _abi as abi
from ._asked import Asked, Machines, question
from ._library import Error, call, document, lib, said
from ._plot import Plot
from ._predict import Prediction, Seconds, _time, prediction_of
from ._records import pandas, record, table


@dataclass(frozen=True)
class Crossing:
    """Where the regime changes along a parameter."""

    machine: str
    parameter: str
    value: float  #: exact, a real number; NaN: never
    at: float  #: the first whole value of the new side; NaN: never
    why: str


class Sweep:
    """Predictions of every point of a shape, machine by machine: `sweep[i]`, `len(sweep)`, `for p in sweep`.

    Attributes:
        crossings: a list of `Crossing`.
        sentence: the answer in one sentence.
    """

    def __init__(self, asked: Asked, machine: Machines) -> None:
        self._shape, self._targets = question("sweep", asked, machine)
        self._raw = abi.roof_sweep()
        self._address = C.byref(self._raw)
        call("roof_sweep_init", self._address, self._shape.address, self._targets.first, len(self._targets.list))
        self._document = document("roof_sweep_write", self._address, None, None)  # predicts every point
        self.crossings: List[Crossing] = [_crossing(one) for one in self._document["crossings"]]
        self.sentence = said("roof_sweep_sentence", self._address, first=True).strip()

    def document(self) -> Dict[str, Any]:
        """The sweep as a roofline.sweep/1 document: what `roofline sweep --json` prints."""
        return self._document

    def __len__(self) -> int:
        count: int = self._raw.count
        return count

    @overload
    def __getitem__(self, index: int) -> Prediction: ...

    @overload
    def __getitem__(self, index: slice) -> List[Prediction]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Prediction, List[Prediction]]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        place = range(len(self))[index]
        values = self._shape.point(place % self._shape.raw.points)
        return prediction_of(self._targets.list[place // self._shape.raw.points], self._shape.operation, values)

    def __iter__(self) -> Iterator[Prediction]:
        return (self[i] for i in range(len(self)))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: a row each point."""
        rows = []
        for p in self:
            times = {f"{name}_seconds": getattr(p.seconds, name) for name in Seconds.__dataclass_fields__}
            rows.append({"machine": p.machine, "dtype": p.dtype, **p.parameters, "flops": p.flops, "bytes": p.bytes, "regime": p.regime, "binding": p.binding, **times})
        return pandas().DataFrame(rows)

    def plot(self) -> Plot:
        """The expected rate under what the ceilings allow, over the axis that varies."""
        return Plot.of_curves("roof_sweep_chart", self._address)

    def _repr_svg_(self) -> str:
        return self.plot().svg

    def _repr_html_(self) -> str:
        points = list(self)
        varied = [name for name in points[0].parameters if len({p.parameters[name] for p in points}) > 1]
        rows = [[p.machine, p.dtype, *[str(p.parameters[name]) for name in varied], p.binding, _time(p.seconds.lower), _time(p.seconds.expected)] for p in points]
        heads = ("machine", "format", *varied, "bound by", "at best", "expected")
        return f"<p><b>{html.escape(self.sentence)}</b></p>{drawn(self)}" + table(heads, rows)

    def __str__(self) -> str:
        return self.sentence

    def __del__(self) -> None:
        if lib is not None and hasattr(self, "_address"):
            lib.roof_sweep_done(self._address)


def drawn(answer: Any) -> str:
    """Its picture; "" where there is none, as of one point."""
    try:
        return str(answer.plot().svg)
    except Error:
        return ""


def _crossing(one: Dict[str, Any]) -> Crossing:
    return record(Crossing, one, value=_number(one.get("value")), at=_number(one.get("at")))


def _number(value: Optional[float]) -> float:
    return float("nan") if value is None else value


def sweep(op: str, *, machine: Machines = None, dtype: Union[str, Sequence[str], None] = None, **parameters: Any) -> Sweep:
    """Predicts an operation over lists and ranges, and finds where the regime changes.

        >>> import roofline
        >>> s = roofline.sweep("linear", batch="1..1024*2", in_=4096, out=4096, dtype="fp16", machine="h100")
        >>> len(s), s.crossings[0].parameter
        (11, 'batch')

    Args:
        op: as of `roofline.predict`.
        machine, dtype: one or a list of them.
        **parameters: as of `roofline.predict`, and lists ([1, 8, 64] or "1,8,64") and ranges: "1..1024*2" (geometric),
            "128..4096+128" (arithmetic), of which every combination is a point.

    Raises:
        Error: as the command says it.
    """
    return Sweep(Asked(op, {"dtype": dtype, **parameters}), machine)
