"""A model to serve: which machines and plan meet its limits, and how it stands a load."""

from __future__ import annotations

import ctypes as C
import html
import os
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from . import _abi as abi
from ._asked import Machines, members, option_list
from ._library import NAN, Text, call, document, lib, option, refuse, said, switch, texts, typed
from ._machines import Machine, load_all, load_one
from ._model import Config, Run, field
from ._plot import Plot
from ._predict import _time
from ._records import frame, pandas, record, scalars, table

#: What is typed of limits and of a load, by the library's own names.
LIMITS = members(abi.roof_plan_limits_text, C.c_char_p)
LOAD = tuple(name for name in members(abi.roof_service_text, C.c_char_p) if name not in ("prompt", "generate", "adapters", "rank", "slots", "adapter_skew"))
LOAD_SWITCHES = members(abi.roof_service_text, C.c_int)


def _limit(name: str, value: Any) -> Any:
    """A time's number is of seconds."""
    return f"{typed(value)}s" if name in ("ttft", "tpot") and value is not None and not isinstance(value, str) else value


def _taken(settings: Dict[str, Any], names: Sequence[str]) -> Dict[str, Optional[bytes]]:
    return {name: option(_limit(name, settings.pop(name))) for name in names if name in settings}


def _listed(settings: Dict[str, Any]) -> Optional[bytes]:
    """Takes prices of machines out, a dictionary or what lists them as text; None: one price of all, which is a setting."""
    price = settings.get("price")
    if isinstance(price, Mapping):
        price = ",".join(f"{name}={option_list(one)}" for name, one in price.items())
    words = option(price)
    if words is None or not lib.roof_prices_are_listed(words):
        return None
    settings["price"] = 0  # the offers have theirs
    return words


@dataclass(frozen=True)
class Choice:
    """So many of a machine in a precision, by the best of their plans. NaN: nothing fits, or no price is known."""

    machine: str
    precision: str
    devices: float
    result: str  #: "meets the limits", "too slow", "does not fit" or "not possible"
    why: str  #: why it fails; "" for one that meets them
    tp: float
    pp: float
    dp: float
    ep: float
    cp: float
    batch: float
    chunk: float  #: tokens of a prompt in a decoding step; 0: whole prompts between the steps
    ttft_seconds: float
    tpot_seconds: float
    device_tokens_per_second: float
    price_per_million_tokens: float  #: generated


