"""The check of a change between two commits: whether it concerns Kafka at all, and then what it does.

Neither commit needs a dictionary. What compares them is imported only for a change that may concern Kafka.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scanner_check.edits.commands import changed_commands
from scanner_check.edits.deployed_files import deployed_files, in_lfs
from scanner_check.edits.libraries import is_build_file, library_edits, start_edits
from scanner_check.inputs.baseline import apply_baseline
from scanner_check.inputs.git import ObjectReader, Trees, commit_trees, object_reader
from scanner_check.inputs.options import CheckOptions
from scanner_check.inputs.proposals import Proposal
from scanner_check.model import ChangeFinding, ChangeReport, CheckedFile, CommitChanges, Place, SkippedFile
from scanner_check.rows.files import NOT_EXAMINED, NOTHING_CHECKED
from scanner_check.sides import mentions
from scanner_extractor.repository.applications.aliases import resolution
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.topic_files.eventcatalog import is_page
from scanner_extractor.repository.undeclared import TEST, is_workflow, why_harmless
from scanner_model.lazy_names import load
from scanner_model.usage import Usage

if TYPE_CHECKING:
    from dataflow_generator.stored.dictionary import Dictionary
    from scanner_check.comparison import Running
    from scanner_check.users.hits import Hits

_COMPARE = "scanner_check.comparison:compare_trees"
_OPEN, _UNUSED = "scanner_check.users.others:open_others", "scanner_check.users.usage:without_unused"
_CHECK, _FILES = "scanner_check.check:check_beside", "scanner_check.inputs.files:git_files"


def check_commits(
    commits: str,
    options: CheckOptions | None = None,
    *,
    directory: Path = Path(),
    dictionary: Dictionary | None = None,
    now: datetime | None = None,
) -> ChangeReport:
    """Return what the change between two commits, `BASE..HEAD` or `BASE...HEAD`, breaks and whom it hits.

    Both commits are read as all that their files declare, and compared; no server and no dictionary is needed. With a
    *dictionary*, what it has is compared with that instead, and its graph completes that of the first commit. Raises
    InputInvalid where git fails.

    >>> check_commits("origin/main...HEAD").verdict
    """
    chosen, at = options or CheckOptions(), now or datetime.now(UTC)
    check = None if dictionary is None else partial(_running, (commits, directory), dictionary, (chosen, at))
    changes = _compared(commits, directory, (chosen, at), check)
    running = changes.running
    findings = [*changes.findings, *chosen.settings_changes]
    findings += map(_not_examined, changes.not_examined) if chosen.strict else ()
    findings, of_usage = _without_unused(findings, dictionary, chosen)
    marked, notes = apply_baseline(findings, chosen.accepted, at.date())
    of_policy = [note for note in running.notes if note.startswith("policy: ")] if running else ()
    return ChangeReport(
        files=changes.files,
        findings=marked,
        scans=running.scans if running else (),
        skipped=changes.skipped,
        notes=(*notes, *of_policy, *of_usage),
        not_examined=changes.not_examined,
        concerns_kafka=changes.concerns_kafka,
    )


def _compared(
    commits: str, directory: Path, how: tuple[CheckOptions, datetime], check: Running | None
) -> CommitChanges:
    options, at = how
    trees = commit_trees(commits, directory)
    with object_reader(directory) as objects:
        is_deployed = bool(deployed_files(trees.changed, trees, objects))
        may_concern = trees.special or is_deployed or any(_may_concern(path, trees, objects) for path in trees.changed)
        if not may_concern:
            running = check((), None) if check else None
            changed = _nothing_relevant(trees, mentions.speaks_of_kafka(trees, objects))
            return changed._replace(running=running, findings=running.findings if running else ())
        changes: CommitChanges = load(_COMPARE)(trees, objects, options, at, check)
        return changes


def _without_unused(
    findings: list[ChangeFinding], dictionary: Dictionary | None, options: CheckOptions
) -> tuple[list[ChangeFinding], tuple[str, ...]]:
    """Return the findings with the verdict of the readers that count, as all dictionaries saw them, and remarks."""
    if options.usage == Usage():
        return findings, ()
    with ExitStack() as stack:
        conns = load(_OPEN)(replace(options, beside=()), stack)
        conns += (stack.enter_context(dictionary.reading()),) if dictionary is not None else ()
        result: tuple[list[ChangeFinding], tuple[str, ...]] = load(_UNUSED)(findings, conns, options.usage)
        return result


def _running(
    repository: tuple[str, Path],
    dictionary: Dictionary,
    how: tuple[CheckOptions, datetime],
    proposals: Sequence[Proposal],
    base: Hits | None,
) -> ChangeReport:
    """Return what the changed files, and *proposals* (schemas of other files, dropped topics) do to what runs."""
    (commits, directory), (options, at) = repository, how
    files = load(_FILES)(commits, options.map, directory)
    named = {(proposal.target.subject, proposal.target.topic) for proposal in files.proposals}
    more = (one for one in proposals if (one.target.subject, one.target.topic) not in named)
    files = replace(files, proposals=(*files.proposals, *more))
    chosen = replace(options, allow_new=True, settings_changes=(), accepted=(), beside=(), others=())
    report: ChangeReport = load(_CHECK)(dictionary, files, chosen, at, base)
    return replace(report, findings=tuple(one for one in report.findings if one.rule != NOTHING_CHECKED.name))


def _not_examined(skipped: SkippedFile) -> ChangeFinding:
    return NOT_EXAMINED.unknown(Place(file=skipped.file), skipped.file, skipped.why)


def _may_concern(path: str, trees: Trees, objects: ObjectReader) -> bool:
    """Return whether a changed file may declare anything, by its name; build files and workflows by what changes.

    A document may be a page of a catalog.
    """
    if why := why_harmless(path):
        pages = (RepositoryFile(path, text) for text in objects.texts(path, trees)) if why != TEST else ()
        return any(map(is_page, pages))
    if not _is_read_by_lines(path) or in_lfs(path, trees, objects):
        return True
    before, after = objects.texts(path, trees)
    if before and after and resolution(path, before) != resolution(path, after):
        return True
    if is_build_file(path):
        registers = "subject" in before + after and not path.endswith("package.json")
        return registers or bool(library_edits(before, after) or start_edits(path, before, after))
    return bool(changed_commands(before, after, (), is_shell=False))


def _is_read_by_lines(path: str) -> bool:
    return is_build_file(path) or is_workflow(path)


def _nothing_relevant(trees: Trees, concerns_kafka: bool) -> CommitChanges:
    """Return the result for a change that neither commit has to be read for."""
    harmless = {path: why for path in trees.changed if (why := why_harmless(path))}
    files = tuple(CheckedFile(file=path, kind="settings") for path in trees.changed if path not in harmless)
    skipped = tuple(SkippedFile(path, why) for path, why in harmless.items())
    return CommitChanges(files, skipped, (), (), concerns_kafka=concerns_kafka)
