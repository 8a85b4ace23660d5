"""What a change does to connectors, topics and statements beyond what their flows show."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.kinds import CountedJob
from dataflow_generator.jobs.model import GraphDataset
from scanner_check.edits.settings import setting_edits
from scanner_check.edits.statements import (
    changed_codes,
    clauses,
    decides_rows,
    names_table,
    placed_codes,
    starts_alike,
)
from scanner_check.inputs.git import ObjectReader, Trees
from scanner_check.knowledge.clients import Meaning, meaning_of
from scanner_check.knowledge.connectors import changed_settings
from scanner_check.knowledge.names import all_words
from scanner_check.model import ChangeFinding, Message, Place, Verdict, literal
from scanner_check.rows.files import NOT_JUDGED
from scanner_check.rows.flows import COLUMN_LOST, JOB_STOPPED
from scanner_check.rows.table import row_of
from scanner_check.rules.coverage.coverage import Coverage, is_covered
from scanner_check.rules.coverage.file_findings import quoted
from scanner_check.rules.coverage.setting_rules import KUSTOMIZATIONS
from scanner_check.rules.coverage.undeclared import undeclared_findings
from scanner_check.rules.flows.program_changes import ProgramChanges
from scanner_check.sides import mentions
from scanner_check.sides.commit import Commit, read_by, uses_of, written_by
from scanner_check.users.hits import Hits
from scanner_extractor.repository.applications.settings import is_settings_file
from scanner_extractor.repository.declared import path_of
from scanner_extractor.repository.sql_files import takes_back, without_down
from scanner_extractor.repository.statements import DATABASE, engine_of, statements_of
from scanner_extractor.repository.topic_files.forms import DESCRIPTION, describes_topics, granted
from scanner_model.catalogs import Annotation
from scanner_model.declarations import Declaration, DeclaredKind
from scanner_model.streaming_sql import StreamingStatement

_CONNECTED = re.compile(r"(?i)'connector'\s*=\s*'(?!(?:upsert-)?kafka'|datagen'|faker'|print'|blackhole')")
"""An option of a table of Flink that is in another store, whatever moves its data."""
_CAPTURES = re.compile(r"(?i)debezium|cdc|jdbc")
"""In the classes of connectors that read tables of a database."""
_PLAIN = re.compile(r"[\w.$-]+")
"""The name of one table, without patterns and placeholders."""
_LISTED = 10
_SHOWN = 3


class _Code(NamedTuple):
    """A statement as its words, with its file and its lines there."""

    code: str
    path: str
    line: int
    last: int

    def is_at(self, places: Collection[Place]) -> bool:
        """Return whether one of *places* is in it; one at the start of its file is of all statements."""
        lines = [place.line for place in places if place.file == self.path]
        return any(line == 1 or self.line <= line <= self.last for line in lines)


class Unexplained:
    """Compares two commits for what no finding is about.

    *files* are the changed files that are read, by kind, and the files of tests that something deploys.
    """

    def __init__(
        self,
        commits: tuple[Commit, Commit],
        trees: Trees,
        files: tuple[Mapping[str, str], Collection[str]],
        hits: Hits,
        objects: ObjectReader,
    ) -> None:
        self._base, self._head = commits
        self._judged, self._deployed = files
        self._trees, self._hits, self._objects = trees, hits, objects
        self.unbound: set[tuple[str, str]] = set()
        """Topics that edits of bindings without a function name, each with its file, after `findings`."""

    def findings(
        self, known: Sequence[ChangeFinding], renamed: Collection[str], programs: ProgramChanges
    ) -> Iterator[ChangeFinding]:
        """Yield what none of the *known* findings is about; *renamed* paths have the content of another one."""
        about = {name for finding in known if finding.counts for name in (finding.target, finding.item)}
        places = [finding.place for finding in known if finding.counts]
        covered = (path for path in self._trees.changed if path in self._deployed or is_covered(path))
        texts = {path: self._objects.texts(path, self._trees) for path in covered}
        yield from self._connectors(about)
        yield from self._topics(about)
        yield from self._described(about, texts)
        yield from self._undeployed(texts)
        columns = [(one.item, one.message.values[-1]) for one in known if one.counts and row_of(one) is COLUMN_LOST]
        yield from self._statements(places, texts, columns)
        coverage = Coverage((self._base, self._head), self._trees, self._judged, self._hits, self._objects, programs)
        self.unbound = coverage.rules.unbound
        are_known = self._used_tables is not None
        of_files = coverage.findings(texts, renamed, uses_tables=self._uses_tables, are_tables_known=are_known)
        # A finding of a program at the line of a setting says more of it.
        yield from (one for one in of_files if one.place not in places or not is_settings_file(one.place.file))
        commits = self._base, self._head
        yield from undeclared_findings(commits, self._trees, self._objects, coverage.rules, renamed)

    # --- connectors and topics

    def _connectors(self, about: Collection[str]) -> Iterator[ChangeFinding]:
        before, after = (_declared(commit, DeclaredKind.CONNECTOR) for commit in (self._base, self._head))
        kept = {declared.config for declared in after.values()}
        written = {job.flows.job.name: written_by(job) for job in self._base.jobs}
        for name, old in before.items():
            if name in about or f"job {name}" in about:
                continue
            new = after.get(name)
            if new is None:
                if old.config not in kept and not written.get(name):
                    yield NOT_JUDGED.unknown(_at(old.place), f"job {name}", name, form="job gone")
                continue
            keys = changed_settings(dict(old.config), dict(new.config), is_read=name in written)
            keys += [member for member in ("parent", "state") if getattr(old, member) != getattr(new, member)]
            if keys:
                reasons = tuple(Message("no rule", (key,)) for key in keys)
                users, place = self._hits.readers(sorted(written.get(name, ()))), _at(new.place)
                yield NOT_JUDGED.unknown(
                    place, f"job {name}", name, form="job", item=name, reasons=reasons, affected=users
                )

    def _undeployed(self, texts: Mapping[str, tuple[str, str]]) -> Iterator[ChangeFinding]:
        """Yield the connectors whose file leaves what a script or kustomization deploys."""
        before, after = (_declared(commit, DeclaredKind.CONNECTOR) for commit in (self._base, self._head))
        places = {
            name: (path_of(before[name].place), path_of(after[name].place)) for name in before.keys() & after.keys()
        }
        dropped: dict[str, Place] = {}
        for path, (old, new) in texts.items():
            if path.rpartition("/")[2] in KUSTOMIZATIONS and path in self._trees.head:
                for edit in setting_edits(path, old, new) or ():
                    if edit.before is not None and edit.path[0] in ("resources", "bases", "components"):
                        file = posixpath.normpath(posixpath.join(posixpath.dirname(path), edit.before))
                        dropped[file] = Place(file=path, line=edit.line)
        for name, (old, new) in sorted(places.items()):
            place = next((place for file, place in dropped.items() if old == file or old.startswith(f"{file}/")), None)
            if place is None and posixpath.dirname(old) != posixpath.dirname(new):
                place = Place(file=new) if self._deploys(old) and not self._deploys(new) else None
            if place is not None:
                written = [
                    dataset for job in self._base.jobs if job.flows.job.name == name for dataset in written_by(job)
                ]
                message = JOB_STOPPED.message(name, form="not deployed")
                affected = self._hits.readers(sorted(written))
                yield JOB_STOPPED.found(
                    Verdict.IMPACT, place, f"job {name}", message=message, item=name, affected=affected
                )

    def _deploys(self, path: str) -> bool:
        """Return whether a script or workflow of the second commit names all files of a file's directory."""
        folder = posixpath.basename(posixpath.dirname(path))
        pattern = re.compile(rf"(?<![\w-]){re.escape(folder)}/(?:\*|$|[\s\"'])", re.MULTILINE)
        scripts = (file for file in self._trees.head if folder and mentions.is_script(file))
        return any(pattern.search(self._objects.text(self._trees.head[file])) for file in scripts)

    def _topics(self, about: Collection[str]) -> Iterator[ChangeFinding]:
        before, after = (_declared(commit, DeclaredKind.TOPIC) for commit in (self._base, self._head))
        used = {dataset.name: dataset for dataset in self._base.used if dataset.kind is NodeKind.TOPIC}
        for name in sorted(before.keys() & after.keys() - {*about}):
            old, new = before[name], after[name]
            differing = {key for key, _ in {*old.config} ^ {*new.config}}
            keys = sorted(key for key in differing if meaning_of(all_words((key,))) is not Meaning.NOTHING)
            keys += ["partitions"] if old.partitions != new.partitions else []
            if keys:
                users, place = self._hits.of(used[name]) if name in used else (), _at(new.place)
                yield NOT_JUDGED.unknown(
                    place, f"topic {name}", tuple(keys), name, form="topic", item=name, affected=users
                )

    def _described(self, about: Collection[str], texts: Mapping[str, tuple[str, str]]) -> Iterator[ChangeFinding]:
        """Yield the topics whose description keeps other records than before, or lets fewer programs use them."""
        used = {dataset.name: dataset for dataset in self._base.used if dataset.kind is NodeKind.TOPIC}
        changed: dict[tuple[str, str, str], tuple[str, set[str]]] = {}
        for path in sorted(texts.keys() & self._base.reading.files.get(DESCRIPTION, ())):
            topic = self._topic_in(path, self._head)
            if path not in self._trees.head or topic != self._topic_in(path, self._base):
                continue
            if not describes_topics(path, texts[path][0]):
                continue
            for edit in setting_edits(path, *texts[path]) or ():
                is_same = topic != path or (edit.before and edit.after)  # else of a topic that comes or goes
                if is_same and meaning_of(all_words(edit.keys)) is Meaning.RECORDS:
                    key = topic, "description", ""
                    changed.setdefault(key, (f"{path}:{edit.line}", set()))[1].add(edit.keys[-1])
            before, after = map(granted, texts[path])
            for job, does, _ in sorted(before - after):
                changed.setdefault((topic, "right", does), (path, set()))[1].add(job)
        for (topic, form, does), (place, names) in sorted(changed.items(), key=_in_order):
            if topic not in about:
                is_known = topic not in texts  # else it is a file that describes several
                target, name = (f"topic {topic}", topic) if is_known else (topic, "")
                hit = self._hits.of(used[topic]) if topic in used else ()
                users, values = tuple(one for one in hit if one.name in names) or hit, tuple(sorted(names))
                yield NOT_JUDGED.unknown(_at(place), target, values, topic, does, form=form, item=name, affected=users)

    def _topic_in(self, path: str, commit: Commit) -> str:
        """Return the topic that a file of a commit is about; its path if that is not one."""
        reading = commit.reading
        names = {one.name for one in reading.of(Declaration) if path_of(one.place) == path}
        # A topic of several files, one for each cluster, is declared once, and has an owner in each.
        names |= {one.topic for one in reading.of(Annotation) if one.topic and one.name.startswith(f"{path}#")}
        return min(names) if len(names) == 1 else path

    # --- statements

    def _statements(
        self,
        places: Collection[Place],
        texts: Mapping[str, tuple[str, str]],
        columns: Collection[tuple[str, Hashable]],
    ) -> Iterator[ChangeFinding]:
        """Yield the files whose statements are changed; to move one, or to add columns, changes nothing.

        A statement that a finding is placed in is judged already, but for which rows it has: flows do not show that. So
        is the declaration of a table that differs by the new names of *columns* alone, each with its dataset.
        """
        before, after = (self._codes(commit, texts, side) for side, commit in enumerate((self._base, self._head)))
        old, new = ([one.code for one in side] for side in (before, after))
        changed = changed_codes(old, new) | _changed_at_home(before, after)
        others = {*old} ^ {*new}
        files: dict[str, dict[str, None]] = {}
        for one in (*before, *after):
            if one.code in changed:
                files.setdefault(one.path, {})[one.code] = None
        for path, listed in sorted(files.items()):
            own = [one for one in (*after, *before) if one.path == path]
            answered = {one.code for one in own if one.is_at(places)} | {*_declaring(listed, new, columns)}
            codes = [code for code in listed if code not in answered or decides_rows(code, others - {code})]
            if not codes:
                continue
            differing = sorted(clauses([code for code in codes if code in old], new))
            reasons = [literal(quoted(code)) for code in codes[:_LISTED]]
            written = self._written_in(path)
            reasons += [Message("writes", (tuple(one.name for one in written[:_LISTED]),))] if written else []
            yield NOT_JUDGED.unknown(
                Place(file=path, line=next(one.line for one in own if one.code in codes)),
                path,
                tuple(differing[:_SHOWN]),
                form="statements",
                reasons=tuple(reasons),
                affected=self._hits.readers(written),
            )

    def _written_in(self, path: str) -> list[GraphDataset]:
        """Return what the statements of a file write in the first commit."""
        statements = {
            entry.statement for entry in self._base.reading.of(StreamingStatement) if path_of(entry.detail) == path
        }
        jobs = (job for job in self._base.jobs if dict(job.flows.job.attributes).get("statement"))
        written = {
            dataset
            for job in jobs
            for dataset in written_by(job)
            if path in job.flows.job.name
            or any(str(dict(job.flows.job.attributes)["statement"]) in text for text in statements)
        }
        return sorted(written)

    def _codes(self, commit: Commit, texts: Mapping[str, tuple[str, str]], side: int) -> list[_Code]:
        """Return the statements of the changed files of one side, without comments."""
        listed = [
            (path, without_down(both[side]), 0)
            for path, both in texts.items()
            if self._is_sql(path) and not takes_back(path)
        ]
        for entry in commit.reading.of(StreamingStatement):
            path, line = path_of(entry.detail), _at(entry.detail).line
            if path in texts and not self._is_sql(path):
                listed.append((path, entry.statement, line - 1))
        read = {
            path_of(entry.detail) for one in (self._base, self._head) for entry in one.reading.of(StreamingStatement)
        }
        codes: list[_Code] = []
        for path, text, above in listed:
            is_streaming = path in read or engine_of(statements_of(text)) != DATABASE
            for code, line, last in placed_codes(text) if is_streaming or self._uses_tables else ():
                if is_streaming or self._may_name_used(code):
                    codes.append(_Code(code, path, above + line, above + last))
        return codes

    def _may_name_used(self, code: str) -> bool:
        """Return whether a statement of a database may be about a table that a job uses."""
        return self._used_tables is None or names_table(code, self._used_tables)

    @cached_property
    def _used_tables(self) -> frozenset[tuple[str, ...]] | None:
        """Return the tables that jobs of both commits use, as the parts of their names; None if some are not known."""
        jobs = (*self._base.jobs, *self._head.jobs)
        names = {one.name.casefold() for job in jobs for one in uses_of(job) if one.kind is not NodeKind.TOPIC}
        statements = (
            entry.statement for one in (self._base, self._head) for entry in one.reading.of(StreamingStatement)
        )
        is_open = any(map(_CONNECTED.search, statements)) or any(
            job.coverage.unknown_connectors or job.coverage.unread or _captures_any(job) for job in jobs
        )
        return (
            None if is_open or not all(map(_PLAIN.fullmatch, names)) else frozenset(tuple(n.split(".")) for n in names)
        )

    def _is_sql(self, path: str) -> bool:
        return self._judged.get(path) == "SQL" or path.lower().endswith((".sql", ".ksql"))

    @cached_property
    def _uses_tables(self) -> bool:
        """Return whether a job reads or writes something other than a topic, or may."""
        statements = self._base.reading.of(StreamingStatement)
        return any(_CONNECTED.search(entry.statement) for entry in statements) or any(
            job.coverage.unknown_connectors
            or _captures_any(job)
            or any(one.kind is not NodeKind.TOPIC for one in uses_of(job))
            for job in self._base.jobs
        )


