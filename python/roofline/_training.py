"""Plans of training: how so many devices share a step, and how long the run takes."""

from __future__ import annotations

import ctypes as C
import html
from dataclasses import dataclass
from math import isnan
from typing import Any, Dict, List, Mapping, Optional

from . import _abi as abi
from ._asked import Machines
from ._library import NAN, call, document, lib, option, said, texts
from ._machines import Machine, load_one
from ._model import Config, Run
from ._predict import _time
from ._records import frame, record, scalars, table

FAILURES = ("mtbf", "checkpoint_rate")


@dataclass(frozen=True)
class TrainingPlan:
    """A way to share a training step among the devices, as expected; the time of a whole run is NaN where its tokens are not said."""

    tp: float
    pp: float
    dp: float
    ep: float
    sp: bool
    zero: float
    recompute: str
    micro_batch: float  #: sequences of a microbatch
    microbatches: float
    seconds: float  #: of a step
    device_tokens_per_second: float
    mfu: float  #: of the dense peak, mean of all devices
    total_bytes: float  #: of one device
    days: float  #: of the run, without failures
    price: float  #: of the run, without failures


class TrainingPlans:
    """What a search of training plans found: those that fit and no other is faster and smaller than, the fastest first. True where one fits.

    Attributes:
        sentence: what was tried, in one line; as a text the best follows.
        best: the fastest `TrainingPlan`; None where nothing fits.
        plans: a list of `TrainingPlan`.
        lost: share of a run's time that failures and checkpoints take; NaN where its tokens are not said.
    """

    def __init__(self, config: Config, machine: Machine, settings: Dict[str, Any]) -> None:
        devices, limits = settings.pop("devices", None), abi.roof_plan_limits()
        typed = [option(settings.pop(name, None)) for name in FAILURES]
        typed_limits = abi.roof_plan_limits_text(devices=option(devices))
        call("roof_plan_limits_read", C.byref(typed_limits), C.byref(limits))
        failing = lib.roof_failure_settings_default()
        call("roof_failure_settings_read", *typed, C.byref(failing))
        self._machine, self._run = machine, Run(config, machine, {**settings, "train": True}, _Words(limits))
        self._run.refuse_several("plan_training")
        node = self._run.settings.node
        self._count = limits.devices if limits.devices > 0 else lib.roof_node_devices(machine._pointer) if isnan(node) else node
        self._front = abi.roof_train_front()
        asked = [C.byref(self._run.model), machine._pointer, C.byref(self._run.settings), self._count]
        call("roof_train_search", *asked, C.byref(self._front))
        failures = self._failures(failing)
        d = self._document = document("roof_train_plans_write", *asked, C.byref(self._front), failures)
        self._said = said("roof_train_plans_sentence", *asked, C.byref(self._front), failures, first=True).strip()
        self.sentence = self._said.splitlines()[0]
        self.plans: List[TrainingPlan] = [_plan(one) for one in d["front"]]
        self.best: Optional[TrainingPlan] = _plan(d["best"]) if d["best"] else None
        self.lost: float = d["failures"]["lost"] if d["failures"] else NAN

    def _failures(self, failing: Any) -> Any:
        """Of the fastest plan's run; None where there is none."""
        if self._front.count == 0 or not self._run.settings.tokens > 0:
            return None
        parameters = lib.roof_model_trained(C.byref(self._run.model), C.byref(self._run.settings))
        return C.byref(lib.roof_failures_of(C.byref(failing), parameters, self._count, self._front.best.training.seconds))

    def document(self) -> Dict[str, Any]:
        """What `roofline plan --train --json` prints: roofline.train_plans/1."""
        return self._document

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: a row each plan."""
        return frame(self.plans, scalars(TrainingPlan))

    def _repr_html_(self) -> str:
        rows = [
            [f"tp {p.tp:g} pp {p.pp:g} dp {p.dp:g}", f"{p.zero:g}", p.recompute, _time(p.seconds), f"{p.device_tokens_per_second:,.0f}", f"{p.mfu:.1%}", f"{p.total_bytes / 2**30:.4g} GiB"]
            for p in self.plans
        ]
        heads = ("plan", "ZeRO", "recompute", "step", "tokens/s per device", "MFU", "memory")
        return f"<p><b>{html.escape(self.sentence)}</b></p>" + table(heads, rows)

    def __bool__(self) -> bool:
        return self.best is not None

    def __str__(self) -> str:
        return self._said


class _Words:
    """Reads the settings of a search."""

    def __init__(self, limits: Any) -> None:
        self._limits = limits

    def read(self, run: Run, words: List[str]) -> None:
        call("roof_plan_settings_read", C.byref(run.model), texts(words), len(words), C.byref(run.settings), C.byref(self._limits))


def _plan(one: Mapping[str, Any]) -> TrainingPlan:
    run = one["training"] or {"days": None, "price": None}
    return record(TrainingPlan, {**run, **one})


def plan_training(config: Config, *, machine: Machines = None, **settings: Any) -> TrainingPlans:
    """How so many devices share a training step best, in a step's time and in memory; with `tokens` also how long the run takes.

        >>> import roofline
        >>> p = roofline.plan_training("llama-3.1-8b", devices=16, batch=64, tokens="100G", machine="h100")
        >>> bool(p), p.best.tp * p.best.pp * p.best.dp, p.best == p.plans[0]
        (True, 16, True)

    Args:
        config: as of `roofline.model`.
        machine: one.
        **settings: devices (those of a node if not said), batch (sequences of a step; one each device if not said), context, tokens of the whole run,
            interleave, lora, price of a device and hour; with tokens mtbf (hours between failures of one device) and checkpoint_rate
            ("1GB/s", of one device); and the settings of `roofline.model`.

    Raises:
        Error: as the command says it. That nothing fits is an answer.
    """
    return TrainingPlans(config, load_one("plan", machine), dict(settings))
