"""Names that are imported when they are first used: those of a stub file, and functions in tables."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


@cache
def load(name: str) -> Any:  # noqa: ANN401 - what the name stands for
    """Import and return what `module:attribute` names."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


def deferred(name: str) -> Callable[..., Any]:
    """Return a function that calls the function `module:attribute`, and imports it at its first call."""

    def call(*args: object, **kwargs: object) -> Any:  # noqa: ANN401 - what the function returns
        return load(name)(*args, **kwargs)

    return call


class LazyTable(Mapping[str, Any]):
    """A table whose values are imported when they are looked up; *names* has the `module:attribute` of each."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - what the name stands for
        return load(self._names[name])

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def names_of_stub(module: str) -> Mapping[str, str]:
    """Return what the `.pyi` file beside a module's file imports: each name with its `module:attribute`."""
    statements = ast.parse(Path(module).with_suffix(".pyi").read_text(encoding="utf-8")).body
    return {
        name.asname or name.name: f"{statement.module}:{name.name}"
        for statement in statements
        if isinstance(statement, ast.ImportFrom) and statement.module
        for name in statement.names
    }
