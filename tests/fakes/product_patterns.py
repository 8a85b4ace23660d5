"""The patterns of the product, as its modules write them, with how each is used."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "scanner_model", "scanner_programs", "scanner_extractor", "dataflow_generator", "scanner_dictionary",
    "manual_input", "scanner_check", "scanner_api", "scanner_server", "scanner_cli",
)  # fmt: skip
_METHODS = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}


class Found(NamedTuple):
    """A pattern at a line of a file; *text* is None if it is known only while the program runs."""

    file: str
    line: int
    text: str | None
    flags: int
    anchored: bool
    whole: bool

    @property
    def key(self) -> str:
        """Return a name that stays if lines move."""
        return f"{self.file}: {self.text if self.text is not None else 'built at run time'}"


def product_patterns() -> Iterator[Found]:
    """Yield each pattern that a module hands to `re`, in the order of files and lines."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            source = path.read_text(encoding="utf-8")
            if re.search(r"^import re$", source, re.MULTILINE):
                yield from _in_module(path, source)


def _in_module(path: Path, source: str) -> Iterator[Found]:
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    module = importlib.import_module(name)
    tree = ast.parse(source)
    names = {
        id(node.value): node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in ast.walk(tree):
        function = node.func if isinstance(node, ast.Call) else None
        if not isinstance(node, ast.Call) or not isinstance(function, ast.Attribute) or not node.args:
            continue
        if not isinstance(function.value, ast.Name) or function.value.id != "re" or function.attr not in _METHODS:
            continue
        places = {"sub": 4, "subn": 4, "split": 3}.get(function.attr, 2)
        flags = next((each.value for each in node.keywords if each.arg == "flags"), None)
        flags = flags or (node.args[places] if len(node.args) > places else None)
        if (
            flags is None
            and function.attr not in ("sub", "subn", "split")
            and len(node.args) > (1 if function.attr == "compile" else 2)
        ):
            flags = node.args[-1]
        text, value = _value(node.args[0], module), _value(flags, module) if flags is not None else 0
        used = {function.attr} if function.attr != "compile" else _uses(names.get(id(node), ""), source)
        found = text if isinstance(text, str) else None
        anchored = bool(used) and used <= {"match", "fullmatch"}
        if not isinstance(text, bytes):
            whole = bool(used) and used <= {"fullmatch"}
            yield Found(str(path.relative_to(ROOT)), node.lineno, found, int(value or 0), anchored, whole)


def _value(node: ast.AST, module: object) -> object:
    try:
        return eval(compile(ast.Expression(node), "pattern", "eval"), vars(module))  # type: ignore[arg-type]
    except Exception:  # noqa: BLE001 - a local name
        return None


def _uses(name: str, source: str) -> set[str]:
    if not name:
        return set()
    methods = set(re.findall(rf"\b{name}\.(search|match|fullmatch|sub|subn|split|findall|finditer)\(", source))
    mentions = len(re.findall(rf"\b{name}\b", source))
    return (
        methods
        if mentions - 1
        <= len(re.findall(rf"\b{name}\.(?:search|match|fullmatch|sub|subn|split|findall|finditer)\(", source))
        else set()
    )
