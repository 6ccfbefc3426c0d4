"""Calls of PyTorch's dispatcher as predictions, and what they took."""

from __future__ import annotations

import contextlib
import html
import importlib
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from .._asked import Machines
from .._library import NAN, Error, refuse
from .._machines import load_one
from .._predict import Prediction, _time
from .._predict import predict as predict_operation
from .._records import frame
from . import _aten

torch: Any = importlib.import_module("torch")
_dispatch: Any = importlib.import_module("torch.utils._python_dispatch")

#: Formats of PyTorch's dtypes; whole numbers and truth values are moved as formats of their width.
DTYPES = {
    "float64": "fp64",
    "float32": "fp32",
    "float16": "fp16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "fp8",
    "float8_e5m2": "fp8",
    "int8": "int8",
    "uint8": "int8",
    "bool": "int8",
    "int16": "fp16",
    "int32": "fp32",
    "int64": "fp64",
}
PRODUCTS = ("gemm", "gemv", "conv2d", "attention")

Shapes = Tuple[Tuple[int, ...], ...]


@dataclass(frozen=True)
class Call:
    """One call that starts a kernel. Seconds NaN: not known."""

    name: str  #: of the dispatcher: "aten::mm"
    module: str  #: path of the module that made it, "" unknown
    shapes: Shapes  #: of its tensors
    op: str  #: the operation that it is; "" unknown
    parameters: Mapping[str, Any]
    dtype: str
    prediction: Optional[Prediction] = field(repr=False)
    why: str  #: why it is not predicted, "" it is, or no operation stands for it
    measured_seconds: float = NAN

    @property
    def expected_seconds(self) -> float:
        """What it is expected to take, s."""
        seconds: float = self.prediction.seconds.expected if self.prediction else NAN
        return seconds


@dataclass
class Row:
    """Calls of one name and shapes together. NaN: not predicted, not measured."""

    name: str
    shapes: Shapes
    op: str
    parameters: Mapping[str, Any]
    count: int
    regime: str
    binding: str
    expected_seconds: float  #: s, of all of them
    lower_seconds: float
    measured_seconds: float
    why: str

    @property
    def what(self) -> str:
        """The operation with its sizes: "gemm 4096x4096x1024"."""
        sizes = [str(value) for name, value in self.parameters.items() if value not in (0, 1) or name in ("m", "n", "k")]
        return f"{self.op} {'x'.join(sizes)}".strip() or "-"

    @property
    def ratio(self) -> float:
        """Measured / expected."""
        return self.measured_seconds / self.expected_seconds if self.expected_seconds else NAN


