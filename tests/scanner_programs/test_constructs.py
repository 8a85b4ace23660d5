"""What constructs of the languages do to what is sent: edits of one construct each, in one small program per language.

Each edit has the members of the program's class, the code before the send, and the value that is sent.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scanner_programs.compare import compare
from scanner_programs.endpoints import endpoints_of
from tests.scanner_programs.conftest import program_of

_DATA = json.loads((Path(__file__).parent / "data" / "constructs.json").read_text(encoding="utf-8"))
_PROGRAMS = _DATA["programs"]
_BREAKING = {f"{one['language']} {one['what']}": one for one in _DATA["edits"]}
_UNSEEN = {
    "java catch return": "what follows a failure is sent or not: how errors are handled is no condition of a send",
    "go goto": "labels are not followed",
    "cs goto case": "labels are not followed",
    "scala copy": "the text of an object of a class is that of what it was copied from",
    "java two": "a send that is repeated is one send",
    "java enum method": "methods of single constants are not followed",
    "java comparator": "what a list is sorted by, if it was copied from one that is not known",
    "cs static ctor": "constructors of a class itself",
    "cs indexer": "members that are asked for with a key",
    "scala implicit param": "what a function is given without being named",
    "rust entry": "entries of a map that are changed in place",
    "rust filter_map": "types in the brackets of a call",
    "python reduce": "the order in which elements are added",
}
"""Edits that are not seen, each with what is missing."""


_HARMLESS = {f"{one['language']} {one['what']}": one for one in _DATA["harmless"]}
_NOISE = {
    "java found flag break": "that a loop ends early may count",
    "python get default": "a default that is nothing",
    "ts some flip": "whether a list includes a value, or has one that is equal to it",
    "go make cap": "a list that is nothing at first",
    "go builder": "a text that is put together in a builder",
    "cs throw helper": "what fails if a value is missing",
    "cs target new": "the type of an object is the one that its variable is declared as",
    "scala match->if": "cases on one line",
    "scala opt": "what is made of an optional value, or another one",
}
"""Edits that change nothing and are differences, each with what is not seen to be the same."""


def _program(language: str, members: str, before: str, value: str) -> dict[str, str]:
    program = _PROGRAMS[language]
    between = "\n    " if language in ("python", "scala", "kotlin") else " "
    body = (before + between if before else "") + program["send"].replace("%s", value)
    return {program["file"]: program["code"].replace("MEMBERS", members).replace("BODY", body)}


def _differs(edit: dict[str, object]) -> bool:
    sides = (_program(str(edit["language"]), *edit[side]) for side in ("before", "after"))  # type: ignore[misc]
    return bool(compare(*(endpoints_of(program_of(side)) for side in sides)))


@pytest.mark.parametrize("name", _BREAKING)
def test_an_edit_of_a_construct_is_seen(name: str) -> None:
    assert _differs(_BREAKING[name]) is (name not in _UNSEEN)


@pytest.mark.parametrize("name", _HARMLESS)
def test_another_form_of_the_same_is_no_difference(name: str) -> None:
    assert _differs(_HARMLESS[name]) is (name in _NOISE)


def test_a_program_that_the_grammar_does_not_understand_is_compared_as_text() -> None:
    code = (
        "import org.apache.kafka.clients.producer.*\n"
        "class A(val p: KafkaProducer<String, String>) {\n class B { var a = 1 }\n"
        ' fun send(id: String) { p.send(ProducerRecord("t", id + "x")) }\n}\n'
    )
    before, after = (endpoints_of(program_of({"A.kt": text})) for text in (code, code.replace('"x"', '"y"')))
    assert "code" in [one.aspect for one in compare(before, after)]