class Plan:
    """Machines compared for a load and its limits, the best first. True where one meets the limits.

    Attributes:
        sentence: the answer in one line; as a text it is said in full.
        best: the cheapest `Choice` that meets the limits, without prices that of the fewest devices; None.
        choices: a list of `Choice`, a machine in a precision each: those that meet the limits, then the nearest of the others.
        launch: what starts the best by the name of an engine ("vllm"), with those that can.
    """

    def __init__(self, config: Config, machines: List[Machine], settings: Dict[str, Any]) -> None:
        limits = abi.roof_plan_limits_text(**_taken(settings, LIMITS))
        listed = _listed(settings)
        searched = _Searched(limits)
        self._machines, self._run = machines, Run(config, machines[0], settings, searched)
        prices = self._priced(listed)
        self._offers = (abi.roof_offer * len(machines))(*[abi.roof_offer(one._pointer, price.value) for one, price in zip(machines, prices)])
        self._raw, apart, served, simulated = abi.roof_choices(), abi.roof_apart(), abi.roof_service_answer(), C.c_bool()
        self._precisions = abi.roof_model_precisions()
        call("roof_model_precisions_parse", self._run.precision, C.byref(self._run.settings.precision), C.byref(self._precisions))
        parts = [C.pointer(one) for one in (self._run.model, self._run.settings, self._precisions)]
        self._question = abi.roof_choice_question(*parts, self._offers, len(machines), searched.limits)
        asked = self._asked = C.byref(self._question)
        call("roof_choices_of", asked, C.byref(self._raw))
        call("roof_apart_simulated_of", asked, C.byref(apart))
        call("roof_choices_simulate", asked, C.byref(self._raw), C.byref(served), C.byref(simulated))
        run = C.byref(served) if simulated.value else None
        d = self._document = document("roof_choices_simulated_write", asked, C.byref(self._raw), C.byref(apart), run, prices, os.fsencode(config))
        self._said = said("roof_choices_sentence", asked, C.byref(self._raw), first=True).strip()
        self.sentence = self._said.splitlines()[0]
        self.choices: List[Choice] = [record(Choice, one) for one in d["choices"]]
        self.best: Optional[Choice] = record(Choice, d["best"]) if d["best"] else None
        self.launch: Dict[str, str] = {engine: command for engine, command in d["launch"].items() if command}

    def _priced(self, listed: Optional[bytes]) -> Any:
        count = len(self._machines)
        prices = (abi.roof_listed_price * count)()
        if listed is None:
            call("roof_price_of_one", self._run.settings.price, count, prices)
        else:
            pointers = (C.POINTER(abi.roof_machine) * count)(*[one._pointer for one in self._machines])
            call("roof_catalog_prices", listed, pointers, count, prices)
        return prices

    def document(self) -> Dict[str, Any]:
        """What `roofline plan --json` prints: roofline.plan/1, with the front, two pools, and the best under its load."""
        return self._document

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: a row each choice."""
        return frame(self.choices, scalars(Choice))

    def plot(self) -> Plot:
        """The front: what a token costs over the time that it takes."""
        front, svg = abi.roof_front(), Text()
        lib.roof_choices_chart(self._asked, C.byref(self._raw), C.byref(front))
        call("roof_draw_front_svg", C.byref(front), 0, svg.address)
        return Plot(svg=svg)

    def _repr_svg_(self) -> str:
        return self.plot().svg

    def _repr_html_(self) -> str:
        rows = [
            [f"{c.devices:g}", c.machine, c.precision, c.why or f"tp {c.tp:g} pp {c.pp:g} dp {c.dp:g}", _time(c.ttft_seconds), _time(c.tpot_seconds)]
            for c in self.choices
        ]
        return f"<p><b>{html.escape(self.sentence)}</b></p>" + table(("devices", "machine", "precision", "plan", "TTFT", "TPOT"), rows)

    def __bool__(self) -> bool:
        return self.best is not None

    def __str__(self) -> str:
        return self._said


class _Searched:
    """Reads the settings of a search, and of its limits the users."""

    def __init__(self, typed: Any) -> None:
        self.limits = abi.roof_plan_limits()
        call("roof_plan_limits_read", C.byref(typed), C.byref(self.limits))

    def read(self, run: Run, words: List[str]) -> None:
        call("roof_plan_settings_read", C.byref(run.model), texts(words), len(words), C.byref(run.settings), C.byref(self.limits))


def plan(config: Config, *, machine: Machines = None, **settings: Any) -> Plan:
    """Which machine, how many, in which precision and parallel plan, for a load and its limits.

        >>> import roofline
        >>> p = roofline.plan("llama-3.1-70b", users=50, context="8k", tpot="80ms", ttft="5s", machine=["h100", "h200"])
        >>> bool(p), p.best.machine, "vllm" in p.launch
        (True, 'nvidia-h200-sxm', True)

    Args:
        config: as of `roofline.model`.
        machine: one or several to choose among.
        **settings: the load: users, or rate ("4/s"; a number is per second), context, generate; the limits: ttft, tpot (s, or
            "80ms"), percentile (90, "mean"), devices; price of a device and hour, of all {"h100": 2.5, "h200": 3.5}, or a file of them, energy_price;
            precision, several as "bf16/fp8" or a list; and the settings of `roofline.model`.

    Raises:
        Error: as the command says it. That nothing meets the limits is an answer.
    """
    if settings.get("train"):
        raise refuse("plan: of serving; `roofline.plan_training` searches plans of training", "ROOF_E_UNSUPPORTED")
    return Plan(config, load_all(machine), dict(settings))


@dataclass(frozen=True)
class Times:
    """A distribution over the requests, s; NaN: of nothing."""

    count: float
    mean_seconds: float
    p50_seconds: float
    p90_seconds: float
    p99_seconds: float
    max_seconds: float


@dataclass(frozen=True)
class Served:
    """One run of a service. Times of an overloaded one are NaN: they depend on how long it runs."""

    rate: float  #: requests/s; NaN: of a constant concurrency
    overloaded: bool
    ttft: Times
    tpot: Times
    itl: Times
    end_to_end: Times
    wait: Times
    requests_per_second: float
    tokens_per_second: float  #: generated
    goodput_per_second: float  #: requests that keep the limits; NaN without any
    utilisation: float
    decoding_sequences: float
    kv_mean: float
    kv_max: float
    preemptions: float
    cached_prompt_share: float
    price_per_million_tokens: float


_TIMES = ("ttft", "tpot", "itl", "end_to_end", "wait")


class Service:
    """A model as a service under load: `service[i]`, `len(service)`, `for run in service`, a run for each rate.

    Attributes:
        sentence: the answer in its first line.
        saturation_per_second: the rate beyond which the queue grows; NaN where no rate was asked about.
        limit_rate_per_second: the rate up to which 90 % of the requests keep the limits; NaN without limits too.
    """

    def __init__(self, config: Config, machine: Machine, settings: Dict[str, Any]) -> None:
        self._over_time = abi.roof_service_timeline() if settings.pop("timeline", False) else None
        self._load = abi.roof_service_text(**_taken(settings, LOAD), **{name: switch(name, settings.pop(name, False)) for name in LOAD_SWITCHES})
        drafter, listed = settings.pop("drafter", None), _listed(settings)
        self._words = _Words(self._load, option(settings.pop("engine", None)))
        self._machine, self._run = machine, Run(config, machine, settings, self._words)
        self._run.refuse_several("serve")
        if listed is not None:
            price = abi.roof_listed_price()
            call("roof_catalog_prices", listed, C.byref(machine._pointer), 1, C.byref(price))
            self._run.settings.price = price.value
        self._target, self._raw = abi.roof_model_target(), abi.roof_service_study()
        address = C.byref(self._raw)
        call("roof_service_target_init", C.byref(self._target), C.byref(self._run.model), machine._pointer, C.byref(self._run.settings))
        call("roof_service_study_init", address, C.byref(self._target), C.byref(self._load))
        self._address = address
        if drafter is not None:
            self._drafter = abi.roof_model()
            call("roof_model_load", os.fsencode(drafter), C.byref(self._drafter))
            call("roof_service_study_draft", address, C.byref(self._drafter))
        if self._over_time is not None:
            if self._raw.count != 1:
                raise refuse("timeline: of one rate")
            self._raw.settings.timeline = C.pointer(self._over_time)
        call("roof_service_study_run", address)
        self._document = document("roof_service_study_write", address)
        self.sentence = said("roof_service_study_sentence", address, first=True).strip()
        saturation, limit = (self._document[key] for key in ("saturation_per_second", "limit_rate_per_second"))
        self.saturation_per_second: float = NAN if saturation is None else saturation
        self.limit_rate_per_second: float = NAN if limit is None else limit
        self._runs: Tuple[Served, ...] = tuple(_served(one) for one in self._document["runs"])

    def document(self) -> Dict[str, Any]:
        """What `roofline serve --json` prints: roofline.service/1."""
        return self._document

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, index: int) -> Served:
        return self._runs[index]

    def __iter__(self) -> Iterator[Served]:
        return iter(self._runs)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: a row each rate."""
        return pandas().json_normalize(self._document["runs"], sep="_")

    def plot(self) -> Plot:
        """TTFT and TPOT over the rate; of one rate with `timeline=True` the queue, the batch and the cache over time."""
        return Plot.of_curves("roof_service_study_chart", self._address)

    def _repr_html_(self) -> str:
        rows = [[name, *[_time(getattr(getattr(run, name), f"{part}_seconds")) for part in ("p50", "p90", "p99", "mean")]] for run in self for name in _TIMES]
        if len(self) > 1:
            rows = [[f"{run.rate:g}", *[_time(time) for t in (run.ttft, run.tpot) for time in (t.p50_seconds, t.p99_seconds)]] for run in self]
        heads = ("requests/s", "TTFT", "99 %", "TPOT", "99 %") if len(self) > 1 else ("", "50 %", "90 %", "99 %", "mean")
        return f"<p><b>{html.escape(self.sentence)}</b></p>" + table(heads, rows)

    def __str__(self) -> str:
        return self.sentence

    def __del__(self) -> None:
        if lib is not None and hasattr(self, "_address"):
            lib.roof_service_study_done(self._address)


