"""Notebooks and bundles of Databricks: cells in other languages as calls, and the tasks that run a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

_SOURCE = "# Databricks notebook source"
_COMMAND = "# COMMAND ----------"
_MAGIC = "# MAGIC "
_VARIABLE = re.compile(r"\$\{var\.(\w+)\}")
_RUN = re.compile(r"%run\s+[\"']?(?P<path>[\w./-]+)")
_BUNDLE = re.compile(r"(?m)^[ \t]*+(?:bundle|resources)[ \t]*+:")
_MOST = 200
"""Files that are parsed as parts of bundles."""


def as_program(text: str) -> str:
    """Return the source of a notebook with its cells of SQL as calls of `spark.sql`; each line stays where it is."""
    if not text.startswith(_SOURCE):
        return text
    cells: list[list[str]] = [[]]
    for line in text.split("\n"):
        cells.append([line]) if line.startswith(_COMMAND) else cells[-1].append(line)
    return "\n".join(line for cell in cells for line in _cell(cell))


def _cell(lines: list[str]) -> list[str]:
    magic = [at for at, line in enumerate(lines) if line.startswith("# MAGIC")]
    if not magic:
        return lines
    inner = [lines[at].removeprefix("# MAGIC").removeprefix(" ") for at in magic]
    made = magic_cell(inner)
    return [*lines[: magic[0]], *made, *lines[magic[0] + len(made) :]] if made is not None else lines


def magic_cell(lines: list[str]) -> list[str] | None:
    """Return a cell of SQL, or one that runs another notebook, as Python of as many lines; None for any other cell."""
    first = lines[0].strip() if lines else ""
    if (run := _RUN.match(first)) is not None:
        name = ".".join(part for part in PurePosixPath(run["path"]).parts if part not in (".", "..", "/"))
        name = name.removesuffix(".py").removesuffix(".ipynb")
        known = all(part.isidentifier() for part in name.split("."))
        return [f"from {name} import *" if known else "", *("" for _ in lines[1:])]
    if not re.match(r"%{1,2}sql\b", first) or any('"""' in line for line in lines):
        return None
    body = [re.sub(r"^\s*%{1,2}sql\b", "", lines[0]), *lines[1:]]
    escaped = [line.replace("\\", "\\\\") for line in body]
    escaped[0] = f'spark.sql("""{escaped[0]}'
    escaped[-1] = f'{escaped[-1]}""")'
    return escaped


@dataclass(frozen=True, slots=True)
class Task:
    """A task that runs a file: the *name* of the job, and its parameters by name or place."""

    name: str
    named: Mapping[str, str] = field(default_factory=dict)
    listed: tuple[str, ...] = ()


def tasks_of(files: Mapping[str, str], load: Callable[[str], Any]) -> Mapping[str, Task]:
    """Return the tasks of the bundles among *files*, by the path of the file that each runs; the first one counts."""
    paths = [path for path in files if path.endswith((".yml", ".yaml"))]
    if not any(PurePosixPath(path).stem == "databricks" for path in paths):
        return {}
    found: dict[str, Task] = {}
    variables: dict[str, str] = {}
    documents = []
    for path in [each for each in paths if _BUNDLE.search(files[each])][:_MOST]:
        document = load(files[path])
        if isinstance(document, Mapping):
            documents.append((path, document))
            for name, value in _mapping(document.get("variables")).items():
                default = value.get("default") if isinstance(value, Mapping) else value
                if isinstance(default, str | int):
                    variables.setdefault(str(name), str(default))
    for path, document in documents:
        for known, task in _tasks(document, variables):
            place = _file(known, path, files)
            if place is not None:
                found.setdefault(place, task)
    return found


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _tasks(document: Mapping[str, Any], variables: Mapping[str, str]) -> Iterator[tuple[str, Task]]:
    """Yield the files that tasks run, with the tasks."""

    def text(value: object) -> str:
        return _VARIABLE.sub(lambda match: variables.get(match[1], match[0]), str(value))

    jobs = _mapping(_mapping(document.get("resources")).get("jobs"))
    for key, job in jobs.items():
        job = _mapping(job)
        listed = [each for each in job.get("tasks") or () if isinstance(each, Mapping)]
        shared = {
            str(each.get("name")): text(each.get("default"))
            for each in job.get("parameters") or ()
            if isinstance(each, Mapping)
        }
        for each in listed:
            name = text(job.get("name", key))
            name = name if len(listed) == 1 else f"{name}.{each.get('task_key', '')}"
            notebook, script = _mapping(each.get("notebook_task")), _mapping(each.get("spark_python_task"))
            own = {str(known): text(value) for known, value in _mapping(notebook.get("base_parameters")).items()}
            given = tuple(text(value) for value in script.get("parameters") or () if isinstance(value, str | int))
            for path in (notebook.get("notebook_path"), script.get("python_file")):
                if isinstance(path, str):
                    yield path, Task(name, {**own, **shared}, given)


def _file(known: str, bundle: str, files: Mapping[str, str]) -> str | None:
    """Return the file that a bundle names by a path relative to its own."""
    parts: list[str] = list(PurePosixPath(bundle).parent.parts)
    for part in PurePosixPath(known).parts:
        if part == "..":
            parts = parts[:-1]
        elif part not in (".", "/"):
            parts.append(part)
    plain = "/".join(parts)
    return next((each for each in (plain, f"{plain}.py", f"{plain}.ipynb.py") if each in files), None)
