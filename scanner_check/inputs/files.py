"""Which files are checked: those that are named, those of a directory, those that differ between two commits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from scanner_check.inputs.contracts import ProposedContract, proposed_contract
from scanner_check.inputs.deployment import changed_parts, proposed_parts
from scanner_check.inputs.git import ChangedFile, changed_files
from scanner_check.inputs.proposals import (
    CONNECTOR,
    ENDINGS,
    LARGEST,
    SCHEMA,
    SQL,
    PathRule,
    Proposal,
    Target,
    decoded,
    files_below,
    kind_of,
    target_of,
    text_of_file,
)
from scanner_check.model import SkippedFile
from scanner_model.errors import InputInvalid, Problem

DEPLOYMENT_ENDINGS = frozenset({".yaml", ".yml"})
"""Endings of deployment files; JSON with a `connector.class` is one connector."""

_NO_RULE = "no rule of --map fits it"
_NO_TARGET = "it is JSON without a connector.class, and no --map says what it changes"
_NO_SETTINGS = "not a connector configuration"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedFiles:
    """Which files are checked: *proposals*, and the others, each with the reason.

    *between_commits*: they are all that differ, and none of them was named. *contracts* are data contracts and AsyncAPI
    documents.
    """

    proposals: tuple[Proposal, ...]
    skipped: tuple[SkippedFile, ...] = ()
    between_commits: bool = False
    contracts: tuple[ProposedContract, ...] = ()


def proposed_files(
    paths: Sequence[str],
    *,
    target: Target | None = None,
    rules: Sequence[PathRule] = (),
    references: Mapping[str, str] | None = None,
) -> ProposedFiles:
    """Read the files that *paths* name, of directories every schema, SQL and connector file.

    *target* is what the only file changes; without it *rules* tell, or the file's name. Raises InputInvalid where a
    file cannot be read, where no rule fits a file that is named, and where *target* is given for several.
    """
    files = list(files_below(paths))
    if target is not None and target.is_named and len(files) != 1:
        raise InputInvalid(f"{len(files)} files cannot change one thing", hint="name one file, or use --map")
    proposals: list[Proposal] = []
    skipped: list[SkippedFile] = []
    contracts: list[ProposedContract] = []
    for path in files:
        if contract := proposed_contract(str(path), None, text_of_file(path).encode()):
            contracts.append(contract)
        elif path.suffix.lower() in DEPLOYMENT_ENDINGS:
            declared = proposed_parts(path, target or Target())
            proposals += declared.proposals
            skipped += [] if declared.proposals else [SkippedFile(str(path), declared.why_skipped)]
        elif (named := _named(path, target, rules)) is None:
            skipped.append(SkippedFile(str(path), _NO_RULE))
        else:
            proposals.append(replace(named, references=references or {}))
    if skipped and not proposals and not contracts:
        raise _nothing_to_check(skipped, rules)
    return ProposedFiles(proposals=tuple(proposals), skipped=tuple(skipped), contracts=tuple(contracts))


def _named(path: Path, target: Target | None, rules: Sequence[PathRule]) -> Proposal | None:
    """Return the schema, statement or connector in a file; None where nothing says what it changes."""
    text = text_of_file(path)
    kind = kind_of(str(path), text)
    chosen = target if target is not None and target.is_named else target_of(str(path), kind, rules)
    return None if chosen is None else Proposal(file=str(path), text=text, kind=kind, target=chosen)


def _nothing_to_check(skipped: Sequence[SkippedFile], rules: Sequence[PathRule]) -> InputInvalid:
    if not rules:
        what = "it declares no connector and no SQL" if len(skipped) == 1 else "no file declares a connector or SQL"
        return InputInvalid(
            what, where=skipped[0].file, hint="`scanner validate --drift` compares the topics of deployment files"
        )
    what = _NO_RULE if len(skipped) == 1 else f"no rule of --map fits any of {len(skipped)} files"
    return InputInvalid(what, where=skipped[0].file, hint="as in --map 'schemas/{subject}.avsc'")


def proposed_schema(
    text: str, target: Target, *, format: str | None = None, references: Mapping[str, str] | None = None
) -> ProposedFiles:
    """Return *text* as the proposed schema of *target*, a subject or one side of a topic.

    *format* is AVRO or PROTOBUF; any other, and None, are guessed from the text. *references* as in `proposed_files`.
    """
    file = f"schema{_ENDINGS_OF.get((format or '').upper(), '.json')}"
    proposal = Proposal(file=file, text=text, kind=SCHEMA, target=target, references=references or {})
    return ProposedFiles(proposals=(proposal,))


def proposed_job(text: str, target: Target) -> ProposedFiles:
    """Return *text* as the proposed SQL of *target*, a statement, or as the configuration (JSON) of a connector."""
    file, kind = ("statement.sql", SQL) if target.statement else ("connector.json", CONNECTOR)
    return ProposedFiles(proposals=(Proposal(file=file, text=text, kind=kind, target=target),))


_ENDINGS_OF = {"AVRO": ".avsc", "PROTOBUF": ".proto"}


def git_files(commits: str, rules: Sequence[PathRule], directory: Path = Path()) -> ProposedFiles:
    """Return the files that differ between two commits, `BASE..HEAD` or `BASE...HEAD`, each checked or skipped.

    *rules* say what a file changes; without any its name does, as in `proposed_files`. Connectors and deployment files
    need neither: what they declare has a name. A file that is not UTF-8 is proposed with that problem.
    Raises InputInvalid where git fails.
    """
    proposals: list[Proposal] = []
    skipped: list[SkippedFile] = []
    declaring: list[ChangedFile] = []
    contracts: list[ProposedContract] = []
    for changed in changed_files(commits, directory, endings=ENDINGS, largest=LARGEST):
        target = next((matched for rule in rules if (matched := rule.target(changed.path))), None)
        if changed.skipped:
            skipped.append(SkippedFile(changed.path, changed.skipped))
        elif contract := proposed_contract(changed.path, changed.before, changed.content):
            contracts.append(contract)
        elif target is None and _declares(changed):
            declaring.append(changed)
        else:
            proposals += _changed_proposal(changed, target, rules, skipped)
    parts, others = changed_parts(declaring)
    skipped += others
    return ProposedFiles(
        proposals=(*proposals, *parts),
        skipped=tuple(sorted(skipped)),
        between_commits=True,
        contracts=tuple(contracts),
    )


def _declares(changed: ChangedFile) -> bool:
    """Return whether what the file changes has its name in it: a deployment file, or a connector's configuration."""
    ending = PurePath(changed.path).suffix.lower()
    if ending in (".json", ".properties"):
        return any(b"connector.class" in (text or b"") for text in (changed.content, changed.before))
    return ending in DEPLOYMENT_ENDINGS


def _changed_proposal(
    changed: ChangedFile, target: Target | None, rules: Sequence[PathRule], skipped: list[SkippedFile]
) -> Iterator[Proposal]:
    """Yield the proposal of a changed file, or record why it is skipped."""
    path = changed.path
    problems: tuple[Problem, ...] = ()
    try:
        text = None if changed.content is None else decoded(changed.content, path)
    except InputInvalid as error:
        text, problems = "", (Problem(error.where, error.what, error.hint),)
    kind = kind_of(path, text)
    chosen = target or (None if PurePath(path).suffix.lower() in _UNCERTAIN else target_of(path, kind, rules))
    if chosen is None:
        reason = _NO_RULE if rules else _NO_TARGET if kind != CONNECTOR else _NO_SETTINGS
        skipped.append(SkippedFile(path, reason))
    else:
        yield Proposal(
            file=path,
            text=text,
            kind=kind,
            target=chosen,
            unread=problems,
            existed=changed.before is not None,
            base=(changed.before or b"").decode("utf-8-sig", "replace") if kind == SCHEMA else "",
        )


_UNCERTAIN = (".json", ".properties")
"""Endings that many other files have: without a rule, such a file may be anything."""
