"""Changed files in a form that no reader knows: what their edits come to, and which edits nothing explains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from scanner_check.edits.documents import Document, is_document
from scanner_check.edits.settings import Setting
from scanner_check.inputs.git import ObjectReader, Trees
from scanner_check.knowledge.clients import Meaning, meaning_of, names_concept
from scanner_check.knowledge.names import all_words
from scanner_check.knowledge.resources import HARMLESS_VALUES
from scanner_check.model import ChangeFinding, Place
from scanner_check.rows.files import NOT_READ
from scanner_check.rules.coverage.setting_rules import (
    KUSTOMIZATIONS,
    RUNS,
    Effect,
    Judgement,
    SettingRules,
    is_values,
    runs_programs,
    speaks_of_kafka,
)
from scanner_check.sides import mentions
from scanner_check.sides.commit import Commit, written_by
from scanner_extractor.repository.applications.settings import is_settings_file
from scanner_extractor.repository.undeclared import UNDECLARED


def undeclared_findings(
    commits: tuple[Commit, Commit], trees: Trees, objects: ObjectReader, rules: SettingRules, renamed: Collection[str]
) -> Iterator[ChangeFinding]:
    """Yield the changed files of undeclared forms with a change that nothing explains, as *rules* judge it.

    *renamed* paths have the content of another one. Files that have the same lines together as before only move them.
    """
    base, head = (commit.unread for commit in commits)
    listed = {path: head.get(path) or base.get(path) for path in trees.changed}
    files = {path: unread for path, unread in listed.items() if unread is not None and unread.kind == UNDECLARED}
    before, after = (
        Counter(line for path in files if path in tree for line in objects.text(tree[path]).splitlines())
        for tree in (trees.base, trees.head)
    )
    paths = (*trees.base, *trees.head)
    # Helm requires that the directory of a chart has its name.
    charts = frozenset(path.split("/")[-2] for path in paths if path.endswith("/Chart.yaml"))
    for path, unread in files.items() if before != after else ():
        is_judged = all(objects.texts(path, trees)) and is_document(path) and not mentions.is_script(path)
        edits = rules.edits(path) if is_judged and path not in renamed else None
        if path not in renamed and not (edits is not None and all(_is_explained(path, charts, *one) for one in edits)):
            yield NOT_READ.unknown(Place(file=path), path, unread.kind, unread.reason, form="of a kind")


def _is_explained(path: str, charts: Collection[str], edit: Setting, judgement: Judgement) -> bool:
    """Return whether an edit has no effect by its meaning, or is reported or compared as what it is.

    The flows show it, a finding of its own reports it, or its form says that it has none: it is of a setting that only
    connects a program, or of how it is run.
    """
    if (
        _is_of_another_chart(charts, edit)
        or meaning_of(all_words(edit.keys)) is Meaning.NOTHING
        or (bool(edit.document.api) and not RUNS.isdisjoint(edit.keys))
        or (is_values(path) and not HARMLESS_VALUES.isdisjoint(edit.keys))
    ):
        return True
    effect, jobs = judgement
    if effect is Effect.UNKNOWN:
        return not jobs or any(map(written_by, jobs))  # of programs that only read, the finding is fine
    is_known = is_settings_file(path) or runs_programs(edit.document) or path.rpartition("/")[2] in KUSTOMIZATIONS
    return effect is not Effect.NOTHING or is_known


def _is_of_another_chart(charts: Collection[str], edit: Setting) -> bool:
    """Return whether an edit is of the values of a chart, below its name, and no value there is about Kafka."""
    chart = edit.path[0] if edit.path else ""
    own = tuple(leaf for leaf in edit.document.leaves if leaf.path[:1] == (chart,))
    return chart in charts and not speaks_of_kafka(Document(own)) and not names_concept(all_words(edit.keys))
