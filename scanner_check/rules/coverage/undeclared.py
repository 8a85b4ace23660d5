"""Changed files in a form that no reader knows: what their edits come to, and which edits nothing explains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from functools import cached_property

from scanner_check.edits.documents import Document, is_document
from scanner_check.edits.settings import Setting, setting_edits
from scanner_check.inputs.git import ObjectReader, Trees
from scanner_check.knowledge.clients import Meaning, meaning_of, names_concept
from scanner_check.knowledge.names import all_words
from scanner_check.knowledge.resources import HARMLESS_VALUES
from scanner_check.model import ChangeFinding, Place, Verdict
from scanner_check.rows.files import NOT_READ
from scanner_check.rules.coverage.setting_rules import (
    KUSTOMIZATIONS,
    RUNS,
    Effect,
    SettingRules,
    is_values,
    runs_programs,
    speaks_of_kafka,
)
from scanner_check.sides import mentions
from scanner_check.sides.commit import Commit, written_by
from scanner_extractor.repository.applications.settings import is_settings_file
from scanner_extractor.repository.undeclared import UNDECLARED
from scanner_model.declarations import UnreadFile


class Undeclared:
    """Judges the changed files of undeclared forms between two commits; *rules* judge the edits of settings."""

    def __init__(
        self, commits: tuple[Commit, Commit], trees: Trees, objects: ObjectReader, rules: SettingRules
    ) -> None:
        self._commits = commits
        self._trees, self._objects, self._rules = trees, objects, rules

    def findings(self, renamed: Collection[str]) -> Iterator[ChangeFinding]:
        """Yield the files with a change that nothing explains; *renamed* paths have the content of another one."""
        if self._only_moves():
            return
        for path, unread in self._files.items():
            if path not in renamed and not self._is_explained(path):
                message = NOT_READ.message(unread.kind, unread.reason, form="of a kind")
                yield NOT_READ.found(Verdict.UNKNOWN, Place(file=path), path, message=message)

    @cached_property
    def _files(self) -> dict[str, UnreadFile]:
        """Return the changed files of undeclared forms, as the second commit has them, else the first."""
        base, head = (commit.unread for commit in self._commits)
        listed = {path: head.get(path) or base.get(path) for path in self._trees.changed}
        return {path: unread for path, unread in listed.items() if unread is not None and unread.kind == UNDECLARED}

    def _only_moves(self) -> bool:
        """Return whether the files have the same lines together as before."""
        before, after = (
            Counter(
                line for path in self._files if path in tree for line in self._objects.read(tree[path]).splitlines()
            )
            for tree in (self._trees.base, self._trees.head)
        )
        return before == after

    def _is_explained(self, path: str) -> bool:
        """Return whether each edit of a file has no effect by its meaning, or is reported or compared as what it is."""
        before, after = self._objects.texts(path, self._trees)
        is_judged = before and after and is_document(path) and not mentions.is_script(path)
        edits = setting_edits(path, before, after) if is_judged else None
        return edits is not None and all(
            self._has_no_effect(path, edit) or self._is_reported(path, edit) for edit in edits
        )

    def _is_reported(self, path: str, edit: Setting) -> bool:
        """Return whether the flows show an edit, a finding of its own reports it, or its form says that it has none."""
        effect, jobs = self._rules.judge(path, edit)
        if effect is Effect.UNKNOWN:
            return not jobs or any(map(written_by, jobs))  # of programs that only read, the finding is fine
        is_known = is_settings_file(path) or runs_programs(edit.document) or path.rpartition("/")[2] in KUSTOMIZATIONS
        return effect is not Effect.NOTHING or is_known

    def _has_no_effect(self, path: str, edit: Setting) -> bool:
        """Return whether an edit is of a setting that only connects a program, or of how it is run."""
        return (
            self._is_of_another_chart(edit)
            or meaning_of(all_words(edit.keys)) is Meaning.NOTHING
            or (bool(edit.document.api) and not RUNS.isdisjoint(edit.keys))
            or (is_values(path) and not HARMLESS_VALUES.isdisjoint(edit.keys))
        )

    def _is_of_another_chart(self, edit: Setting) -> bool:
        """Return whether an edit is of the values of a chart, below its name, and no value there is about Kafka."""
        chart = edit.path[0] if edit.path else ""
        own = tuple(leaf for leaf in edit.document.leaves if leaf.path[:1] == (chart,))
        return chart in self._charts and not speaks_of_kafka(Document(own)) and not names_concept(all_words(edit.keys))

    @cached_property
    def _charts(self) -> frozenset[str]:
        """Return the names of the charts of both commits: Helm requires that the directory of one has its name."""
        paths = (*self._trees.base, *self._trees.head)
        return frozenset(path.split("/")[-2] for path in paths if path.endswith("/Chart.yaml"))
