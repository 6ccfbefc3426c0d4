"""The shared libraries: found, loaded, called; their errors as exceptions."""

from __future__ import annotations

import ctypes as C
import json
import os
import threading
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Union

from . import _abi as abi

NAN = float("nan")


class Error(Exception):
    """What the library refused, in its one line `what: why`, with the nearest valid name where a name was wrong.

    Attributes:
        message: the line, without the file.
        status: the library's code, "ROOF_E_NAME".
        exit_code: what the command ends with in the same case: 1 a gate failed, 2 bad input, 3 not possible here,
            4 an internal fault.
        file, line, column: where in a file; "" and 0 where there is none.
    """

    def __init__(self, message: str, status: str, exit_code: int, file: str = "", line: int = 0, column: int = 0) -> None:
        where = ":".join([file, *(str(number) for number in (line, column) if number > 0)]) + ": " if file else ""
        super().__init__(where + message)
        self.message = message
        self.status = status
        self.exit_code = exit_code
        self.file = file
        self.line = line
        self.column = column


def _candidates(file: str) -> Iterator[str]:
    """Where a library may be: next to this package (a wheel), in the folder `lib` that the package is installed below, where the loader looks."""
    here = Path(__file__).absolute().parent
    folders = [here]
    if len(here.parents) > 3:
        library = here.parents[2]
        folders += [library, *sorted(library.glob("*-linux-*")), here.parents[3] / "lib64"]
    yield from (str(folder / file) for folder in folders if (folder / file).exists())
    yield file


def load(name: str) -> C.CDLL:
    """Loads `libNAME.so`.

    Raises:
        ImportError: where it is nowhere.
    """
    file = f"lib{name}.so.{abi.SOVERSION}"
    for path in _candidates(file):
        try:
            return C.CDLL(path)
        except OSError as error:
            reason = error
    raise ImportError(f"roofline: {file}: neither next to the package nor where the loader looks: {reason}")


class Library:
    """Every function of include/roofline/*.h by its name, with the types that the headers give it."""

    def __init__(self, name: str) -> None:
        self._loaded = load(name)
        self._bound: Dict[str, Callable[..., Any]] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = self._bound.get(name)
        if function is None:
            function = self._loaded[name]
            function.restype, function.argtypes = abi.FUNCTIONS[name]
            self._bound[name] = function
        return function


lib = Library("roofline")
if lib.roof_version_number() != abi.VERSION:
    raise ImportError(f"roofline: the library is {lib.roof_version().decode()}, this package is of another version: install both of one")

_STATUS = {value: name for name, value in vars(abi).items() if name == "ROOF_OK" or name.startswith("ROOF_E_")}
_errors = threading.local()


def error_of(status: int, error: Any) -> Error:
    """The exception of a call that failed."""
    return Error(
        error.message.decode(errors="replace"), _STATUS[status], lib.roof_status_exit_code(status), error.file.decode(errors="replace"), error.line, error.column
    )


def refuse(message: str, status: str = "ROOF_E_ARGUMENT") -> Error:
    """An exception of this package's own, in the library's words."""
    return Error(message, status, lib.roof_status_exit_code(getattr(abi, status)))


def call(function: str, *arguments: Any) -> None:
    """Calls a function that returns a status and takes an error last."""
    error = getattr(_errors, "error", None)
    if error is None:
        error = _errors.error = abi.roof_error()
    status = int(getattr(lib, function)(*arguments, C.byref(error)))
    if status != abi.ROOF_OK:
        raise error_of(status, error)


def text(value: Any) -> str:
    """A text of the library's."""
    return "" if value is None else str(value, "utf-8", "replace")


def option(value: Any) -> Optional[bytes]:
    """A value as it is typed behind an option: None is not said, numbers are written in full, lists with commas."""
    if value is None or value is False:
        return None
    if isinstance(value, (list, tuple)):
        return ",".join(typed(one) for one in value).encode()
    return typed(value).encode()


def switch(name: str, value: Any) -> int:
    """An option without a value: on or off; None is not said."""
    if value in (None, True, False):
        return int(bool(value))
    raise refuse(f"{name}: must be true or false")


def typed(value: Union[str, "os.PathLike[str]", float]) -> str:
    """A value as it is typed: 4096, "4k", 1.5, True as 1."""
    if isinstance(value, (str, os.PathLike)):
        path: str = os.fspath(value)
        return path
    if isinstance(value, bool):
        return str(int(value))
    number = float(value)
    if number.is_integer() and abs(number) < 1e18:
        return str(int(number))
    return repr(number)


def texts(values: Sequence[str]) -> Any:
    """A list of texts with a NULL behind the last."""
    return (C.c_char_p * (len(values) + 1))(*[value.encode() for value in values], None)


class Text:
    """A growing text of the library's, freed with this object."""

    def __init__(self) -> None:
        self.raw = abi.roof_text()
        self.address = C.byref(self.raw)

    def __str__(self) -> str:
        return bytes(self).decode("utf-8")

    def __bytes__(self) -> bytes:
        if self.raw.failed:
            raise MemoryError("roofline: out of memory")
        return C.string_at(self.raw.data, self.raw.length) if self.raw.length else b""

    def __del__(self) -> None:
        lib.roof_text_done(self.address)


def document(function: str, *arguments: Any) -> Dict[str, Any]:
    """What a writer of JSON appends, parsed; `arguments` are those before the text."""
    out = Text()
    call(function, *arguments, out.address)
    answer: Dict[str, Any] = json.loads(str(out))
    return answer


def said(function: str, *arguments: Any, first: bool = False) -> str:
    """What a function appends to a text, which it takes last, or `first`."""
    out = Text()
    getattr(lib, function)(*((out.address, *arguments) if first else (*arguments, out.address)))
    return str(out)
