"""Documents of a change that describe topics: data contracts, AsyncAPI documents and manual input."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import NamedTuple

from scanner_extractor.repository.files import RepositoryFile
from scanner_model.errors import Problem
from scanner_model.lazy_names import load
from scanner_model.manual import ManualSchema

CONTRACT = "contract"
"""As what these documents are listed among the files of a check."""
_ENDINGS = (".yaml", ".yml", ".json")
_READER, _MANUAL = "scanner_extractor.repository.contracts:schemas_in", "manual_input.loader:schemas_in"
"""Imported if a file has one of the endings."""


class ProposedContract(NamedTuple):
    """The schemas of a data contract, AsyncAPI document or manual input; *problems* are what is wrong with them now.

    *before* is None if absent to compare it with.
    """

    file: str
    before: tuple[ManualSchema, ...] | None
    after: tuple[ManualSchema, ...]
    problems: tuple[Problem, ...] = ()


def proposed_contract(file: str, before: bytes | None, after: bytes | None) -> ProposedContract | None:
    """Return what a file proposes; None where neither content, None of a file that is not there, is a contract."""
    if PurePath(file).suffix.lower() not in _ENDINGS:
        return None
    old, new = (None if content is None else _schemas(file, content) for content in (before, after))
    if old is None and new is None:
        return None
    schemas, problems = new or ((), ())
    return ProposedContract(file, old[0] if old else None, schemas, problems)


def _schemas(file: str, content: bytes) -> tuple[tuple[ManualSchema, ...], tuple[Problem, ...]] | None:
    text = content.decode("utf-8-sig", "replace")
    listed = load(_READER)(RepositoryFile(file, text))
    if listed is not None:
        return listed, ()
    manual = load(_MANUAL)(text, file) if file.lower().endswith(".json") else None
    if manual is None:
        return None
    named = (replace(schema, location=f"{file} {schema.subject or schema.topic}") for schema in manual[0])
    return tuple(named), manual[1]