def _captures_any(job: CountedJob) -> bool:
    """Return whether a connector writes topics from tables that its configuration does not name."""
    return bool(job.coverage.connectors) and not read_by(job) and _CAPTURES.search(_class_of(job)) is not None


def _class_of(job: CountedJob) -> str:
    return str(dict(job.flows.job.attributes).get("connector_class", ""))


def _declaring(codes: Iterable[str], new: Collection[str], columns: Collection[tuple[str, Hashable]]) -> Iterator[str]:
    """Yield the declarations of tables that are among the *new* codes with the new names of *columns*."""
    for code in codes:
        for column, now in columns if code.upper().startswith("CREATE ") else ():
            dataset, _, name = column.rpartition(".")
            words = code.split(" ")
            is_its = any(word.strip("`\"'") == dataset for word in words)
            renamed = (word.replace(name, str(now)) if word.strip('`"') == name else word for word in words)
            if is_its and " ".join(renamed) in new:
                yield code


def _changed_at_home(before: Sequence[_Code], after: Sequence[_Code]) -> set[str]:
    """Return the statements that their own file has otherwise now, though another file may have them as they were."""
    found: set[str] = set()
    for path in {one.path for one in before} & {one.path for one in after}:
        old, new = ([one.code for one in side if one.path == path] for side in (before, after))
        come = [code for code in new if code not in old]
        changed = (code for code in changed_codes(old, new) if code in old)
        found |= {code for code in changed if any(starts_alike(code, other) for other in come)}
    return found


def _in_order(entry: tuple[tuple[str, str, str], object]) -> tuple[str, bool, str]:
    (topic, form, does), _ = entry
    return topic, form == "description", does


def _declared(commit: Commit, kind: DeclaredKind) -> dict[str, Declaration]:
    return {entry.name: entry for entry in commit.reading.of(Declaration) if entry.kind is kind}


def _at(place: str) -> Place:
    """Return a place that is written as a path, with or without a line."""
    line = place.removeprefix(path_of(place)).removeprefix(":")
    return Place(file=path_of(place), line=int(line or 1))
