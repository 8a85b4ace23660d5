"""Files that name what they declare, such as deployment files: connectors, SQL, topics, and what cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePath
from typing import NamedTuple

from scanner_check.inputs.git import ChangedFile
from scanner_check.inputs.input_files import ConnectorFile, connector_file
from scanner_check.inputs.proposals import (
    CONNECTOR,
    DEPLOYMENT,
    SQL,
    TOPIC,
    Proposal,
    Target,
    decoded,
    text_of_file,
)
from scanner_check.model import SkippedFile
from scanner_model.declarations import DeclaredKind
from scanner_model.errors import InputInvalid, Problem
from scanner_model.lazy_names import deferred
from scanner_model.names import SourceId

_SOURCE = SourceId("files:proposed")
_collector = deferred("scanner_extractor.repository.declared:Collector")
_read_text = deferred("scanner_extractor.systems.deployment.reader:read_text")


class Declared(NamedTuple):
    """The proposals of a file; the topics that it declares, without their settings; documents that are not read."""

    proposals: tuple[Proposal, ...]
    topics: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def why_skipped(self) -> str:
        """Return why the file proposes nothing that is checked."""
        if self.topics:
            return "it declares topics, and no rule is about their settings: `scanner validate --drift` compares them"
        others = f" ({', '.join(self.others)})" if self.others else ""
        return f"it declares no connector, SQL or topic{others}"


def declared_by(file: str, text: str) -> Declared:
    """Return what a deployment file proposes: its connectors, its SQL, then one proposal for what was not read."""
    collector = _collector(source=_SOURCE)
    _read_text(file, text, collector)
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
    topics = tuple(name for kind, name in collector.declarations if kind is DeclaredKind.TOPIC)
    return Declared(tuple(proposals), topics, tuple(collector.others))


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
    return Declared(chosen, declared.topics, declared.others)


def changed_parts(files: list[ChangedFile]) -> tuple[tuple[Proposal, ...], tuple[SkippedFile, ...]]:
    """Return what changed files propose that name what they declare, and the files that propose nothing.

    A connector, job or topic that no file declares any more is deleted.
    """
    after = {changed.path: _declared(changed.path, changed.content) for changed in files}
    before = {changed.path: _declared(changed.path, changed.before) for changed in files}
    known = {name for declared in before.values() for name in _names(declared)}
    proposals = [
        replace(proposal, existed=not known.isdisjoint(_names(Declared((proposal,)))))
        for declared in after.values()
        for proposal in declared.proposals
    ]
    names = {name for declared in after.values() for name in _names(declared)}
    for changed in files:
        for kind, name in _names(before[changed.path]):
            if (kind, name) not in names:
                target = Target(**{_TARGETS[kind]: name})
                proposals.append(Proposal(file=changed.path, text=None, kind=kind, target=target))
    checked = {proposal.file for proposal in proposals}
    skipped = (SkippedFile(path, declared.why_skipped) for path, declared in after.items() if path not in checked)
    return tuple(proposals), tuple(skipped)


_TARGETS = {CONNECTOR: "connector", SQL: "statement", TOPIC: "topic"}


def _declared(file: str, content: bytes | None) -> Declared:
    """Return what the content of a file declares; nothing where it has none. What cannot be read is a proposal."""
    if content is None:
        return Declared(())
    try:
        text = decoded(content, file)
        if PurePath(file).suffix.lower() != ".properties":
            return declared_by(file, text)
        connector = connector_file(file, text)
    except InputInvalid as error:
        problem = Problem(error.where, error.what, error.hint)
        return Declared((Proposal(file=file, text="", kind=DEPLOYMENT, target=Target(), unread=(problem,)),))
    return Declared((Proposal(file=file, text=text, kind=CONNECTOR, target=Target(), connector=connector),))


def _names(declared: Declared) -> Iterator[tuple[str, str]]:
    """Yield kind and name of everything that is declared."""
    for proposal in declared.proposals:
        name = proposal.connector.name if proposal.connector else proposal.name
        if name:
            yield proposal.kind, name
    for topic in declared.topics:
        yield TOPIC, topic


def _line(place: str) -> int:
    return int(place.rpartition(":")[2])


def _in_file(problem: Problem) -> Problem:
    return Problem(problem.where.removeprefix(f"{_SOURCE} "), problem.what, problem.hint)
