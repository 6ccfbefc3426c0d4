"""Is a claimed speed possible? What does a term mean?"""

from __future__ import annotations

import ctypes as C
import shlex
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional

from . import _abi as abi
from ._asked import FORMATS, OPTIONS, SWITCHES, Asked, Machines, Operation, Shape, formats_of, nearest, options_of, target_of, words_of
from ._library import Error, call, document, lib, refuse, text, texts
from ._machines import load_one


@dataclass(frozen=True)
class Claim:
    """A claim against its limit.

    Attributes:
        possible: whether the limit allows it; None where the limit, an assumed one, may be wrong. `if roofline.claim(...)`
            asks whether it is True.
        because: the answer in one sentence.
        fraction: of the limit that is claimed.
        verdict: the band that the fraction lies in.
    """

    possible: Optional[bool]
    because: str
    fraction: float
    verdict: str
    _document: Mapping[str, Any] = field(repr=False, compare=False)

    def document(self) -> Dict[str, Any]:
        """What `roofline claim --json` prints: roofline.claim/1, or roofline.model_claim/1 of a model."""
        return dict(self._document)

    def __bool__(self) -> bool:
        return self.possible is True

    def __str__(self) -> str:
        return self.because


def _is_model(word: str) -> bool:
    found = C.POINTER(abi.roof_op)()
    known = lib.roof_op_find(word.encode(), C.byref(found), None) == abi.ROOF_OK
    return not known and bool(lib.roof_model_is(word.encode()))


def claim(claimed: str, *, machine: Machines = None, **options: Any) -> Claim:
    """Judges whether a claimed speed, bandwidth or time is possible.

        >>> import roofline
        >>> roofline.claim("1700TFLOP/s", machine="h100", dtype="fp16").possible
        False
        >>> roofline.claim("gemm m=8192 n=8192 k=8192 1500us", machine="h100", dtype="fp16").possible
        True

    Args:
        claimed: the words of `roofline claim`: a quantity whose unit says what is claimed (FLOP/s, B/s, s, % of the peak),
            of the machine, or of an operation or a model that is named with its shape
            ("llama-3.1-70b tp=4 batch=16 tpot=18ms").
        machine: as of `roofline.predict`.
        **options: dtype, and the options of `roofline.predict`.

    Raises:
        Error: for words that claim nothing, or that make no sense together. An impossible claim is an answer.
    """
    words = words_of(claimed)
    _known(options)
    if words and _is_model(words[0]):
        return _claim_of_model(words, machine, options)
    listed = texts(words)
    name = lib.roof_claim_operation(listed, len(words))
    operation = Operation(text(name), options.get("ops")) if name else None
    said = abi.roof_claim()
    call("roof_claim_parse", C.byref(said), operation.pointer if operation else None, listed, len(words))
    target = target_of("claim", machine, options)
    if operation:
        idle = target.typed & ~lib.roof_typed_used(target.typed, target.address, operation.pointer, said.values)
        call("roof_typed_refuse", idle, operation.pointer.contents.name)
    judged = abi.roof_claim_judged()
    call("roof_claim_judge", target.address, C.byref(said), C.byref(judged))
    return _judged(document("roof_claim_write", target.address, C.byref(said), C.byref(judged)))


def _judged(answer: Dict[str, Any]) -> Claim:
    return Claim(answer["possible"], answer["because"], answer["fraction"], answer["verdict"], answer)


def _known(options: Mapping[str, Any]) -> None:
    """Refuses options that are none, with the nearest."""
    names = [*FORMATS, *OPTIONS, *SWITCHES, "ops"]
    for name in options:
        if name not in names:
            near = nearest(name, names)
            raise refuse(f"option `{name}`: unknown" + (f"; did you mean `{near}`?" if near else ""), "ROOF_E_NAME")


