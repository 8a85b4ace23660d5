"""Which program makes a graph: any change of our code, of a library that reads SQL or of a plug-in makes another."""

from __future__ import annotations

import hashlib
import importlib.util
from functools import cache
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path

_PACKAGES = ("dataflow_generator", "scanner_dictionary", "scanner_model")
_LIBRARIES = ("sqlglot",)
_PLUG_INS = "scanner.connectors"


@cache
def program() -> str:
    """Give a hash of everything that the rows of a graph depend on beside the dictionary."""
    taken = hashlib.blake2b(digest_size=16)
    for package in _PACKAGES:
        found = importlib.util.find_spec(package)
        for place in (found.submodule_search_locations or ()) if found else ():
            for file in sorted(Path(place).rglob("*.py")):
                taken.update(f"{package}/{file.relative_to(place).as_posix()}\n".encode())
                taken.update(file.read_bytes())
    taken.update("\n".join([*map(_library, _LIBRARIES), *_plug_ins()]).encode())
    return taken.hexdigest()


def _library(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} is not installed"


def _plug_ins() -> list[str]:
    found = entry_points(group=_PLUG_INS)
    return sorted(f"{each.name} = {each.value} {each.dist.version if each.dist else ''}" for each in found)