class Trace:
    """What a program asked of PyTorch, call by call: made by `roofline.torch.trace` and `roofline.torch.predict`.

    Attributes:
        machine: a name.
        calls: a list of `Call`, in their order.
        views: calls that start no kernel.
    """

    def __init__(self, machine: Machines, dtype: Optional[str], options: Mapping[str, Any]) -> None:
        self._machine = load_one("torch", machine)
        self._dtype = dtype
        self._options = {"framework": "eager", **options}
        self._known: Dict[Any, Any] = {}
        self.machine = self._machine.name
        self.calls: List[Call] = []
        self.views = 0

    @property
    def expected_seconds(self) -> float:
        """The sum over the calls that are predicted, s: as if each waits for the one before."""
        return sum(call.expected_seconds for call in self.calls if call.prediction)

    @property
    def lower_seconds(self) -> float:
        """The sum of their lower bounds, s."""
        return sum(float(call.prediction.seconds.lower) for call in self.calls if call.prediction)

    @property
    def flops(self) -> float:
        """FLOP of the calls that are predicted."""
        return sum(call.prediction.flops for call in self.calls if call.prediction)

    @property
    def measured_seconds(self) -> float:
        """The sum of what was measured, s; NaN where nothing was."""
        known = [call.measured_seconds for call in self.calls if call.measured_seconds == call.measured_seconds]
        return sum(known) if known else NAN

    @property
    def unknown(self) -> Dict[str, int]:
        """How many calls of each name are not predicted."""
        return dict(Counter(call.name for call in self.calls if call.prediction is None))

    def rows(self) -> List[Row]:
        """The calls of each name and shapes together, most expected time first, those that are not predicted last."""
        groups: Dict[Any, List[Call]] = {}
        for call in self.calls:
            groups.setdefault((call.name, call.shapes, call.dtype, tuple(call.parameters.items())), []).append(call)
        rows = [_row(calls) for calls in groups.values()]
        return sorted(rows, key=lambda row: (row.expected_seconds != row.expected_seconds, -row.expected_seconds))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame of `rows`."""
        return frame(self.rows(), [*Row.__dataclass_fields__, "ratio"])

    def __len__(self) -> int:
        return len(self.calls)

    def __iter__(self) -> Iterator[Call]:
        return iter(self.calls)

    def __str__(self) -> str:
        rows = self.rows()
        timed = self.measured_seconds == self.measured_seconds
        lines = [self._headline(), ""]
        lines += [" ".join(_cells(row, timed)).rstrip() for row in [None, *rows[:20]]]
        if len(rows) > 20:
            lines.append(f"and {len(rows) - 20} more")
        for row in rows:
            if row.why:
                lines.append(f"  {row.name}: {row.why}")
        return "\n".join(lines)

    def _headline(self) -> str:
        predicted = len(self.calls) - sum(self.unknown.values())
        line = f"{self._machine.title}: {_time(self.expected_seconds)} expected for {predicted} of {len(self.calls)} kernels"
        if self.unknown:
            line += "; not predicted: " + ", ".join(f"{name} x{count}" for name, count in self.unknown.items())
        return line + (f"; measured {_time(self.measured_seconds)}" if self.measured_seconds == self.measured_seconds else "")

    def _repr_html_(self) -> str:
        timed = self.measured_seconds == self.measured_seconds
        rows = "".join("<tr>" + "".join(f"<td>{html.escape(cell.strip())}</td>" for cell in _cells(row, timed)) + "</tr>" for row in [None, *self.rows()])
        return f"<p><b>{html.escape(self._headline())}</b></p><table>{rows}</table>"

    def _take(self, name: str, arguments: Sequence[Any], options: Dict[str, Any], module: str) -> Optional[Call]:
        """Predicts a call before it runs; None: it starts no kernel."""
        plain = name[len("aten::") :] if name.startswith("aten::") else name
        if plain in _aten.FREE:
            self.views += 1
            return None
        tensors = _tensors(arguments)
        shapes = tuple(tuple(one.shape) for one in tensors)
        dtype = self._format(tensors, options)
        try:
            op, parameters = _aten.work(plain, arguments, options)
            dtype = _product(dtype, tensors) if op in PRODUCTS and self._dtype is None else dtype
            return Call(name, module, shapes, op, parameters, dtype, self._predicted(op, parameters, dtype), "")
        except (_aten.Unknown, Error) as why:
            return Call(name, module, shapes, "", {}, dtype, None, str(why))

    def _format(self, tensors: Sequence[Any], options: Mapping[str, Any]) -> str:
        kinds = [str(one.dtype).replace("torch.", "") for one in tensors]
        floats = [kind for kind in kinds if "float" in kind]
        found = DTYPES.get((floats or kinds or ["float32"])[0], "fp32")
        return self._dtype if self._dtype is not None and floats else found

    def _predicted(self, op: str, parameters: Mapping[str, Any], dtype: str) -> Prediction:
        key = (op, dtype, tuple(parameters.items()))
        if key not in self._known:
            self._known[key] = predict_operation(op, machine=self._machine, dtype=dtype, **parameters, **self._options)
        found: Prediction = self._known[key]
        return found


def _tensors(arguments: Sequence[Any]) -> List[Any]:
    found: List[Any] = []
    for one in arguments:
        if isinstance(one, torch.Tensor):
            found.append(one)
        elif isinstance(one, (list, tuple)):
            found += [each for each in one if isinstance(each, torch.Tensor)]
    return found


def _product(dtype: str, tensors: Sequence[Any]) -> str:
    """tf32 where PyTorch is told to multiply so."""
    allowed = dtype == "fp32" and torch.backends.cuda.matmul.allow_tf32 and any(one.is_cuda for one in tensors)
    return "tf32" if allowed else dtype


def _row(calls: List[Call]) -> Row:
    first, p = calls[0], calls[0].prediction
    expected = sum(call.expected_seconds for call in calls)
    lower = sum(call.prediction.seconds.lower if call.prediction else NAN for call in calls)
    measured = sum(call.measured_seconds for call in calls)
    regime, binding = (p.regime, p.binding) if p else ("", "")
    return Row(first.name, first.shapes, first.op, first.parameters, len(calls), regime, binding, expected, lower, measured, first.why)


def _cells(row: Optional[Row], timed: bool) -> List[str]:
    """A line of the table, of at most 80 columns; None: its head. Times that were measured take the place of what binds."""
    if row is None:
        head = [f"{'call':20}", f"{'count':>5}", f"{'as':26}", f"{'expected':>9}"]
        return head + ([f"{'measured':>9}", f"{'x':>6}"] if timed else ["bound by"])
    expected, measured = [_time(value) if value == value else "-" for value in (row.expected_seconds, row.measured_seconds)]
    ratio = "-" if row.ratio != row.ratio else f"{row.ratio:.3g}"
    line = [f"{row.name.replace('aten::', '')[:20]:20}", f"{row.count:5}", f"{row.what[:26]:26}", f"{expected:>9}"]
    return line + ([f"{measured:>9}", f"{ratio:>6}"] if timed else [row.binding or "-"])


def _timed(call: Callable[[], Any], tensors: Sequence[Any]) -> Tuple[Any, float]:
    """What a call gives, and what it took: of a device with what was queued before done first."""
    wait = torch.cuda.synchronize if any(one.is_cuda for one in tensors) else lambda: None
    wait()
    start = time.perf_counter()
    result = call()
    wait()
    return result, time.perf_counter() - start


class Modules:
    """Which module runs: the path of the innermost, by hooks on all of them."""

    def __init__(self, module: Any) -> None:
        self._stack: List[str] = []
        self._hooks: List[Any] = []
        for name, one in module.named_modules() if module is not None else ():
            self._hooks.append(one.register_forward_pre_hook(self._entered(name)))
            self._hooks.append(one.register_forward_hook(self._left))

    def _entered(self, name: str) -> Callable[..., None]:
        return lambda *_: self._stack.append(name)

    def _left(self, *_: Any) -> None:
        self._stack.pop()

    @property
    def current(self) -> str:
        return self._stack[-1] if self._stack else ""

    def done(self) -> None:
        for hook in self._hooks:
            hook.remove()


class _Mode(_dispatch.TorchDispatchMode):  # type: ignore[misc]
    def __init__(self, trace: Trace, modules: Modules, measure: bool) -> None:
        super().__init__()
        self._trace, self._modules, self._measure = trace, modules, measure
        self.paused = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        options = kwargs or {}
        if self.paused:
            return func(*args, **options)
        call = self._trace._take(func._schema.name, args, options, self._modules.current)
        if call is None or not self._measure:
            result, seconds = func(*args, **options), NAN
        else:
            result, seconds = _timed(lambda: func(*args, **options), _tensors(args))
        if call is not None:
            self._trace.calls.append(replace(call, measured_seconds=seconds))
        return result


class trace:
    """Predicts every kernel that PyTorch starts inside, before it runs: `with roofline.torch.trace(machine="h100") as t:`.

    The tensors may be of any device, `meta` and FakeTensor too: nothing but their shapes and formats counts. What runs backward inside counts too.

    Args:
        machine: as of `roofline.predict`.
        dtype: format to take for all floating-point tensors; None: their own.
        measure: time each call as well, which waits for the device before and after it.
        module: a module whose parts are named in the calls.
        **options: those of `roofline.predict`; framework is "eager" unless said: kernels that a host launches one at a time.
    """

    def __init__(self, *, machine: Machines = None, dtype: Optional[str] = None, measure: bool = False, module: Any = None, **options: Any) -> None:
        self._trace = Trace(machine, dtype, options)
        self._module, self._measure = module, measure

    def __enter__(self) -> Trace:
        self._modules = Modules(self._module)
        self._mode = _Mode(self._trace, self._modules, self._measure)
        self._mode.__enter__()
        return self._trace

    def __exit__(self, *error: Any) -> None:
        self._mode.__exit__(*error)
        self._modules.done()


def _attention(given: Mapping[str, Any]) -> Tuple[List[Any], Dict[str, Any]]:
    return [given[name] for name in ("query", "key", "value")], {"is_causal": given.get("is_causal", False)}


def _dropout(given: Mapping[str, Any]) -> Optional[Tuple[List[Any], Dict[str, Any]]]:
    return ([given["input"]], {}) if given.get("training", given.get("train", True)) else None


#: Functions that a GPU has as one kernel and that fall apart where there are shapes alone: the names of their arguments, the call that they are.
FUSED: Dict[str, Tuple[Sequence[str], str, Callable[..., Any]]] = {
    "scaled_dot_product_attention": (("query", "key", "value", "attn_mask", "dropout_p", "is_causal"), "aten::scaled_dot_product_attention", _attention),
    "dropout": (("input", "p", "training"), "aten::native_dropout", _dropout),
}


class _Fused(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
    """Takes functions as the one kernel that they are on a GPU."""

    def __init__(self, trace: Trace, mode: _Mode, modules: Modules) -> None:
        super().__init__()
        self._trace, self._mode, self._modules = trace, mode, modules

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        options = kwargs or {}
        row = FUSED.get(getattr(func, "__name__", ""))
        if row is None or self._mode.paused:
            return func(*args, **options)
        names, name, taken = row
        asked = taken({**dict(zip(names, args)), **options})
        call = self._trace._take(name, asked[0], asked[1], self._modules.current) if asked else None
        if call is not None:
            self._trace.calls.append(call)
        self._mode.paused = True
        try:
            return func(*args, **options)
        finally:
            self._mode.paused = False


def predict(module: Any, *inputs: Any, machine: Machines = None, dtype: Optional[str] = None, fused: bool = True, **options: Any) -> Trace:
    """Predicts a module on its inputs without running it: on tensors that have shapes alone (the device `meta`).

    Args:
        module: a torch.nn.Module; neither it nor its parameters are changed.
        *inputs: of its forward: tensors of any device, the others as they are.
        machine: as of `roofline.predict`.
        dtype: format to take for all floating-point tensors; None: their own.
        fused: take scaled_dot_product_attention and dropout as one kernel each, as a GPU has them; False: as the products and elementwise calls that
            they are without one.
        **options: those of `roofline.predict`; framework is "eager" unless said.

    Returns:
        A `Trace`; its calls name the modules that they are of.

    Raises:
        Error: status "ROOF_E_UNSUPPORTED" where the module asks for values, which shapes do not have.
    """
    result = Trace(machine, dtype, options)
    state = {name: one.detach().to("meta") for name, one in [*module.named_parameters(), *module.named_buffers()]}
    given = [one.detach().to("meta") if isinstance(one, torch.Tensor) else one for one in inputs]
    modules = Modules(module)
    mode = _Mode(result, modules, False)
    try:
        with torch.no_grad(), mode:
            whole: Any = _Fused(result, mode, modules) if fused else contextlib.nullcontext()
            with whole:
                _call(module, state, given)
    except (RuntimeError, NotImplementedError) as error:
        raise refuse(f"torch: {type(module).__name__} does not run on shapes alone: {str(error).splitlines()[0]}", "ROOF_E_UNSUPPORTED") from error
    finally:
        modules.done()
    return result


def _call(module: Any, state: Dict[str, Any], inputs: List[Any]) -> Any:
    functional: Any = getattr(torch, "func", None)
    call = functional.functional_call if hasattr(functional, "functional_call") else torch.nn.utils.stateless.functional_call
    return call(module, state, tuple(inputs))


def compare(trace: Trace, profile: Any) -> Trace:
    """What torch.profiler measured of the calls that were predicted: by name and shapes, the mean of as many calls as it saw.

    Args:
        trace: of the same module and inputs.
        profile: a torch.profiler.profile that has ended, with record_shapes=True. The time is the device's where it has one.

    Returns:
        A `Trace` with `measured_seconds`; NaN for calls that the profile has not.

    Raises:
        Error: where the profile has no shapes.
    """
    seen: Dict[Any, List[float]] = {}
    shaped = False
    for event in profile.events():
        shapes = tuple(tuple(shape) for shape in event.input_shapes or () if shape)
        shaped = shaped or bool(shapes)
        seen.setdefault((event.name, shapes), []).append(_event_seconds(event))
    if not shaped:
        raise refuse("compare: the profile has no shapes: torch.profiler.profile(record_shapes=True)")
    measured = Trace(trace._machine, trace._dtype, trace._options)
    measured.views = trace.views
    for call in trace.calls:
        times = seen.get((call.name, tuple(shape for shape in call.shapes if shape)))
        measured.calls.append(replace(call, measured_seconds=sum(times) / len(times) if times else NAN))
    return measured


def _event_seconds(event: Any) -> float:
    """Of an event and what it called, on the device where it ran on one."""
    device = getattr(event, "device_time_total", None)
    device = event.cuda_time_total if device is None else device
    return float(device or event.cpu_time_total) * 1e-6
