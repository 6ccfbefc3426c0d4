"""The sealed record: predictions before they are measured, measurements, and what became of both."""

from __future__ import annotations

import ctypes as C
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _abi as abi
from ._library import call, document, lib, refuse, said, text, texts, typed
from ._model import Model
from ._predict import Prediction, Predictions
from ._records import frame, record, scalars


@dataclass(frozen=True)
class Reconciled:
    """A prediction and its measurement. Times in s; NaN: unknown."""

    label: str
    predicted_seconds: float
    measured_seconds: float
    lower_seconds: float
    regime: str
    binding: str
    fraction_of_ceiling: float
    headroom: float  #: attainable / achieved, times
    gap: float  #: points under what was expected
    verdict: str
    because: str


class Reconciliation:
    """What became of the predictions of a ledger.

    Attributes:
        entries: a list of `Reconciled`, in the order that the labels first appear.
        unmatched_predictions, unmatched_measurements: labels.
        sentence: the answer in one sentence.
    """

    def __init__(self, path: bytes, latest: bool) -> None:
        raw = abi.roof_reconcile()
        call("roof_ledger_reconcile", path, latest, C.byref(raw))
        self._document = document("roof_reconcile_write", C.byref(raw), path)
        self.sentence = said("roof_reconcile_sentence", C.byref(raw)).strip()
        lib.roof_reconcile_done(C.byref(raw))
        self.entries = [record(Reconciled, one) for one in self._document["entries"]]
        self.unmatched_predictions: List[str] = self._document["unmatched"]["predictions"]
        self.unmatched_measurements: List[str] = self._document["unmatched"]["measurements"]

    def document(self) -> Dict[str, Any]:
        """What `roofline reconcile --json` prints: roofline.reconcile/1, with the causes."""
        return self._document

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: a row each label."""
        return frame(self.entries, scalars(Reconciled))

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Verification:
    """What a ledger that holds consists of."""

    entries: int
    predictions: int
    measurements: int
    signatures: int
    head: str  #: SHA-256 of the last line: what to publish
    sentence: str


class Ledger:
    """An append-only, hash-chained file of predictions and measurements.

        >>> import os, tempfile, roofline
        >>> ledger = roofline.Ledger(os.path.join(tempfile.mkdtemp(), "roofline.ledger"))
        >>> p = roofline.predict("gemm", m=4096, n=4096, k=4096, dtype="fp16", machine="h100")
        >>> ledger.seal(p, label="ffn")
        ['ffn']
        >>> ledger.record("ffn", seconds=220e-6)
        >>> ledger.reconcile().entries[0].regime
        'compute'

    Args:
        path: of the file, which sealing makes.
        key: file of a secret key that signs the entries (`roofline ledger keygen`).
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"] = "roofline.ledger", *, key: Optional[str] = None) -> None:
        self.path = os.fspath(path)
        self._path = os.fsencode(path)
        self._key = os.fsencode(key) if key else None

    def _how(self, unsealed: bool = False) -> Any:
        commit = C.create_string_buffer(abi.DIGEST_MAX)
        call("roof_ledger_commit", commit)
        return C.byref(abi.roof_ledger_options(commit=commit.value, key=self._key, unsealed=unsealed))

    def seal(self, *predictions: Union[Prediction, Model], label: Optional[str] = None, mine: Union[str, float, None] = None) -> List[str]:
        """Appends predictions, before anything is measured; gives the labels that their measurements carry.

        Args:
            label: of the one prediction; else operation, parameters and format; of a model its name with TTFT or TPOT.
            mine: your own prediction, graded by `reconcile`: a share of the ceiling ("70%") or a time ("5ms").
        """
        sealings = abi.roof_sealings()
        try:
            for one in predictions:
                _gather(one, sealings)
            if label is not None and sealings.count != 1:
                raise refuse(f"label {label}: one label, but {sealings.count} predictions")
            if label is not None:
                call("roof_sealing_name", sealings.list, label.encode())
            lib.roof_sealings_name_machines(C.byref(sealings))
            if mine is not None:
                call("roof_sealings_mine", C.byref(sealings), typed(mine).encode())
            call("roof_ledger_seal", self._path, sealings.list, sealings.count, self._how())
            return [text(one.label) for one in sealings.list[: sealings.count]]
        finally:
            lib.roof_sealings_done(C.byref(sealings))

    def record(
        self,
        label: str,
        *,
        seconds: Optional[float] = None,
        samples: Optional[Sequence[float]] = None,
        flops: Optional[float] = None,
        bytes: Optional[float] = None,
        machine: Optional[str] = None,
        dtype: Optional[str] = None,
        counters: Optional[Mapping[str, float]] = None,
        unsealed: bool = False,
    ) -> None:
        """Appends a measurement of what was sealed under `label`.

        Args:
            seconds, samples: s per call; of samples the median counts.
            flops, bytes: per call, where they were counted.
            counters: what a profiler counted, as shares: {"occupancy": 0.3}.
            unsealed: take one that no prediction came before, and mark it.
        """
        words = [f"{name}={typed(value)}" for name, value in (("seconds", seconds), ("flops", flops), ("bytes", bytes), ("machine", machine), ("dtype", dtype)) if value is not None]
        if samples is not None:
            words.append("samples=" + ",".join(typed(one) for one in samples))
        measurements = abi.roof_measurements()
        try:
            call("roof_measurements_add_words", C.byref(measurements), label.encode(), texts(words), len(words))
            if counters:
                call("roof_measurements_count", C.byref(measurements), texts([f"{name}={typed(value)}" for name, value in counters.items()]))
            call("roof_ledger_record", self._path, measurements.list, measurements.count, self._how(unsealed))
        finally:
            lib.roof_measurements_done(C.byref(measurements))

    def reconcile(self, latest: bool = False) -> Reconciliation:
        """Matches the first prediction of each label (`latest`: the last) with the first measurement after it."""
        return Reconciliation(self._path, latest)

    def verify(self, key: Optional[str] = None) -> Verification:
        """Recomputes the chain and checks every signature; with `key`, the file of a public key, every prediction must be signed by it.

        Raises:
            Error: status "ROOF_E_GATE", with the number of the first bad entry as line.
        """
        raw = abi.roof_ledger_summary()
        call("roof_ledger_verify", self._path, os.fsencode(key) if key else None, C.byref(raw))
        sentence = said("roof_ledger_sentence", self._path, C.byref(raw)).splitlines()[0]
        return Verification(raw.entries, raw.predictions, raw.measurements, raw.signatures, text(raw.head), sentence)

    def entries(self) -> Tuple[Dict[str, Any], ...]:
        """The entries, as roofline.ledger/1 has them."""
        return tuple(document("roof_ledger_write", self._path)["entries"])

    def __repr__(self) -> str:
        return f"<Ledger {self.path}>"


def _gather(one: Union[Prediction, Model], sealings: Any) -> None:
    if isinstance(one, Model):
        first = sealings.count
        run = (C.byref(one._target), C.byref(one._answer))
        call("roof_model_check_fit", *run, b"precision")
        call("roof_model_served_sealings", *run, C.byref(sealings))
        for i in range(first, sealings.count):
            call("roof_sealing_complete", C.byref(sealings.list[i]), one._machine._pointer)
        return
    if isinstance(one, Predictions):
        raise refuse(f"seal: {len(one)} predictions in one; `seal(*predictions)` seals each")
    target, operation, values, raw = one._made_of
    sealing = abi.roof_sealing()
    call("roof_sealing_of", target.address, operation.pointer, values, C.byref(raw), C.byref(sealing))
    call("roof_sealings_add", C.byref(sealings), C.byref(sealing))
