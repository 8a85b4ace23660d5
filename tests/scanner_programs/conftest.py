"""Programs from texts, for the tests of what programs send."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pytest

from scanner_extractor.repository.applications.settings import Settings, is_settings_file, read_settings
from scanner_extractor.repository.syntax_trees import parse_tree, suffix
from scanner_programs.endpoints import Endpoints, endpoints_of
from scanner_programs.ir import File
from scanner_programs.languages import BY_ENDING
from scanner_programs.languages.lowering import Lowering
from scanner_programs.program import Program


def lowered(path: str, text: str) -> File:
    syntax = BY_ENDING[suffix(path)]
    return Lowering(syntax, partial(parse_tree, path)).file(parse_tree(path, text), path)


def program_of(files: Mapping[str, str], records: frozenset[str] = frozenset()) -> Program:
    settings = Settings()
    for path, text in files.items():
        if is_settings_file(path):
            for setting in read_settings(path, text):
                settings.add(setting)

    def find(name: str) -> str | None:
        known = settings.find(name)
        return known.value if known is not None else None

    def ending(name: str) -> str | None:
        known = settings.ending(name)
        return known.value if known is not None else None

    code = tuple(lowered(path, text) for path, text in files.items() if suffix(path) in BY_ENDING)
    return Program(code, find, ending, records)


@pytest.fixture
def sends() -> Callable[..., Endpoints]:
    """Return what reads the sends of a program from its files by path."""
    return lambda files, records=frozenset(), texts=True, own=None: endpoints_of(
        program_of(files, records), texts=texts, own=own
    )


@pytest.fixture(name="lowered")
def lowering() -> Callable[[str, str], File]:
    """Return what lowers a file of code to its model, by its path and text."""
    return lowered
