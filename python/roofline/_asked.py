"""From keyword arguments to what the library takes: an operation, its shape, a machine with formats and options."""

from __future__ import annotations

import ctypes as C
import os
import shlex
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _abi as abi
from ._library import call, lib, option, refuse, switch, text, texts, typed
from ._machines import Machine, MachineLike, load_all, load_one


def members(structure: Any, kind: Any) -> Tuple[str, ...]:
    """The members of a structure that are of a kind."""
    return tuple(name for name, type_ in structure._fields_ if type_ is kind)


#: What is typed of a prediction, by the library's own names.
FORMATS = members(abi.roof_formats, C.c_char_p)
OPTIONS = members(abi.roof_options_text, C.c_char_p)
SWITCHES = members(abi.roof_options_text, C.c_int)

#: All keyword arguments of a prediction but its parameters.
KEYWORDS = (*FORMATS, *OPTIONS, *SWITCHES, "machine", "ops")

Scalar = Union[str, float, bool, None]
Machines = Union[MachineLike, Sequence[MachineLike], None]


def words_of(asked: Any) -> List[str]:
    """What is asked as words: taken apart as a shell does, or as they are in a list; a number is the one word that it is typed as."""
    if isinstance(asked, str):
        return shlex.split(asked)
    return [typed(one) for one in (asked if isinstance(asked, (list, tuple)) else [asked])]


def nearest(name: str, names: Sequence[str]) -> Optional[str]:
    """The name that is meant, as the command suggests it."""
    near = lib.roof_suggest(name.encode(), texts(names))
    return text(near) if near else None


class Operation:
    """An operation by name: built in, or of a user's file, which lives as long as this object."""

    def __init__(self, name: str, file: Optional[Any] = None) -> None:
        self.pointer = C.POINTER(abi.roof_op)()
        self._file = abi.roof_userops()
        if file is not None:
            call("roof_userops_load", os.fsencode(file), C.byref(self._file))
        call("roof_userops_find", C.byref(self._file), int(file is not None), name.encode(), C.byref(self.pointer))
        self.parameters = self._parameters()

    def _parameters(self) -> List[str]:
        count = lib.roof_op_param_count(self.pointer)
        return [self.pointer.contents.params[i].name.decode() for i in range(count)]

    def __del__(self) -> None:
        if lib is not None and hasattr(self, "_file"):
            lib.roof_userops_done(C.byref(self._file))


class Asked:
    """An operation's name with the words after it, and the options, taken apart."""

    def __init__(self, words: str, arguments: Mapping[str, Any]) -> None:
        first, *rest = words_of(words) or [""]
        self.options: Dict[str, Any] = {name: value for name, value in arguments.items() if name in (*FORMATS, *OPTIONS, *SWITCHES)}
        self.parameters = {name.rstrip("_"): value for name, value in arguments.items() if name not in self.options and name != "ops" and value is not None}
        self.name = first
        self.words = rest
        self.file = arguments.get("ops")

    def all_words(self) -> List[str]:
        return self.words + [f"{name}={option_list(value)}" for name, value in self.parameters.items()]


def option_list(value: Any) -> str:
    """A parameter as it is typed: a value, or several with commas between them."""
    if hasattr(value, "tolist"):  # numpy's and pandas'
        value = value.tolist()
    return ",".join(typed(one) for one in value) if isinstance(value, (list, tuple, range)) else typed(value)


def formats_of(options: Mapping[str, Any]) -> Any:
    return abi.roof_formats(**{name: option(options.get(name)) for name in FORMATS})


def options_of(options: Mapping[str, Any]) -> Any:
    named = {name: option(options.get(name)) for name in OPTIONS}
    return abi.roof_options_text(**named, **{name: switch(name, options.get(name)) for name in SWITCHES})


