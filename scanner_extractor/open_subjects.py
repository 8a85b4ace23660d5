"""What binding leaves open, said in few lines: subjects without a topic, and subjects that may be of several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scanner_extractor.naming import Candidate, Choice
from scanner_model.names import SourceId
from scanner_model.pattern_limits import REWRITE, shown
from scanner_model.problems import Problem

_SHOWN = 5
"""How many names a summary shows; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSubject:
    """A subject without a topic, by its name with its context.

    *strategy* is one that is not in force and would find a known topic, else empty.
    """

    subject: str
    strategy: str = ""


def open_problems(source: SourceId, subjects: Iterable[OpenSubject]) -> Iterator[Problem]:
    """Summarise the subjects without a topic: one problem for each strategy that would help, one for the rest."""
    by_strategy: dict[str, list[str]] = {}
    for one in subjects:
        by_strategy.setdefault(one.strategy, []).append(one.subject)
    for strategy, names in sorted(by_strategy.items()):
        yield _helped(source, strategy, names) if strategy else _unbound(source, names)


def ambiguity(source: SourceId, subject: str, choice: Choice) -> Problem:
    """Report that *subject* may be of several known topics, naming what was taken first."""
    first, *others = map(_reading, (*choice.bound, *choice.others))
    what = f"subject {subject!r} is read as {first}, and may be {', or '.join(others)}"
    return Problem(str(source), what, "declare the right topic in naming.subjects, or reorder naming.strategies")


def slow_problems(source: SourceId, subjects: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    """Report each pattern that took too long, with the subjects that only the other strategies could read."""
    for pattern, names in sorted(subjects.items()):
        what = f"the naming pattern {shown(pattern)} takes too long and is not evaluated on {_counted(names)}"
        yield Problem(str(source), what, REWRITE)


def _helped(source: SourceId, strategy: str, names: Sequence[str]) -> Problem:
    what = f"only naming strategy {strategy!r} finds a known topic for {_counted(names)}"
    return Problem(str(source), what, f"add {strategy!r} to naming.strategies")


def _unbound(source: SourceId, names: Sequence[str]) -> Problem:
    hint = "declare their topics in naming.subjects or by manual input, or name another strategy"
    return Problem(str(source), f"no topic is found for {_counted(names)}", hint)


def _counted(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, sorted(names)[:_SHOWN]))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{len(names)} subject{'s' if len(names) != 1 else ''}: {shown}{more}"


def _reading(candidate: Candidate) -> str:
    record = f", record {candidate.record!r}" if candidate.record else ""
    return f"the {candidate.role} of topic {candidate.topic!r} (strategy {candidate.strategy}{record})"
