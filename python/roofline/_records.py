"""Typed objects from the library's documents."""

from __future__ import annotations

import dataclasses
import html
import importlib
from typing import Any, Dict, List, Mapping, Sequence, Type, TypeVar

from ._library import NAN

T = TypeVar("T")
UNKNOWN = {"float": NAN, "str": ""}


def record(kind: Type[T], data: Mapping[str, Any], **given: Any) -> T:
    """A dataclass from a document's object: fields by the keys of their names; a number that is null is NaN."""
    values: Dict[str, Any] = dict(given)
    for field in dataclasses.fields(kind):
        if field.name not in values:
            value = data.get(field.name)
            values[field.name] = UNKNOWN.get(str(field.type)) if value is None else value
    return kind(**values)


def pandas() -> Any:
    """The module, of which this package needs nothing else."""
    return importlib.import_module("pandas")


def frame(rows: Sequence[Any], columns: Sequence[str]) -> Any:
    """A pandas.DataFrame of the attributes of objects."""
    return pandas().DataFrame({name: [getattr(row, name) for row in rows] for name in columns}, columns=list(columns))


def scalars(kind: Type[Any]) -> List[str]:
    """The fields of a dataclass that are one number or text each: what a table has columns for."""
    return [field.name for field in dataclasses.fields(kind) if str(field.type) in ("float", "int", "str", "bool")]


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows of text as a table of HTML; of many the first."""
    most = 100
    head = "".join(f"<th>{html.escape(name)}</th>" for name in heads)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[:most])
    more = f"<p>and {len(rows) - most} more</p>" if len(rows) > most else ""
    return f"<table><tr>{head}</tr>{body}</table>{more}"