class Target:
    """A machine with formats and options, resolved once for many predictions."""

    def __init__(self, machine: Machine, options: Mapping[str, Any]) -> None:
        formats, wanted = formats_of(options), options_of(options)
        self.machine = machine
        self.types, self.options, self.raw = abi.roof_types(), abi.roof_options(), abi.roof_target()
        self._kept = (formats, wanted)  # the link's name lies there
        call("roof_formats_read", C.byref(formats), machine._pointer, C.byref(self.types))
        call("roof_options_read", C.byref(wanted), C.byref(self.options))
        call("roof_target_init", C.byref(self.raw), machine._pointer, C.byref(self.types), C.byref(self.options))
        self.address = C.byref(self.raw)
        self.typed: int = lib.roof_typed_of(C.byref(formats), C.byref(wanted))

    @property
    def dtype(self) -> str:
        name: bytes = lib.roof_dtype_name(self.types.compute)
        return name.decode()


def target_of(what: str, machine: Machines, options: Mapping[str, Any]) -> Target:
    return Target(load_one(what, machine), options)


def targets_of(machine: Machines, options: Mapping[str, Any]) -> List[Target]:
    """Each machine, once for each dtype where there is a list of them."""
    dtypes = options.get("dtype")
    each = dtypes if isinstance(dtypes, (list, tuple)) else [dtypes]
    return [Target(one, {**options, "dtype": dtype}) for one in load_all(machine) for dtype in each]


class Targets:
    """Several targets as the library takes them together."""

    def __init__(self, targets: List[Target]) -> None:
        self.list = targets
        self._machines = (C.POINTER(abi.roof_machine) * len(targets))(*[t.machine._pointer for t in targets])
        self._targets = (abi.roof_target * len(targets))(*[t.raw for t in targets])
        pointers = C.cast(self._machines, C.POINTER(C.POINTER(abi.roof_machine)))
        self.first = C.cast(self._targets, C.POINTER(abi.roof_target))
        self.raw = abi.roof_targets(pointers, self.first, len(targets), targets[0].typed)
        self.address = C.byref(self.raw)


class Shape:
    """The points that words and parameters say."""

    def __init__(self, operation: Operation, words: Sequence[str]) -> None:
        self.raw = abi.roof_shape()
        self.operation = operation
        self._words = [word.encode() for word in words]
        pointers = (C.c_char_p * (len(words) + 1))(*self._words, None)
        call("roof_shape_parse", C.byref(self.raw), operation.pointer, pointers, len(words), None)
        self.address = C.byref(self.raw)

    def point(self, index: int = 0) -> Any:
        values = (C.c_double * abi.PARAM_MAX)()
        call("roof_shape_point", self.address, index, values)
        return values

    def __del__(self) -> None:
        if lib is not None and hasattr(self, "address"):
            lib.roof_shape_done(self.address)


def shape_of(operation: Operation, asked: Asked) -> Shape:
    """The points asked about; what is no parameter, but nearly another keyword, is refused."""
    for name in asked.parameters:
        short = len(name) < 3  # as parameters are, of which the library names all
        meant = None if short or name in operation.parameters else nearest(name, [*operation.parameters, *KEYWORDS])
        if meant in KEYWORDS:
            raise refuse(f"`{name}`: unknown; did you mean `{meant}`?", "ROOF_E_NAME")
    return Shape(operation, asked.all_words())


def question(what: str, asked: Asked, machine: Machines) -> Tuple[Shape, Targets]:
    """A shape on machines, with what has no effect on any point refused."""
    shape = shape_of(Operation(asked.name, asked.file), asked)
    targets = Targets(targets_of(machine, asked.options))
    call("roof_targets_check", targets.address, shape.address)
    return shape, targets


def single(what: str, shape: Shape) -> None:
    """Refuses several points."""
    if shape.raw.points > 1:
        several = shape.operation.parameters[shape.raw.axes[0].param]
        raise refuse(f"{several}: has several values; `roofline.sweep` takes lists and ranges")
