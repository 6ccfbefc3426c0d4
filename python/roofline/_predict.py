"""Predictions of one operation: at one point, or at as many as arrays have."""

from __future__ import annotations

import ctypes as C
import html
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union, overload

from . import _abi as abi
from . import _arrays as arrays
from ._asked import Asked, Machines, Operation, Scalar, Shape, Target, Targets, shape_of, single, target_of
from ._library import Error, call, document, lib, refuse, said, text
from ._plot import Plot
from ._records import pandas


@dataclass(frozen=True)
class Seconds:
    """Times in s. NaN: unknown. Of many points each is an array."""

    compute: Any  #: FLOPs / peak
    memory: Any  #: bytes / bandwidth, of the level that takes longest
    overhead: Any  #: launches
    network: Any
    lower: Any  #: bound: the largest of the four, as if they hid each other fully
    upper: Any  #: bound: their sum
    expected: Any  #: with the named effects
    low: Any  #: 10th percentile of what comparable kernels did
    high: Any  #: 90th percentile


@dataclass(frozen=True)
class Level:
    """A memory level's part of a prediction."""

    name: str
    bytes: float
    intensity: float  #: FLOP/byte
    ridge: float  #: FLOP/byte
    seconds: float


@dataclass(frozen=True)
class Effect:
    """One named reason why the expected time differs from the bound."""

    name: str
    seconds: float  #: that it adds; negative: it saves
    factor: float  #: on the time before it
    why: str


_SECONDS = ("compute", "memory", "overhead", "network", "lower", "upper", "expected", "expected_low", "expected_high")


@dataclass(frozen=True)
class Prediction:
    """What one call of an operation takes on a machine, and what limits it. NaN: unknown.

    Attributes:
        op, machine, dtype: names.
        parameters: completed, counts as int, choices by name.
        flops: FLOP; an FMA is 2.
        bytes: read and written at the outermost level, each once.
        intensity, ridge: FLOP/byte of that level.
        attainable_flops_per_second: FLOP/s under the roof.
        regime: "compute", "memory", "overhead", "network" or "capacity".
        binding: what binds: "fp16 matrix", a level's or a link's name, "launch".
        seconds: a `Seconds`, s.
        levels, effects: tuples of `Level` (inner to outer) and `Effect` (in the order they are added).
        energy_joules: J of the expected time.
    """

    op: str
    machine: str
    dtype: str
    parameters: Dict[str, Union[int, float, str]]
    flops: float
    bytes: float
    intensity: float
    ridge: float
    attainable_flops_per_second: float
    regime: str
    binding: str
    seconds: Seconds
    levels: Tuple[Level, ...]
    effects: Tuple[Effect, ...]
    energy_joules: float
    _made_of: Tuple[Target, Operation, Any, Any] = field(repr=False, compare=False)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        target, operation, _, raw = self._made_of
        return said("roof_prediction_sentence", target.address, operation.pointer, C.byref(raw), first=True).strip()

    def explain(self) -> str:
        """How it follows from the formulas and the machine's figures, step by step, with the sources."""
        target, operation, values, raw = self._made_of
        return said("roof_explain_prediction", target.address, operation.pointer, values, C.byref(raw), first=True).strip("\n")

    def document(self) -> Dict[str, Any]:
        """The prediction as a roofline.prediction/1 document: what `roofline predict --json` prints."""
        target, operation, values, raw = self._made_of
        return document("roof_prediction_write", target.address, operation.pointer, values, C.byref(raw))

    def plot(self) -> Plot:
        """Its dots under the machine's roof."""
        target, operation, values, _ = self._made_of
        words = [f"{name}={value}" for name, value in self.parameters.items()]
        shape, targets = Shape(operation, words), Targets([target])
        return Plot.of("roof_prediction_scene", targets.address, shape.address)

    def _repr_svg_(self) -> Optional[str]:
        try:
            return self.plot().svg
        except Error:  # work without FLOPs has no place under a roof
            return None

    def _repr_html_(self) -> str:
        s = self.seconds
        rows = [("regime", f"{self.regime} ({self.binding})"), ("expected", f"{_time(s.expected)} ({_time(s.low)} to {_time(s.high)})")]
        rows += [("bounds", f"{_time(s.lower)} to {_time(s.upper)}"), ("work", f"{self.flops:.4g} FLOP, {self.bytes:.4g} bytes")]
        rows += [(effect.name, f"{effect.seconds * 1e6:+.3g} µs: {effect.why}") for effect in self.effects]
        cells = "".join(f"<tr><th style='text-align:left'>{html.escape(k)}</th><td style='text-align:left'>{html.escape(v)}</td></tr>" for k, v in rows)
        return f"<p><b>{html.escape(self.sentence)}</b></p><table>{cells}</table>{self._repr_svg_() or ''}"

    def __str__(self) -> str:
        return self.sentence


