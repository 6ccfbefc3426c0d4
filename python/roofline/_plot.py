"""Pictures: a roofline of whatever words name."""

from __future__ import annotations

import ctypes as C
import os
from typing import Any, Optional, Sequence, Union

from . import _abi as abi
from ._asked import FORMATS, Machines, formats_of, option_list, words_of
from ._library import Text, call, refuse, texts
from ._machines import load_all


class Plot:
    """A picture that was drawn: an SVG element, shown by notebooks; `save` writes it as SVG, PNG, PDF or text.

    Attributes:
        svg: the SVG, log-log, with title and description.
    """

    def __init__(self, scene: Any = None, svg: Optional[Text] = None) -> None:
        self._scene = scene
        self._svg = svg if svg is not None else self._drawn()

    @classmethod
    def of(cls, function: str, *arguments: Any) -> "Plot":
        """A scene that a function of the library fills, which takes it last."""
        scene = abi.roof_scene()
        call(function, *arguments, C.byref(scene))
        return cls(scene)

    @classmethod
    def of_curves(cls, function: str, *arguments: Any) -> "Plot":
        """Curves that a function of the library fills, which takes them last."""
        chart, svg = abi.roof_curves(), Text()
        call(function, *arguments, C.byref(chart))
        call("roof_draw_curves_svg", C.byref(chart), 0, svg.address)
        return cls(svg=svg)

    def _drawn(self) -> Text:
        out = Text()
        call("roof_draw_svg", C.byref(self._scene), 0, out.address)
        return out

    @property
    def svg(self) -> str:
        return str(self._svg)

    def text(self, columns: int = 100, rows: int = 30, ascii: bool = False) -> str:
        """The picture in characters: `columns` by `rows` of them, then the legend."""
        if self._scene is None:
            raise refuse("plot: this picture has no form in text", "ROOF_E_UNSUPPORTED")
        out = Text()
        call("roof_draw_terminal", C.byref(self._scene), columns, rows, ascii, False, out.address)
        return str(out)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the picture in the format that the path's ending says: .svg, .png, .pdf or .txt."""
        ending = os.path.splitext(path)[1]
        painters = {".png": "roof_draw_svg_png", ".pdf": "roof_draw_svg_pdf"}
        if ending in painters:
            out = Text()
            call(painters[ending], self._svg.address, out.address)
            data = bytes(out)
        elif ending in (".svg", ".txt"):
            data = (self.svg if ending == ".svg" else self.text()).encode()
        else:
            raise refuse(f"{os.fspath(path)}: the ending says no format: .svg, .png, .pdf or .txt")
        with open(path, "wb") as file:
            file.write(data)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return "<roofline.Plot>"


def plot(words: Union[str, Sequence[str]] = "", *, machine: Machines = None, dtype: Union[str, Sequence[str], None] = None, arrows: bool = False, **parameters: Any) -> Plot:
    """Draws the roofline of one or more machines, with what the words name on it.

        >>> import roofline
        >>> picture = roofline.plot("gemm", m=[1, 256], n=4096, k=4096, machine="h100", dtype="fp16")
        >>> picture.save("gemm.svg")  # doctest: +SKIP

    Args:
        words: as those of `roofline plot`: operations with their shapes (lists and ranges too), models ("llama-3.1-8b
            batch=8"), a file of measurements. "": the machines alone.
        machine: one or several, as `roofline.predict` takes them.
        dtype: a format; several give a series each, on one machine.
        arrows: join the values of a list.
        **parameters: of the last operation that the words name, as of `roofline.sweep`; and formats: weights, group,
            accumulate, output, kv.

    Raises:
        Error: as the command says it.
    """
    machines = load_all(machine)
    formats = {name: value for name, value in parameters.items() if name in FORMATS}
    named = words_of(words)
    named += [f"{name.rstrip('_')}={option_list(value)}" for name, value in parameters.items() if name not in formats and value is not None]
    dtypes = [dtype] if isinstance(dtype, str) else list(dtype or [])
    pointers = (C.POINTER(abi.roof_machine) * len(machines))(*[one._pointer for one in machines])
    asked = abi.roof_plot(
        machines=C.cast(pointers, C.POINTER(C.POINTER(abi.roof_machine))),
        machine_count=len(machines),
        formats=formats_of({**formats, "dtype": dtypes[0] if dtypes else None}),
        dtypes=texts(dtypes),
        dtype_count=len(dtypes),
        arrows=arrows,
    )
    scene = abi.roof_scene()
    call("roof_scene_read", C.byref(scene), C.byref(asked), texts(named), len(named))
    return Plot(scene)