def _claim_of_model(words: List[str], machine: Machines, options: Mapping[str, Any]) -> Claim:
    formats, typed, wanted = formats_of(options), options_of(options), abi.roof_options()
    call("roof_options_read", C.byref(typed), C.byref(wanted))
    whole = C.POINTER(abi.roof_whole)()
    call("roof_whole_read", texts(words), len(words), C.byref(formats), C.byref(wanted), True, C.byref(whole))
    try:
        one = load_one("claim", machine)
        run = whole.contents
        if run.claim.value != run.claim.value:
            raise refuse(f"claim: what is claimed of {words[0]}? ttft=80ms, tpot=18ms, 5000tokens/s, step=14s, mfu=45%")
        judged = abi.roof_model_judged()
        call("roof_whole_judge", whole, one._pointer, C.byref(judged))
        return _judged(document("roof_model_claim_write", C.byref(run.target), C.byref(run.claim), C.byref(judged)))
    finally:
        lib.roof_whole_free(whole)


@dataclass(frozen=True)
class Explanation:
    """What a term means, and that worked on numbers. `worked` "": there is nothing to compute."""

    topic: str
    text: str
    worked: str
    _document: Mapping[str, Any] = field(repr=False, compare=False)

    def document(self) -> Dict[str, Any]:
        """What `roofline explain --json` prints: roofline.explanation/1."""
        return dict(self._document)

    def __str__(self) -> str:
        return self.text + ("\n\n" + self.worked.rstrip("\n") if self.worked else "")


def topics() -> Dict[str, str]:
    """Every topic of `roofline.explain` with a line of what it is."""
    found: Dict[str, str] = {}
    while True:
        topic = lib.roof_topic_at(len(found))
        if not topic:
            return found
        found[text(topic.contents.name)] = text(topic.contents.summary)


def _find(words: List[str], found: C._Pointer[abi.roof_topic]) -> List[str]:
    """Finds the topic that the first word names, or the first two ("critical batch"): as one word in what it returns."""
    try:
        call("roof_topic_find", " ".join(words[:2]).encode(), C.byref(found))
        return [" ".join(words[:2]), *words[2:]]
    except Error:
        call("roof_topic_find", words[0].encode(), C.byref(found))
        return words


def explain(topic: str, *, machine: Machines = "h100", **options: Any) -> Explanation:
    """What a term means, worked on a machine's numbers.

        >>> import roofline
        >>> print(roofline.explain("ridge", machine="h100").text.splitlines()[0][:46])
        The intensity at which the two ceilings meet: 

    Args:
        topic: a topic of `roofline.topics()` or an operation's name; an operation with its shape may follow, to work it
            on ("critical-batch linear batch=1 in=4096 out=4096").
        machine: as of `roofline.predict`; by default an example.
        **options: dtype, and the options of `roofline.predict`.
    """
    words = words_of(topic) or [""]
    _known(options)
    found = C.POINTER(abi.roof_topic)()
    try:
        words = _find(words, found)
    except Error:
        try:
            Operation(words[0], options.get("ops"))
        except Error:
            pass
        else:
            return _explained(None, Asked(" ".join(words), options), machine)
        raise
    example = [text(word) for word in found.contents.example if word]
    own = found.contents.own
    asked = Asked(shlex.join(([text(own.contents.name)] if own else []) + (words[1:] or example)), options)
    return _explained(found, asked, machine, own)


def _explained(topic: Any, asked: Asked, machine: Machines, own: Any = None) -> Explanation:
    operation = _Own(own) if own else Operation(asked.name, asked.file)
    shape = Shape(operation, asked.words)
    target = target_of("explain", machine, asked.options)
    raw = abi.roof_explanation()
    call("roof_explain", target.address, topic, shape.address, C.byref(raw))
    answer = document("roof_explanation_write", target.address, C.byref(raw))
    lib.roof_explanation_done(C.byref(raw))
    return Explanation(answer["topic"], answer["text"], answer["worked"] or "", answer)


class _Own(Operation):
    """The parameters of a topic, which are no operation's."""

    def __init__(self, pointer: Any) -> None:
        self.pointer = pointer
        self.parameters = self._parameters()

    def __del__(self) -> None:
        pass
