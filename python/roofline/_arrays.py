"""Many points at once, with numpy where it is installed and without where it is not."""

from __future__ import annotations

import copy
import ctypes as C
import importlib
import os
from array import array
from typing import Any, Dict, List, Mapping, NamedTuple, Tuple

from . import _abi as abi
from ._asked import Asked, Operation, Shape, Target
from ._library import call, lib, refuse, typed

np: Any = None
try:
    np = importlib.import_module("numpy")
except ImportError:
    pass

#: The figures of points.h, in its order.
_NUMBERS = {name: value for name, value in vars(abi).items() if name.startswith("ROOF_POINT_") and name != "ROOF_POINT_FIGURES"}
FIGURES = [name[len("ROOF_POINT_") :].lower() for name in sorted(_NUMBERS, key=_NUMBERS.__getitem__)]


def is_array(value: Any) -> bool:
    """Several values, not a text and not a number in the clothes of an array."""
    if isinstance(value, (str, bytes, os.PathLike)) or not hasattr(value, "__len__"):
        return False
    return getattr(value, "ndim", 1) > 0


def _numbers(operation: Operation, name: str, values: Any) -> Any:
    """The values as doubles of this answer's own; choices, and texts with a prefix, as the library reads them."""
    try:
        return np.array(values, dtype=float) if np is not None else array("d", values)
    except (TypeError, ValueError):
        index = operation.parameters.index(name)
        return _numbers(operation, name, [_parsed(operation, index, one) for one in values])


def _parsed(operation: Operation, index: int, value: Any) -> float:
    number = C.c_double()
    call("roof_op_value_parse", operation.pointer, index, typed(value).encode(), C.byref(number))
    return number.value


class Grid:
    """The values of every parameter at every point.

    Attributes:
        given: the parameters as they were given.
        count, shape: points, and their shape with numpy.
    """

    def __init__(self, operation: Operation, asked: Asked, several: Mapping[str, Any]) -> None:
        self.given = {name: copy.copy(value) for name, value in asked.parameters.items()}
        self._typed = self._checked(operation, asked, several)
        arrays = {name: _numbers(operation, name, values) for name, values in several.items()}
        self.shape, self._arrays = _together(arrays)
        self.count = 1
        for size in self.shape:
            self.count *= size
        self._columns = (abi.roof_column * abi.PARAM_MAX)()
        for i, name in enumerate(operation.parameters):
            self._columns[i] = self._column(name, i)

    @staticmethod
    def _checked(operation: Operation, asked: Asked, several: Mapping[str, Any]) -> Any:
        """The single values; the library reads them with the first of each array, and refuses names that are none."""
        words = asked.words + [f"{name}={typed(value)}" for name, value in asked.parameters.items() if name not in several]
        words += [f"{name}={_first(values)}" for name, values in several.items()]
        shape = Shape(operation, words)
        if shape.raw.points > 1:
            raise refuse("arrays: with a list or a range in a text: give all of them as arrays")
        values = (C.c_double * abi.PARAM_MAX)()
        lib.roof_shape_typed(shape.address, 0, values)
        return values

    def _column(self, name: str, index: int) -> Any:
        pointer = C.POINTER(C.c_double)
        if name in self._arrays:
            return abi.roof_column(C.cast(_address(self._arrays[name]), pointer), 1)
        return abi.roof_column(C.cast(C.addressof(self._typed) + index * C.sizeof(C.c_double), pointer), 0)

    @property
    def columns(self) -> Any:
        return self._columns

    def columns_given(self) -> Dict[str, Any]:
        """Every parameter that was given, as long as the points."""
        return {name: self._arrays[name] if name in self._arrays else [value] * self.count for name, value in self.given.items()}

    def point(self, operation: Operation, index: int) -> Any:
        """The completed values of one point."""
        values = (C.c_double * abi.PARAM_MAX)()
        for i, name in enumerate(operation.parameters):
            values[i] = flat(self._arrays[name])[index] if name in self._arrays else self._typed[i]
        call("roof_op_complete", operation.pointer, values)
        return values


def _first(values: Any) -> str:
    while is_array(values) and len(values):
        values = next(iter(values))
    return "1" if is_array(values) else typed(values)


def _together(arrays: Mapping[str, Any]) -> Tuple[Tuple[int, ...], Dict[str, Any]]:
    """Arrays of one shape, each in one piece."""
    if np is not None:
        try:
            same = np.broadcast_arrays(*arrays.values())
        except ValueError as error:
            shapes = ", ".join(f"{name} {value.shape}" for name, value in arrays.items())
            raise refuse(f"arrays: of shapes that do not go together: {shapes}") from error
        return same[0].shape, {name: np.ascontiguousarray(one) for name, one in zip(arrays, same)}
    lengths = {name: len(values) for name, values in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise refuse("arrays: of lengths that do not go together: " + ", ".join(f"{name} {count}" for name, count in lengths.items()))
    return (next(iter(lengths.values())),), dict(arrays)


def _address(values: Any) -> int:
    address: int = values.ctypes.data if np is not None else values.buffer_info()[0]
    return address


class Results(NamedTuple):
    figures: List[Any]  # of FIGURES
    regimes: Any
    bindings: Any


def _room(grid: Grid, code: str) -> Any:
    return np.empty(grid.shape, dtype=code) if np is not None else array(code, bytes(grid.count * array(code).itemsize))


def predict(target: Target, operation: Operation, grid: Grid) -> Results:
    """Every figure at every point of a grid."""
    results = Results([_room(grid, "d") for _ in FIGURES], _room(grid, "B"), _room(grid, "B"))
    double, byte = C.POINTER(C.c_double), C.POINTER(C.c_ubyte)
    out = abi.roof_points()
    for i, figure in enumerate(results.figures):
        out.figures[i] = C.cast(_address(figure), double)
    out.regimes, out.bindings = C.cast(_address(results.regimes), byte), C.cast(_address(results.bindings), byte)
    call("roof_points_predict", target.address, operation.pointer, grid.columns, grid.count, C.byref(out))
    return results


def flat(values: Any) -> Any:
    """In one dimension, as pandas takes it."""
    return values.reshape(-1) if hasattr(values, "reshape") else list(values)


def joined(regimes: Any, levels: Any) -> Any:
    """One number for each pair."""
    if np is not None:
        return regimes.astype("H") * 256 + levels
    return array("H", [256 * regime + level for regime, level in zip(regimes, levels)])


def firsts(keys: Any) -> Dict[int, int]:
    """Each number with the first place where it is, counted flat."""
    if np is not None:
        found, at = np.unique(keys.reshape(-1), return_index=True)
        return {int(key): int(place) for key, place in zip(found, at)}
    places: Dict[int, int] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, place)
    return places


def named(keys: Any, names: Mapping[int, str]) -> Any:
    """The name of each number."""
    if np is None:
        return [names[key] for key in keys]
    table = np.full(max(names, default=0) + 1, "", dtype=f"U{max(map(len, names.values()), default=1)}")
    for key, name in names.items():
        table[key] = name
    return table[keys]