def _time(seconds: float) -> str:
    buffer = C.create_string_buffer(64)
    lib.roof_quantity_format(buffer, len(buffer), seconds, b"s")
    return text(buffer.value)


def _values(operation: Operation, values: Any) -> Dict[str, Union[int, float, str]]:
    named: Dict[str, Union[int, float, str]] = {}
    for i, name in enumerate(operation.parameters):
        choice = lib.roof_op_value_name(operation.pointer, i, values[i])
        number = values[i]
        named[name] = text(choice) if choice else int(number) if number == number and number.is_integer() else number
    return named


def prediction_of(target: Target, operation: Operation, values: Any) -> Prediction:
    """Predicts completed values."""
    raw = abi.roof_prediction()
    lib.roof_predict(target.address, operation.pointer, values, C.byref(raw))
    if raw.work.flops > 0:
        call("roof_target_supports", target.address, raw.work.unit)
    parts = (abi.roof_effect_part * abi.ROOF_EFFECT_COUNT)()
    count = lib.roof_effects_of(target.address, C.byref(raw), parts)
    binding = C.create_string_buffer(abi.NAME_MAX)
    lib.roof_prediction_binding(C.byref(raw), binding, len(binding))
    levels = (Level(text(x.level.contents.name), x.bytes, x.intensity, x.ridge, x.seconds) for x in raw.levels[: raw.level_count])
    return Prediction(
        op=text(operation.pointer.contents.name),
        machine=target.machine.name,
        dtype=target.dtype,
        parameters=_values(operation, values),
        flops=raw.work.flops,
        bytes=raw.bytes,
        intensity=raw.intensity,
        ridge=raw.ridge,
        attainable_flops_per_second=raw.attainable,
        regime=text(lib.roof_regime_name(raw.regime)),
        binding=text(binding.value),
        seconds=Seconds(*[getattr(raw, f"{name}_seconds") for name in _SECONDS]),
        levels=tuple(levels),
        effects=tuple(Effect(text(lib.roof_effect_name(p.effect)), p.seconds, p.factor, text(p.text)) for p in parts[:count]),
        energy_joules=raw.energy_joules,
        _made_of=(target, operation, values, raw),
    )


