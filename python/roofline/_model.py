"""Whole models: does it fit, how fast is it, where does the time go."""

from __future__ import annotations

import ctypes as C
import html
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from . import _abi as abi
from ._asked import OPTIONS, SWITCHES, Machines, option_list, options_of
from ._library import call, document, lib, option, refuse, said, switch, texts
from ._machines import Machine, load_all, load_one
from ._plot import Plot
from ._predict import Seconds, _time
from ._records import frame, pandas, record, scalars, table
from ._sweep import drawn

Config = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Memory:
    """What must be in the memory of one device, bytes. NaN: unknown."""

    weights_bytes: float
    kv_bytes: float
    activation_bytes: float
    workspace_bytes: float
    total_bytes: float
    capacity_bytes: float
    spare_bytes: float  #: negative: short by so much
    fits: Optional[bool]  #: None: the capacity is unknown


@dataclass(frozen=True)
class ModelOperation:
    """One operation of a phase on one device; times, FLOPs and bytes are of all its `count` calls in a step."""

    name: str
    kind: str  #: "product", "attention", "norm" ...
    count: float
    flops: float
    bytes: float
    intensity: float  #: FLOP/byte of memory
    regime: str
    expected_seconds: float
    lower_seconds: float


@dataclass(frozen=True)
class Phase:
    """One step of a phase: for prefill the whole prompt, for decode the mean step."""

    name: str
    tokens: float  #: that go in
    flops: float
    bytes: float
    seconds: Seconds
    operations: Tuple[ModelOperation, ...]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: a row each operation."""
        return frame(self.operations, scalars(ModelOperation))


class Model:
    """A model's run on a machine. Numbers that are not known, or that this run has not, are NaN.

    Attributes:
        name, machine: names.
        parameters, active_parameters: counts.
        ttft_seconds: s, the prefill of the batch; with _low and _high: 10th and 90th percentile of what comparable kernels do.
        step_seconds: s, of training or of denoising, which have no first token; its interval is that of the phase.
        tpot_seconds: s, the mean decoding step; likewise.
        tokens_per_second: of one request; batch_tokens_per_second: of all.
        devices: of the plan.
        memory: a `Memory`.
        phases: "prefill", "decode", "train" ... to `Phase`, those that the run has.
    """

    def __init__(self, run: "Run", machine: Machine) -> None:
        self._run, self._machine = run, machine
        self._target, self._answer = abi.roof_model_target(), abi.roof_model_answer()
        call("roof_model_target_init", C.byref(self._target), C.byref(run.model), machine._pointer, C.byref(run.settings))
        lib.roof_model_answer_of(C.byref(self._target), C.byref(self._answer))
        d = self._document = document("roof_model_write", C.byref(self._target), C.byref(self._answer))
        self.name: str = d["name"]
        self.machine: str = d["machine"]
        self.parameters: int = d["parameters"]
        self.active_parameters: int = d["active_parameters"]
        self.ttft_seconds = _known(d, "ttft_seconds")
        self.ttft_low_seconds = _known(d, "ttft_low_seconds")
        self.ttft_high_seconds = _known(d, "ttft_high_seconds")
        self.step_seconds = _known(d, "step_seconds")
        self.tpot_seconds = _known(d, "tpot_seconds")
        self.tpot_low_seconds = _known(d, "tpot_low_seconds")
        self.tpot_high_seconds = _known(d, "tpot_high_seconds")
        self.tokens_per_second = _known(d, "tokens_per_second")
        self.batch_tokens_per_second = _known(d, "batch_tokens_per_second")
        self.devices: float = d["devices"]
        self.memory = record(Memory, d["memory"])
        self.phases: Dict[str, Phase] = {name: _phase(name, phase) for name, phase in d["phases"].items() if phase is not None}

    @property
    def fits(self) -> Optional[bool]:
        """Whether it fits the memory; None where the capacity is not known."""
        return self.memory.fits

    def document(self) -> Dict[str, Any]:
        """The answer as a roofline.model/1 document: what `roofline model --json` prints."""
        return self._document

    def plot(self) -> Plot:
        """Its operations under the machine's roof."""
        return Plot.of("roof_model_scene", C.byref(self._target), C.byref(self._answer))

    def _repr_svg_(self) -> str:
        return self.plot().svg

    def _repr_html_(self) -> str:
        tables = "".join(_table(phase) for phase in self.phases.values())
        return f"<p><b>{html.escape(str(self))}</b></p>{tables}"

    def __str__(self) -> str:
        fit = "memory not known" if self.fits is None else "fits" if self.fits else "does not fit"
        figures = [("TTFT", self.ttft_seconds), ("TPOT", self.tpot_seconds), ("step", self.step_seconds)]
        times = ", ".join(f"{name} {_time(value)}" for name, value in figures if value == value)
        return f"{self.name} on {self._machine.title}: {fit}" + (f"; {times}" if times else "")


