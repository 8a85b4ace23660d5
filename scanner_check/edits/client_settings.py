"""Settings of clients that the code of programs holds, as edits like those of settings files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from scanner_check.edits.documents import Document
from scanner_check.edits.settings import Setting
from scanner_check.knowledge.clients import Meaning, meaning_of
from scanner_check.knowledge.names import words_of
from scanner_programs.ir import (
    Argument,
    Assign,
    Call,
    Declare,
    Expression,
    Field,
    File,
    Kind,
    Literal,
    Member,
    Name,
    Record,
    walk,
)
from scanner_programs.residue import code_text

_CONSTANT = "config"
"""What the constants of Kafka's clients for the names of settings end in: `GROUP_ID_CONFIG`."""

_NAMES = (words_of("group.id"), words_of("application.id"))


def code_edits(before: File, after: File) -> list[Setting]:
    """Return the settings of clients that have other values in the second text of a program.

    A setting is an argument, a member or entry with its name, or a call with its name and its value. Those of a client
    that is gone are left out: what does not read any more has no setting.
    """
    old, new = Counter(_settings(before)), Counter(_settings(after))
    gone, come = old - new, new - old
    is_kept = _clients(new) >= _clients(old)
    edits = []
    for name, value in gone:
        now = next((other for key, other in come if words_of(key) == words_of(name)), None)
        if now is not None or is_kept:
            edits.append(Setting((name,), value, now, 1, Document(())))
    return edits


def _clients(settings: Counter[tuple[str, str]]) -> int:
    """Return how many clients have a name of their own by which they read."""
    return sum(count for (name, _), count in settings.items() if words_of_code(name)[-2:] in _NAMES)


def meaning_of_code(edit: Setting) -> Meaning | None:
    """Return what a setting in code decides; None if that is not known."""
    return meaning_of(words_of_code(edit.path[-1]))


def reader_values(file: File) -> Iterator[str]:
    """Yield the canonical texts of the values by which code reads, such as those of its groups."""
    for name, value in _settings(file):
        if meaning_of(words_of_code(name)) is Meaning.READERS:
            yield value


def constant_edits(before: File, after: File, *, is_own: bool) -> list[Setting]:
    """Return the named values of code that are other ones in its second text, such as defaults of a settings class.

    *is_own*: a client is in the file, so that its functions may use a value of their own, too.
    """
    old, new = (dict(_constants(file, is_own=is_own)) for file in (before, after))
    names = (name for name, value in old.items() if name in new and new[name] != value)
    return [Setting((name,), old[name], new[name], 1, Document(())) for name in names]


def _constants(file: File, *, is_own: bool) -> Iterator[tuple[str, str]]:
    for one in walk((file.classes, file.functions, file.statements) if is_own else (file.classes, file.statements)):
        match one:
            case Field(name=name, value=value) | Declare(target=Name(name=name), value=value) if value is not None:
                yield name, code_text(value)
            case Assign(target=Name(name=name) | Member(name=name), value=value):
                yield name, code_text(value)


def words_of_code(name: str) -> tuple[str, ...]:
    """Return the words of a setting's name in code, without what the constant for it ends in."""
    words = words_of(name)
    return words[:-1] if words[-1:] == (_CONSTANT,) else words


def _settings(file: File) -> Iterator[tuple[str, str]]:
    for name, value in _named((file.classes, file.functions, file.statements)):
        if meaning_of(words_of_code(name)) is not None:
            yield name, code_text(value)


def _named(code: object) -> Iterator[tuple[str, Expression]]:
    """Yield the values in code that have a name: `group_id='g'`, `'group.id': 'g'`, `put(GROUP_ID_CONFIG, 'g')`."""
    for one in walk(code):
        match one:
            case Argument(value=value, name=str(name)) if name:
                yield name, value
            case Record(entries=entries):
                yield from ((_name_of(key), value) for key, value in entries)
            case Call(arguments=(Argument(value=key), Argument(value=value))):
                yield _name_of(key), value
            case Assign(target=Member(name=name), value=value):
                yield name, value


def _name_of(key: Expression | None) -> str:
    match key:
        case Literal(kind=Kind.TEXT, text=text):
            return text
        case Name(name=name) | Member(name=name):
            return name
    return ""
