"""Whether a fact is one that a dictionary can store: each member of its declared type, numbers and texts in bounds.

Readers take their members from JSON of others, captures and drivers of databases. The runner of a scan checks what they
made in this one place, so that one broken fact costs itself, whatever source it comes from.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from scanner_model.text import storable

LARGEST_NUMBER = 2**63 - 1
"""The largest whole number of a column in SQLite and PostgreSQL."""

Check = Callable[[Any], bool]


def misfit(fact: object) -> str:
    """Return the name of the first member of *fact* that cannot be stored, or an empty text."""
    kind: Any = type(fact)
    if not is_dataclass(fact):
        return ""
    values, checks = _members(kind)
    return next((name for (name, check), value in zip(checks, values(fact), strict=True) if not check(value)), "")


@cache
def _members(kind: type) -> tuple[Callable[[Any], tuple[Any, ...]], tuple[tuple[str, Check], ...]]:
    names = [member.name for member in fields(kind)]
    hints = get_type_hints(kind)
    getter = attrgetter(*names)
    values = getter if len(names) > 1 else (lambda fact: (getter(fact),))
    return values, tuple((name, _check(hints[name])) for name in names)


@cache
def _check(hint: Any) -> Check:  # noqa: ANN401 - a type, and a case for each
    while hasattr(hint, "__supertype__"):  # of NewType
        hint = hint.__supertype__
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _check(arguments[0])
    if origin in (Union, types.UnionType):
        checks = tuple(map(_check, arguments))
        return lambda value: any(check(value) for check in checks)
    if origin in (tuple, frozenset, set, list):
        return _collection(origin, arguments)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        key, item = (_check(argument) for argument in arguments)
        return lambda value: isinstance(value, Mapping) and all(key(k) and item(v) for k, v in value.items())
    if hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(hint, type):
        return (lambda value: type(value) is hint and not misfit(value)) if is_dataclass(hint) else _instance(hint)
    return lambda _: True


def _collection(origin: type, arguments: tuple[Any, ...]) -> Check:
    if origin is tuple and arguments[1:] != (...,):
        checks = tuple(map(_check, arguments))
        return lambda value: (
            isinstance(value, tuple)
            and len(value) == len(checks)
            and all(check(item) for check, item in zip(checks, value, strict=True))
        )
    check = _check(arguments[0])
    return lambda value: (
        isinstance(value, (tuple, frozenset, set, list)) and isinstance(value, origin) and all(map(check, value))
    )


def _instance(hint: type) -> Check:
    return lambda value: isinstance(value, hint)


def _is_text(value: Any) -> bool:  # noqa: ANN401 - anything
    return isinstance(value, str) and (value.isascii() or storable(value) == value) and "\0" not in value


def _is_number(value: Any) -> bool:  # noqa: ANN401 - anything
    return isinstance(value, int) and type(value) is not bool and -LARGEST_NUMBER - 1 <= value <= LARGEST_NUMBER


_PLAIN: Mapping[Any, Check] = {
    str: _is_text,
    int: _is_number,
    float: lambda value: (type(value) is float and math.isfinite(value)) or _is_number(value),
    bool: lambda value: type(value) is bool,
    type(None): lambda value: value is None,
    Any: lambda _: True,
}