class _Words:
    """Reads the settings of a service, whose lengths may be distributions: the load points into these words."""

    def __init__(self, load: Any, engine: Optional[bytes]) -> None:
        self._load, self._engine = load, engine
        self._list: Any = None

    def read(self, run: Run, words: List[str]) -> None:
        self._list = texts(words)
        if self._engine is not None:
            call("roof_memory_rule_parse", self._engine, field(run.settings, "memory_rule", C.c_int))
        call("roof_service_settings_read", self._list, len(words), C.byref(run.settings), C.byref(self._load))
        call("roof_model_settings_check", C.byref(run.model), C.byref(run.settings), run.machine, False, None)


def _served(one: Mapping[str, Any]) -> Served:
    return record(Served, one, **{name: record(Times, one[name]) for name in _TIMES})


def serve(config: Config, *, machine: Machines = None, **settings: Any) -> Service:
    """Runs a model as a service, event by event on the predicted steps: the queue, TTFT and TPOT and their tails, the rate that is too much.

        >>> import roofline
        >>> s = roofline.serve("llama-3.1-8b", rate=4, requests=500, prompt=1024, generate=256, machine="h100")
        >>> s[0].overloaded, s[0].ttft.p50_seconds < s[0].ttft.p99_seconds, s.saturation_per_second > 4
        (False, True, True)

    Args:
        config: as of `roofline.model`.
        machine: one.
        **settings: the load as options of `roofline serve`: rate (several as "1..16*2" or [1, 2, 4]), concurrency, requests, seed, arrivals,
            burstiness, trace, turns, route, prefill, engine, timeline=True (of one rate) ...; the limits of the goodput ttft and tpot; drafter; prompt and generate, also as
            distributions ("lognormal:1024:0.8"); and the settings of `roofline.model`.

    Raises:
        Error: as the command says it.
    """
    return Service(config, load_one("serve", machine), dict(settings))
