"""Proposed deployment files: the connectors and SQL that each declares, and what of it could not be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scanner_api.change_check.git import ChangedFile
from scanner_api.change_check.proposals import CONNECTOR, DEPLOYMENT, SQL, Proposal, Target, decoded, text_of_file
from scanner_api.input_files import ConnectorFile
from scanner_extractor.sources.deployment.declared import Collector
from scanner_extractor.sources.deployment.reader import read_text
from scanner_model.declarations import DeclaredKind
from scanner_model.errors import InputInvalid, Problem
from scanner_model.names import SourceId

_SOURCE = SourceId("files:proposed")


class Declared(NamedTuple):
    """The proposals of a deployment file, and how many topics it declares, which no rule of the check is about."""

    proposals: tuple[Proposal, ...]
    topics: int


def declared_by(file: str, text: str) -> Declared:
    """Return what a deployment file proposes: its connectors, its SQL, then one proposal for what was not read."""
    collector = Collector(source=_SOURCE)
    read_text(file, text, collector)
    proposals = []
    for (kind, name), declaration in collector.declarations.items():
        if kind is DeclaredKind.CONNECTOR:
            connector = ConnectorFile(name, dict(declaration.config))
            line = _line(declaration.place)
            proposals.append(
                Proposal(file=file, text=text, kind=CONNECTOR, target=Target(), line=line, connector=connector)
            )
    for sql in collector.statements.values():
        about = Proposal(file=file, text=sql.statement, kind=SQL, target=Target(), line=_line(sql.place), name=sql.name)
        proposals.append(about)
    if collector.problems:
        unread = tuple(_in_file(problem) for problem in collector.problems)
        proposals.append(Proposal(file=file, text=text, kind=DEPLOYMENT, target=Target(), unread=unread))
    return Declared(tuple(proposals), len(collector.declarations) - sum(map(_is_connector, proposals)))


def proposed_parts(path: Path, target: Target) -> Declared:
    """Return what a deployment file proposes, of one connector or statement where *target* names it.

    Raises InputInvalid where the file cannot be read, or does not declare what is named.
    """
    declared = declared_by(str(path), text_of_file(path))
    if not target.is_named:
        return declared
    name = target.connector or target.statement
    chosen = tuple(
        proposal
        for proposal in declared.proposals
        if name in (proposal.name, proposal.connector and proposal.connector.name)
    )
    if not name or not chosen:
        names = [
            proposal.name or (proposal.connector.name if proposal.connector else "") for proposal in declared.proposals
        ]
        hint = f"it declares {', '.join(filter(None, names)) or 'no connector and no SQL'}"
        raise InputInvalid(
            f"it does not declare {name or target.subject or target.topic!r}", where=str(path), hint=hint
        )
    return Declared(chosen, declared.topics)


def changed_parts(files: list[ChangedFile]) -> Iterator[Proposal]:
    """Yield what changed deployment files propose; a connector or job that no file declares any more is deleted."""
    after: list[Proposal] = []
    before: list[Proposal] = []
    for changed in files:
        if changed.content is not None:
            after += declared_by(changed.path, decoded(changed.content, changed.path)).proposals
        if changed.before is not None:
            before += declared_by(changed.path, decoded(changed.before, changed.path)).proposals
    yield from after
    declared = {_name(proposal) for proposal in after}
    for proposal in before:
        kind, name = _name(proposal)
        if name and (kind, name) not in declared:
            target = Target(connector=name) if kind == CONNECTOR else Target(statement=name)
            yield Proposal(file=proposal.file, text=None, kind=kind, target=target)


def _name(proposal: Proposal) -> tuple[str, str]:
    return proposal.kind, proposal.connector.name if proposal.connector else proposal.name


def _is_connector(proposal: Proposal) -> bool:
    return proposal.kind == CONNECTOR


def _line(place: str) -> int:
    return int(place.rpartition(":")[2])


def _in_file(problem: Problem) -> Problem:
    return Problem(problem.where.removeprefix(f"{_SOURCE} "), problem.what, problem.hint)