class Predictions:
    """As `Prediction`, of many points: each figure is an array, of the shape that the parameters had together.

    With numpy the arrays are numpy's, else `array.array`. `predictions[i]` is the `Prediction` of one point, counted flat.

    Attributes:
        op, machine, dtype: names, the same at every point.
        parameters: as given: numbers, choices by name, arrays.
        flops, bytes, intensity, ridge, attainable_flops_per_second, energy_joules: arrays.
        seconds: a `Seconds` of arrays, s.
        regime, binding: arrays of names.
    """

    def __init__(self, target: Target, operation: Operation, grid: "arrays.Grid") -> None:
        self.op = text(operation.pointer.contents.name)
        self.machine = target.machine.name
        self.dtype = target.dtype
        self.parameters: Dict[str, Any] = grid.given
        self._made_of = (target, operation, grid)
        results = arrays.predict(target, operation, grid)
        by_name = dict(zip(arrays.FIGURES, results.figures))
        self.flops = by_name["flops"]
        self.bytes = by_name["bytes"]
        self.intensity = by_name["intensity"]
        self.ridge = by_name["ridge"]
        self.attainable_flops_per_second = by_name["attainable"]
        self.energy_joules = by_name["energy_joules"]
        self.seconds = Seconds(*[by_name[f"{name}_seconds"] for name in _SECONDS])
        self._regimes, self._levels = results.regimes, results.bindings

    @property
    def regime(self) -> Any:
        """The regime of each point."""
        return arrays.named(self._regimes, {i: text(lib.roof_regime_name(i)) for i in range(abi.ROOF_REGIME_COUNT)})

    @property
    def binding(self) -> Any:
        """What binds each point."""
        keys = arrays.joined(self._regimes, self._levels)
        names = {key: self[index].binding for key, index in arrays.firsts(keys).items()}
        return arrays.named(keys, names)

    def __len__(self) -> int:
        return self._made_of[2].count

    @overload
    def __getitem__(self, index: int) -> Prediction: ...

    @overload
    def __getitem__(self, index: slice) -> List[Prediction]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Prediction, List[Prediction]]:
        target, operation, grid = self._made_of
        if isinstance(index, slice):
            return [self[i] for i in range(grid.count)[index]]
        values = grid.point(operation, range(grid.count)[index])
        return prediction_of(target, operation, values)

    def __iter__(self) -> Iterator[Prediction]:
        return (self[i] for i in range(len(self)))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: a row each point; the parameters, the figures, times named `expected_seconds` and so on."""
        flat = arrays.flat
        grid = self._made_of[2]
        table = {name: flat(column) for name, column in grid.columns_given().items()}
        table.update({name: flat(getattr(self, name)) for name in ("flops", "bytes", "intensity", "regime", "binding")})
        table.update({f"{name}_seconds": flat(getattr(self.seconds, name)) for name in Seconds.__dataclass_fields__})
        return pandas().DataFrame(table)

    def __repr__(self) -> str:
        return f"<Predictions of {len(self)} points of {self.op} on {self.machine} in {self.dtype}>"


@overload
def predict(op: str, *, machine: Machines = ..., dtype: Optional[str] = ..., **parameters: Scalar) -> Prediction: ...


@overload
def predict(op: str, *, machine: Machines = ..., dtype: Optional[str] = ..., **parameters: Any) -> Any: ...


def predict(op: str, *, machine: Machines = None, dtype: Optional[str] = None, **parameters: Any) -> Any:
    """Predicts how long one call of an operation takes on a machine, and which ceiling limits it.

        >>> import roofline
        >>> p = roofline.predict("gemm", m=8192, n=28672, k=8192, dtype="bf16", machine="h100")
        >>> p.regime, p.binding
        ('compute', 'bf16 matrix')

    Args:
        op: the operation's name; words may follow as on a command line ("gemm m=8192 n=28672 k=8192").
        machine: a name or alias of the catalogue, the path of a machine file, or a `Machine`; None: this machine, as
            `roofline measure` kept it.
        dtype: what it computes in: fp64 fp32 tf32 fp16 bf16 fp8 fp6 fp4 fp3 int8 int4 nvfp4 mxfp4 mxfp8. None: fp16 where
            the machine has a matrix unit for it, else fp32.
        **parameters: the operation's (`roofline.operation("gemm")` lists them), counts in elements, `size` in bytes:
            numbers, texts ("4k"), or arrays and sequences, which give an answer of arrays. A parameter that is a word of
            Python takes an underscore: `in_=4096`. And the options of the command, by the same names and units:
            weights, group, accumulate, output, kv (formats); efficiency, overhead, launch (s), overlap, tile, unit, link,
            framework, without; sparse, warm, cold, achieved (True); ops (a file of your own operations).

    Returns:
        A `Prediction`. Of arrays, which are taken together as numpy broadcasts them, `Predictions`.

    Raises:
        Error: in the words of the command: "gemm: parameter `kk`: unknown; did you mean `k`?".
    """
    asked = Asked(op, {"dtype": dtype, **parameters})
    operation = Operation(asked.name, asked.file)
    several = {name: value for name, value in asked.parameters.items() if arrays.is_array(value)}
    if several:
        return _predict_many(asked, operation, machine, several)
    shape = shape_of(operation, asked)
    single("predict", shape)
    target = target_of("predict", machine, asked.options)
    if target.typed:
        call("roof_targets_check", Targets([target]).address, shape.address)
    return prediction_of(target, operation, shape.point())


def _predict_many(asked: Asked, operation: Operation, machine: Machines, several: Mapping[str, Any]) -> Predictions:
    grid = arrays.Grid(operation, asked, several)
    target = target_of("predict", machine, asked.options)
    if target.typed and grid.count:
        first = grid.point(operation, 0)
        idle = target.typed & ~lib.roof_typed_used(target.typed, target.address, operation.pointer, first)
        call("roof_typed_refuse", idle, operation.pointer.contents.name)
    return Predictions(target, operation, grid)


@dataclass(frozen=True)
class Parameter:
    """A parameter of an operation. `default` None: it must be given, or follows `same_as`."""

    name: str
    default: Union[float, str, None]
    same_as: Optional[str]
    choices: Tuple[str, ...]
    text: str


@dataclass(frozen=True)
class OperationText:
    """An operation: its formulas are in the parameters' names and a, w, o, kv, the bytes of an element."""

    name: str
    family: str
    summary: str
    unit: str
    flops: str
    bytes: str
    source: str
    parameters: Tuple[Parameter, ...]


def operation(name: str, ops: Optional[str] = None) -> OperationText:
    """An operation with its parameters and formulas; `ops` is a file of your own."""
    found = Operation(name, ops)
    return _described(document("roof_op_write", found.pointer))


def operations(search: str = "") -> List[OperationText]:
    """The operations in whose name, family or summary `search` occurs."""
    answer = document("roof_userops_write", None, 0, search.encode())
    return [_described(one) for one in answer["operations"]]


def _described(one: Mapping[str, Any]) -> OperationText:
    parameters = tuple(Parameter(p["name"], p["default"], p["same_as"], tuple(p["choices"]), p["text"]) for p in one["parameters"])
    texts = {name: one[name] or "" for name in ("name", "family", "summary", "unit", "flops", "bytes", "source")}
    return OperationText(**texts, parameters=parameters)
