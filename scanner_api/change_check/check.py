"""The check itself: every proposed file against the dictionary, then what is not known, then the baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePath

from scanner_api.change_check.baseline import apply_baseline, read_baseline
from scanner_api.change_check.deletion import Answer, may_delete
from scanner_api.change_check.deployment import changed_parts, proposed_parts
from scanner_api.change_check.git import changed_files
from scanner_api.change_check.hits import Hits
from scanner_api.change_check.job_change import JobContext, check_job
from scanner_api.change_check.model import ChangeReport, CheckedFile, Finding, Place, Verdict
from scanner_api.change_check.proposals import (
    DEPLOYMENT,
    SCHEMA,
    PathRule,
    Proposal,
    Target,
    decoded,
    files_below,
    kind_of,
    target_of,
    text_of_file,
)
from scanner_api.change_check.schema_change import SchemaContext, check_schema
from scanner_api.change_check.unknowns import graph_findings, source_findings
from scanner_api.dictionary import Dictionary, known_cluster
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.queries.state import last_scans
from scanner_extractor.evolution import Level as Level
from scanner_extractor.evolution import Policy as Policy
from scanner_model.errors import InputInvalid, NameUnknown

_ABOUT_DICTIONARY = Place(file="")

DEPLOYMENT_ENDINGS = frozenset({".yaml", ".yml"})
"""Endings of deployment files; JSON with a `connector.class` is one connector."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """How a check is done.

    *cluster* limits it to one cluster. *level* and *policy* replace the stored compatibility level and policy of every
    subject. *dialect* is that of SQL files, None guesses it. *max_age* is how long ago each source may have been read.
    *allow_new*: a subject, statement or connector that the dictionary does not have is new, no mistake. *baseline* is a
    file of accepted findings.
    """

    cluster: str | None = None
    level: Level | None = None
    policy: Policy | None = None
    dialect: str | None = None
    max_age: timedelta | None = None
    allow_new: bool = False
    baseline: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedFiles:
    """Which files are checked: *proposals*, and changed files that no path rule maps."""

    proposals: tuple[Proposal, ...]
    skipped: tuple[str, ...] = field(default=())


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
    skipped: list[str] = []
    for path in files:
        if path.suffix.lower() in DEPLOYMENT_ENDINGS:
            parts = proposed_parts(path, target or Target()).proposals
            proposals += parts
            skipped += [] if parts else [str(path)]
            continue
        text = text_of_file(path)
        kind = kind_of(str(path), text)
        chosen = target if target is not None and target.is_named else target_of(str(path), kind, rules)
        if chosen is None:
            skipped.append(str(path))
        else:
            proposals.append(Proposal(file=str(path), text=text, kind=kind, target=chosen, references=references or {}))
    if skipped and not proposals:
        raise _nothing_to_check(skipped, rules)
    return ProposedFiles(proposals=tuple(proposals), skipped=tuple(skipped))


def _nothing_to_check(skipped: Sequence[str], rules: Sequence[PathRule]) -> InputInvalid:
    if not rules:
        what = "it declares no connector and no SQL" if len(skipped) == 1 else "no file declares a connector or SQL"
        return InputInvalid(what, where=skipped[0], hint="`scanner drift` compares the topics of deployment files")
    what = "no rule of --map fits it" if len(skipped) == 1 else f"no rule of --map fits any of {len(skipped)} files"
    return InputInvalid(what, where=skipped[0], hint="as in --map 'schemas/{subject}.avsc'")


def proposed_schema(
    text: str, target: Target, *, format: str | None = None, references: Mapping[str, str] | None = None
) -> ProposedFiles:
    """Return *text* as the proposed schema of *target*, a subject or one side of a topic.

    *format* is AVRO or PROTOBUF; any other, and None, are guessed from the text. *references* as in `proposed_files`.
    """
    file = f"schema{_ENDINGS.get((format or '').upper(), '.json')}"
    proposal = Proposal(file=file, text=text, kind=SCHEMA, target=target, references=references or {})
    return ProposedFiles(proposals=(proposal,))


_ENDINGS = {"AVRO": ".avsc", "PROTOBUF": ".proto"}


def git_files(commits: str, rules: Sequence[PathRule], directory: Path = Path()) -> ProposedFiles:
    """Return the files that differ between two commits, `BASE..HEAD` or `BASE...HEAD`: those that *rules* map.

    Deployment files need no rule: what they declare has a name.
    Raises InputInvalid where git fails or a mapped file cannot be read.
    """
    proposals, skipped, deployed = [], [], []
    for changed in changed_files(commits, directory, with_base=DEPLOYMENT_ENDINGS):
        if PurePath(changed.path).suffix.lower() in DEPLOYMENT_ENDINGS:
            deployed.append(changed)
            continue
        target = next((matched for rule in rules if (matched := rule.target(changed.path))), None)
        if target is None:
            skipped.append(changed.path)
            continue
        text = None if changed.content is None else decoded(changed.content, changed.path)
        kind = kind_of(changed.path, text)
        proposals.append(Proposal(file=changed.path, text=text, kind=kind, target=target))
    parts = list(changed_parts(deployed))
    checked = {part.file for part in parts}
    proposals += parts
    skipped += [changed.path for changed in deployed if changed.path not in checked]
    return ProposedFiles(proposals=tuple(proposals), skipped=tuple(skipped))


def check_change(
    dictionary: Dictionary,
    files: ProposedFiles,
    options: CheckOptions | None = None,
    *,
    now: datetime | None = None,
) -> ChangeReport:
    """Return what the proposed *files* break and whom they hit, without asking any server.

    *now* is the time for `max_age` and the baseline; None is the present. Raises InputInvalid where a file is no
    schema, statement or configuration, NameUnknown where the only file is of something that is not in the dictionary;
    with several files that is a finding.

    >>> files = proposed_files(["orders-value.avsc"])
    >>> check_change(dictionary, files).verdict
    """
    chosen, at = options or CheckOptions(), now or datetime.now(UTC)
    accepted = read_baseline(chosen.baseline) if chosen.baseline else ()
    with dictionary.reading() as conn:
        known_cluster(conn, chosen.cluster)
        checked, findings = _checked(dictionary, conn, files, chosen)
        findings += _about_dictionary(conn, chosen, findings, at)
        scans = tuple(row for row in last_scans(conn) if chosen.cluster in (None, row.cluster))
    marked, notes = apply_baseline(findings, accepted, at.date())
    return ChangeReport(files=checked, findings=marked, scans=scans, skipped=files.skipped, notes=notes)


def _checked(
    dictionary: Dictionary, conn: Connection, files: ProposedFiles, options: CheckOptions
) -> tuple[tuple[CheckedFile, ...], list[Finding]]:
    hits = Hits(conn)
    schemas = SchemaContext(conn=conn, hits=hits, cluster=options.cluster, level=options.level, policy=options.policy)
    jobs = JobContext(conn, hits, options.cluster, options.dialect)
    checked: list[CheckedFile] = []
    findings: list[Finding] = []
    for proposal in files.proposals:
        try:
            if proposal.text is None and proposal.kind == SCHEMA:
                targets, of_file = _deleted(dictionary, proposal, options, files)
            elif proposal.kind == SCHEMA:
                targets, of_file = check_schema(proposal, schemas)
            elif proposal.kind == DEPLOYMENT:
                targets, of_file = (), _unread(proposal)
            else:
                targets, of_file = check_job(proposal, jobs)
        except NameUnknown as error:
            if len(files.proposals) == 1 and not options.allow_new:
                raise
            targets, of_file = (), (_new(proposal, error, options),)
        kind = "deleted" if proposal.text is None else proposal.kind
        checked.append(CheckedFile(file=proposal.file, kind=kind, targets=targets))
        findings += of_file
    return tuple(checked), findings


def _unread(proposal: Proposal) -> tuple[Finding, ...]:
    """Return what of a deployment file could not be read: whom it hits cannot be said."""
    findings = []
    for problem in proposal.unread:
        line = problem.where.rpartition(":")[2]
        place = Place(file=proposal.file, line=int(line) if line.isdigit() else 1)
        why = (problem.hint,) if problem.hint else ()
        unread = Finding(
            rule="not-read", verdict=Verdict.UNKNOWN, place=place, target=proposal.file, what=problem.what, why=why
        )
        findings.append(unread)
    return tuple(findings)


def _new(proposal: Proposal, error: NameUnknown, options: CheckOptions) -> Finding:
    verdict = Verdict.FINE if options.allow_new else Verdict.UNKNOWN
    what = error.what if options.allow_new or not error.hint else f"{error.what} ({error.hint})"
    place = Place(file=proposal.file)
    return Finding(rule="unknown-name", verdict=verdict, place=place, target=proposal.file, what=what)


def _deleted(
    dictionary: Dictionary, proposal: Proposal, options: CheckOptions, files: ProposedFiles
) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Check the deletion of a schema's file as that of its subject, unless another file has the subject now."""
    target = proposal.target
    name = target.subject or target.topic
    if any(other.text is not None and other.target == target for other in files.proposals):
        return (), ()
    kind = "subject" if target.subject else "topic"
    answers = may_delete(dictionary, subject=target.subject, topic=target.topic, cluster=options.cluster)
    verdicts = {Answer.YES: Verdict.FINE, Answer.NO: Verdict.IMPACT, Answer.UNKNOWN: Verdict.UNKNOWN}
    findings = tuple(
        Finding(
            rule="file-deleted",
            verdict=verdicts[answer.answer],
            place=Place(file=proposal.file),
            target=f"{kind} {name}",
            what=f"{answer.what} may be deleted: {answer.answer}",
            why=tuple(f"{use.kind} {use.name}: {use.what}" for use in answer.uses),
        )
        for answer in answers
    )
    return (f"{kind} {name}",), findings


def _about_dictionary(
    conn: Connection, options: CheckOptions, findings: Sequence[Finding], now: datetime
) -> Iterator[Finding]:
    """Yield what is not known; the graph matters only where something that may be used changes."""
    oldest = None if options.max_age is None else now - options.max_age
    yield from source_findings(conn, options.cluster, _ABOUT_DICTIONARY, oldest)
    if any(_may_hit(finding) for finding in findings):
        yield from graph_findings(conn, Hits(conn), _ABOUT_DICTIONARY)


_HARMLESS = ("column-added", "column-gained", "output-gained", "input-gained", "input-lost", "unknown-name")


def _may_hit(finding: Finding) -> bool:
    return finding.rule not in _HARMLESS