def _known(data: Mapping[str, Any], key: str) -> float:
    value = data.get(key)
    return float("nan") if value is None else float(value)


def _phase(name: str, d: Mapping[str, Any]) -> Phase:
    s = d["seconds"]
    seconds = Seconds(*[_known(s, key) for key in ("compute", "memory", "overhead", "network", "lower", "upper", "expected", "expected_low", "expected_high")])
    operations = tuple(_operation(one) for one in d["operations"])
    return Phase(name, _known(d, "tokens"), _known(d, "flops"), _known(d, "bytes"), seconds, operations)


def _operation(d: Mapping[str, Any]) -> ModelOperation:
    count = _known(d, "count")
    times = {f"{key}_seconds": count * _known(d["seconds"], key) for key in ("expected", "lower")}
    work = {key: count * _known(d, key) for key in ("flops", "bytes")}
    return record(ModelOperation, d, **times, **work)


def _table(phase: Phase) -> str:
    total = phase.seconds.expected
    rows = "".join(
        f"<tr><td style='text-align:left'>{html.escape(o.name)}</td><td>{o.count:g}</td><td>{html.escape(o.regime)}</td><td>{_time(o.expected_seconds)}</td><td>{o.expected_seconds / total:.1%}</td></tr>"
        for o in phase.operations
    )
    heads = "".join(f"<th>{name}</th>" for name in ("operation", "count", "bound by", "time", "share"))
    return f"<table><caption>{html.escape(phase.name)}: {_time(total)}</caption><tr>{heads}</tr>{rows}</table>"


class Run:
    """A model with the settings of a run, which a machine, or the first of `several`, is asked for; `reader` reads those that are words, where they are no single run's."""

    def __init__(self, config: Config, machine: Machine, settings: Mapping[str, Any], reader: Any = None, several: bool = False) -> None:
        named = dict(settings)
        options = {name: named.pop(name) for name in (*OPTIONS, *SWITCHES) if name in named}
        if isinstance(named.get("precision"), (list, tuple)):
            named["precision"] = "/".join(named["precision"])
        texts_ = {name: option(named.pop(name, None)) for name in ("precision", "dtype", "kv", "mode", "fuse", "recompute", "network")}
        flags = {name: switch(name, named.pop(name, False)) for name in ("train", "sp", "lenient")}
        self.precision = texts_["precision"]
        self.model, self.settings, self.axes = abi.roof_model(), abi.roof_model_settings(), abi.roof_model_axes()
        call("roof_model_load_lenient" if flags["lenient"] else "roof_model_load", os.fsencode(config), C.byref(self.model))
        self.settings = lib.roof_model_settings_default(C.byref(self.model))
        self.machine = None if several else machine._pointer
        self.settings.train, self.settings.sp = flags["train"], flags["sp"]
        self._typed = options_of(options)
        call("roof_options_read", C.byref(self._typed), C.byref(self.settings.options))
        self.settings.kernel_seconds = self.settings.options.launch
        self._read(texts_, machine)
        words = [f"{name}={option_list(value)}" for name, value in named.items() if value is not None]
        if reader is not None:
            reader.read(self, words)
            return
        call("roof_model_settings_read", texts(words), len(words), C.byref(self.settings), C.byref(self.axes))
        call("roof_model_settings_check", C.byref(self.model), C.byref(self.settings), self.machine, False, C.byref(self.axes))

    def refuse_several(self, what: str) -> None:
        """Of a question that is asked in one precision."""
        if self.precision is not None and b"/" in self.precision:
            raise refuse(f"{what}: precision `{self.precision.decode()}`: of one at a time")

    def _read(self, named: Mapping[str, Any], machine: Machine) -> None:
        """Settings that are words."""
        s = self.settings
        several = self.precision is not None and b"/" in self.precision
        readers = [
            ("dtype", "roof_model_precision_read", (C.byref(s.precision),)),
            ("precision", "roof_model_precision_parse", (C.byref(s.precision),)),
            ("kv", "roof_dtype_parse_scaled", (field(s.precision, "kv", C.c_int),)),
            ("mode", "roof_launch_parse", (field(s, "launch", C.c_int),)),
            ("fuse", "roof_fusion_parse", (field(s, "fusion", C.c_uint),)),
            ("recompute", "roof_recompute_parse", (field(s, "recompute", C.c_int),)),
            ("network", "roof_network_find", (machine._pointer, C.byref(s.network))),
        ]
        for name, function, places in readers:
            if named[name] is not None and not (name == "precision" and several):
                call(function, named[name], *places)

    def __del__(self) -> None:
        if lib is not None and hasattr(self, "axes"):
            lib.roof_model_axes_done(C.byref(self.axes))


def field(structure: Any, name: str, kind: Any) -> Any:
    """The address of a member."""
    return C.byref(kind.from_buffer(structure, getattr(type(structure), name).offset))


