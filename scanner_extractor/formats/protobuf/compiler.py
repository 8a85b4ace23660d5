"""Check a Protobuf schema with protoc. The only module that imports grpc_tools, which the extra `protoc` installs."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scanner_extractor.formats.protobuf.files import MAIN, STANDARD, Files, is_plain
from scanner_model.errors import Problem

_LONGEST = 400_000
"""Characters of all files beyond which protoc is not run: it is quadratic in the number of declarations."""

_DEEPEST = 60
"""Bracket nesting beyond which protoc is not run: some 10,000 in an option's value crash the process."""

_MAX_LENGTH = 200
_VERSION = 'syntax = "proto2"; '


def protoc_error(files: Files) -> Problem | None:
    """Check a schema and its imports with protoc; return its first error, None where there is none or it was not run.

    It is not run where it is not installed. The files are written to a directory that only this call uses; protoc's
    own files it reads from its own place.
    """
    if (protoc := _protoc()) is None:
        return None
    own = Path(protoc.__file__).parent / "_proto"
    size = sum(map(len, files.texts.values()))
    if size > _LONGEST or any(parsed.deepest > _DEEPEST for parsed in files.parsed.values()):
        return None
    main = "schema.proto"
    while main in files.texts:
        main = f"_{main}"  # An import may have this name; no two files can.
    with TemporaryDirectory(prefix="scanner-protobuf-", ignore_cleanup_errors=True) as directory:
        for name in files.texts:
            if not (name.startswith(STANDARD) and is_plain(name) and (own / name).is_file()):
                _write(Path(directory), main if name == MAIN else name, files, name)
        refusal = _compile(protoc, main, (directory, str(own)))
    return _problem(refusal) if refusal else None


def _write(directory: Path, path: str, files: Files, name: str) -> None:
    """Write a file where protoc finds it; one whose name is not a valid path is left out, and protoc reports it."""
    if not is_plain(path):
        return
    text = files.texts[name]
    # Without a version protoc logs a warning of its own to the terminal; on the first line, places stay right.
    text = text if files.parsed[name].versioned else _VERSION + text
    with suppress(OSError):
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")


@cache
def _protoc() -> Any:  # noqa: ANN401  a module without types
    """Return protoc as a module, None where it is not installed.

    It is the module behind grpc_tools.protoc, which returns errors instead of writing them to the terminal and
    installs no import hooks.
    """
    try:
        from grpc_tools import _protoc_compiler  # noqa: PLC0415 - may be missing
    except ImportError:
        return None
    warnings.filterwarnings("ignore", category=_protoc_compiler.ProtocWarning)
    return _protoc_compiler


def _compile(protoc: Any, main: str, directories: Iterable[str]) -> str:  # noqa: ANN401
    """Return protoc's first error for the file *main*, with its position; empty where there is none."""
    try:  # of its two ways to compile, services generate least
        protoc.get_services(main.encode(), [directory.encode() for directory in directories])
    except protoc.ProtocErrors as errors:
        return _first(errors.errors(), main)
    return ""


def _first(errors: Iterable[object], main: str) -> str:
    for error in errors:
        file, line, column, message = (getattr(error, name) for name in ("filename", "line", "column", "message"))
        name = file.decode("utf-8", "replace")
        position = f"{line + 1}:{column + 1}" if line >= 0 else ""
        where = " ".join(filter(None, ("" if name == main else name, position)))
        return f"{where}: {message.decode('utf-8', 'replace')}"
    return "no reason given"


def _problem(why: str) -> Problem:
    why = why if len(why) <= _MAX_LENGTH else f"{why[:_MAX_LENGTH]}…"
    return Problem("$", "protoc rejects the schema", why)