class ModelSweep:
    """A model over several values of its settings, in several precisions or on several machines.

    Attributes:
        sentence: how many runs fit, and which has the most tokens/s.
        points: a list of dictionaries, a run each, as the document has them.
    """

    def __init__(self, run: Run, machines: List[Machine]) -> None:
        self._run, self._machines = run, machines
        self._raw, choices = abi.roof_model_sweep(), abi.roof_model_precisions()
        call("roof_model_precisions_parse", run.precision, C.byref(run.settings.precision), C.byref(choices))
        self._choices = choices
        self._pointers = (C.POINTER(abi.roof_machine) * len(machines))(*[m._pointer for m in machines])
        parts = [C.byref(part) for part in (run.settings, run.axes, choices)]
        call("roof_model_sweep_of", C.byref(run.model), self._pointers, len(machines), *parts, C.byref(self._raw))
        self._document = document("roof_model_sweep_write", C.byref(self._raw))
        self.points: List[Dict[str, Any]] = self._document["points"]
        self.sentence = said("roof_model_sweep_sentence", C.byref(self._raw), first=True).splitlines()[0]

    def __len__(self) -> int:
        return len(self.points)

    def document(self) -> Dict[str, Any]:
        """What `roofline model batch=1..256*2 --json` prints: roofline.model_sweep/1."""
        return self._document

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: a row each run."""
        return pandas().json_normalize(self.points)

    def plot(self) -> Plot:
        """The times and rates over the axis that varies."""
        return Plot.of_curves("roof_model_sweep_chart", C.byref(self._raw))

    def _repr_svg_(self) -> str:
        return self.plot().svg

    def _repr_html_(self) -> str:
        times = {"TTFT": "ttft_seconds", "step": "step_seconds", "TPOT": "tpot_seconds"}
        times = {head: key for head, key in times.items() if any(p[key] is not None for p in self.points)}
        rate = "device_tokens_per_second" if "TPOT" in times else "prompt_tokens_per_second"
        rows = []
        for p in self.points:
            figures = [_time(_known(p, key)) for key in times.values()] + [f"{_known(p, rate):.4g}"]
            why = str(p["why"] or "") or ("does not fit" if p["fits"] is False else "")
            rows.append([p["machine"], p["label"], *([why] + [""] * len(times) if why else figures)])
        heads = ("machine", "run", *times, "tokens/s per device" if "TPOT" in times else "tokens/s")
        return f"<p><b>{html.escape(self.sentence)}</b></p>{drawn(self)}" + table(heads, rows)

    def __str__(self) -> str:
        return self.sentence

    def __del__(self) -> None:
        if lib is not None and hasattr(self, "_raw"):
            lib.roof_model_sweep_done(C.byref(self._raw))


def model(config: Config, *, machine: Machines = None, **settings: Any) -> Model:
    """Predicts a whole model on one machine: TTFT, TPOT, tokens/s, memory, and the time of every operation.

        >>> import roofline
        >>> m = roofline.model("llama-3.1-8b", batch=16, machine="h100")
        >>> m.fits, len(m.phases["decode"].operations)
        (True, 12)

    Args:
        config: a built-in name (`roofline.models()`), a config.json, a folder that holds one, or a GGUF file.
        machine: as of `roofline.predict`.
        **settings: of the run, in sequences and tokens: batch, prompt, generate, prefix, chunk, draft, accept, price ...; the
            plan: tp, pp, dp, ep, cp, microbatches, zero, sp=True, network; how it is stored and launched: precision
            ("fp8", "w4a16"), dtype (of activations), kv, mode, fuse, lenient=True; train=True with recompute; and
            the options of `roofline.predict`.

    Raises:
        Error: as the command says it. A model that does not fit is an answer: `fits`.
    """
    one = load_one("model", machine)
    run = Run(config, one, settings)
    _one_value(run)
    return Model(run, one)


def _one_value(run: Run) -> None:
    if run.axes.count > 0 or (run.precision is not None and b"/" in run.precision):
        raise refuse("model: several values; `roofline.model_sweep` takes lists and ranges")


def model_sweep(config: Config, *, machine: Machines = None, **settings: Any) -> ModelSweep:
    """As `roofline.model`, over lists and ranges of settings, precisions ("bf16/fp8" or a list) and machines.

        >>> import roofline
        >>> len(roofline.model_sweep("llama-3.1-8b", batch="1..64*2", machine="h100"))
        7
    """
    machines = load_all(machine)
    return ModelSweep(Run(config, machines[0], settings, several=len(machines) > 1), machines)


def models() -> Dict[str, Tuple[str, ...]]:
    """The built-in models by name, with their aliases."""
    found: Dict[str, Tuple[str, ...]] = {}
    while True:
        entry = lib.roof_model_entry_at(len(found))
        if entry.name is None:
            return found
        found[entry.name.decode()] = tuple(entry.aliases.decode().split())
