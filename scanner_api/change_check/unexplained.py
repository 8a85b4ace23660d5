"""What a change holds beyond what was judged: settings, statements and lines that no rule covers."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.kinds import CountedJob
from dataflow_generator.jobs.model import Use
from dataflow_generator.sql.comparison import difference, same_statement
from dataflow_generator.sql.lexer import guess_dialect
from scanner_api.change_check import mentions, settings_changes
from scanner_api.change_check.commit import Commit, read_by, uses_of, written_by
from scanner_api.change_check.git import ObjectReader, Trees
from scanner_api.change_check.hits import Hits
from scanner_api.change_check.model import ChangeFinding, Place, Verdict, few
from scanner_api.change_check.program_changes import ProgramChanges
from scanner_api.change_check.settings_changes import Setting, SettingEdit
from scanner_extractor.repository.contracts import ASYNCAPI, CONTRACT
from scanner_extractor.repository.files import LARGEST, is_candidate, is_left_out
from scanner_extractor.repository.statements import DATABASE, engine_of, statements_of
from scanner_extractor.repository.syntax_trees import words
from scanner_extractor.repository.topic_files.forms import DESCRIPTION, granted
from scanner_model.catalogs import Annotation
from scanner_model.declarations import Declaration, DeclaredKind
from scanner_model.errors import InputInvalid
from scanner_model.manual import DeclaredFlow
from scanner_model.redaction import mask_statement
from scanner_model.streaming_sql import StreamingStatement

RULE = "not-judged"

_OF_RUN = (
    r"tasks\.?max|[\w.]*(?:(?:timeout|interval|backoff|delay)\.(?:ms|sec(?:ond)?s?)|retries|attempts)|(?:flush|batch|buffer|fetch|queue)\.(?:(?:max|min|size|count|bytes|records|memory|linger|ms)[\w.]*|[\w.]*(?:size|bytes|ms))"
    r"|[\w.]*(?:user|username|password|secret|token|credentials?)|(?:[\w.]*\.)?(?:ssl|sasl|security)\.[\w.]*"
    r"|(?:database\.history|schema\.history\.internal)\.[\w.]*|(?:errors\.log|heartbeat|logging|management)\.[\w.]*"
)
_HARMLESS = re.compile(rf"(?i)(?!transforms|predicates)(?:{_OF_RUN}|max\.[\w.]*|name)")
"""A setting of a connector that says how it runs, not which data there are, nor their form."""
_HARMLESS_OF_TOPIC = re.compile(r"(?:segment|flush|index|file|preallocate|min\.insync|unclean|follower|leader)[\w.]*")
_JUDGED = re.compile(r"[\w.]*topics?(?:\.regex)?|(?:table|collection|database|schema)\.(?:include\.list|whitelist)")
"""A setting whose whole effect is in the flows, which are compared."""
_ENTITY = re.compile(
    r"@(?:Entity|Table|Column|MappedSuperclass|Embeddable)\b|\bmodels\.Model\b|__tablename__|\bDbSet<|`gorm:|\bActiveRecord\b"
)
"""What maps a class to a table of a database."""
_COMPARED = frozenset(("schema", "connector", "SQL", CONTRACT, ASYNCAPI))
"""Kinds of files whose facts are all compared."""
_DECLARES = re.compile(r"(?i)(?:CREATE|INSERT|EXECUTE|BEGIN|END|WITH|SELECT|SHOW|DESCRIBE|PRINT|LIST|USE|COMMIT)\b")
_ADDS_COLUMN = re.compile(r"(?i)ALTER\s+TABLE\b(?!.*\b(?:DROP|RENAME|CHANGE|MODIFY|ALTER\s+COLUMN|TYPE)\b).*\bADD\b.*")
_NO_DATA = re.compile(
    r"(?i)INSERT\b.*\bVALUES\b.*|(?:GRANT|COMMENT\s+ON|CREATE\s+(?:UNIQUE\s+)?(?:INDEX|USER|ROLE|EXTENSION|SEQUENCE))\b.*"
)
_CONNECTOR = re.compile(r"(?i)CREATE\s+(?:SINK|SOURCE)\s+CONNECTOR\b")
"""A statement whose settings are compared as those of any connector."""
_TOKEN = re.compile(r"'(?:[^']|'')*'|[\w.`\"]+|\S")
_NO_COLUMN = words(
    "WHERE HAVING WINDOW JOIN ON DISTINCT UNION LIMIT NOT AND OR CASE WITH BY EMIT PARTITION FROM KEY PRIMARY"
    " SELECT INSERT CREATE WATERMARK GRACE RETENTION FETCH OFFSET TABLESAMPLE FOR IN PIVOT UNPIVOT EXCEPT INTERSECT"
    " = < > ! * / + - | %"
)
_CONNECTED = re.compile(r"(?i)'connector'\s*=\s*'(?!(?:upsert-)?kafka'|datagen'|faker'|print'|blackhole')")
"""An option of a table of Flink that is in another store, whatever moves its data."""
_OBJECT = re.compile(r"(?m)^\s*(?:-\s+)?apiVersion:\s")
_TEMPLATE = re.compile(r"(?s)\{\{.*kind:\s*Kafka|kind:\s*Kafka.*\{\{")
"""An object of Strimzi in a template, which is not read: the topic or connector may exist already."""
_KUSTOMIZATIONS = frozenset(("kustomization.yaml", "kustomization.yml", "Kustomization"))
_LISTED = 10
_SHOWN = 3
_LONGEST = 200


class Unexplained:
    """Compares two commits for what no finding is about; *judged* are the changed files that are read, by kind."""

    def __init__(
        self,
        commits: tuple[Commit, Commit],
        trees: Trees,
        judged: Mapping[str, str],
        hits: Hits,
        objects: ObjectReader,
    ) -> None:
        self._base, self._head = commits
        self._trees, self._judged, self._hits, self._objects = trees, judged, hits, objects

    def findings(
        self, known: Sequence[ChangeFinding], renamed: Collection[str], programs: ProgramChanges
    ) -> Iterator[ChangeFinding]:
        """Yield what none of the *known* findings is about; *renamed* paths have the content of another one."""
        about = {name for finding in known if finding.counts for name in (finding.target, finding.item)}
        files = {finding.place.file for finding in known if finding.counts or finding.rule == "level-changed"}
        texts = {path: self._both(path) for path in self._trees.changed if self._is_text(path)}
        found = [
            *self._connectors(about),
            *self._topics(about),
            *self._described(about, texts),
            *self._undeployed(texts),
            *self._statements(files, texts),
        ]
        yield from found
        answered = {*files, *renamed, *(finding.place.file for finding in found)}
        yield from self._lines(answered, texts, programs, {path.rpartition("/")[2] for path in renamed})

    def _is_text(self, path: str) -> bool:
        return not mentions.why_harmless(path) and not is_left_out(path) and is_candidate(path)

    def _both(self, path: str) -> tuple[str, str]:
        """Return the text of a file before and after; empty where it is not there, or too large."""
        before, after = (
            self._objects.read(tree[path]) if path in tree else b"" for tree in (self._trees.base, self._trees.head)
        )
        return _text(before), _text(after)

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
                    yield _unknown(
                        old.place, f"job {name}", f"{name} is not declared any more; what it did is not known"
                    )
                continue
            keys = [
                key for key in _changed_keys(old, new, _HARMLESS) if name not in written or not _JUDGED.fullmatch(key)
            ]
            if keys:
                hit = [hit for one in sorted(written.get(name, ())) for hit in self._hits.of(one)]
                what = f"{name} is changed, and what that does to its data is not known"
                finding = _unknown(new.place, f"job {name}", what, name)
                why = tuple(f"no rule covers the change of {key}" for key in keys)
                yield replace(
                    finding, why=why, affected=tuple(one for one in dict.fromkeys(hit) if one.use != "writes")
                )

    def _undeployed(self, texts: Mapping[str, tuple[str, str]]) -> Iterator[ChangeFinding]:
        """Yield the connectors whose file leaves what a script or kustomization deploys."""
        before, after = (_declared(commit, DeclaredKind.CONNECTOR) for commit in (self._base, self._head))
        places = {
            name: (_path_of(before[name].place), _path_of(after[name].place)) for name in before.keys() & after.keys()
        }
        dropped: dict[str, Place] = {}
        for path, (old, new) in texts.items():
            if path.rpartition("/")[2] in _KUSTOMIZATIONS and path in self._trees.head:
                for edit in settings_changes.edits_of(path, old, new):
                    if edit.before is not None and edit.before.path[0] in ("resources", "bases", "components"):
                        dropped[posixpath.normpath(posixpath.join(posixpath.dirname(path), edit.before.value))] = Place(
                            file=path, line=edit.setting.line
                        )
        for name, (old, new) in sorted(places.items()):
            place = next((place for file, place in dropped.items() if old == file or old.startswith(f"{file}/")), None)
            if place is None and posixpath.dirname(old) != posixpath.dirname(new):
                place = Place(file=new) if self._deploys(old) and not self._deploys(new) else None
            if place is not None:
                written = [
                    dataset for job in self._base.jobs if job.flows.job.name == name for dataset in written_by(job)
                ]
                users = dict.fromkeys(hit for dataset in sorted(written) for hit in self._hits.of(dataset))
                what = f"{name} is no longer among the files that are deployed"
                finding = ChangeFinding(
                    rule="job-stopped", verdict=Verdict.IMPACT, place=place, target=f"job {name}", what=what, item=name
                )
                yield replace(finding, affected=tuple(hit for hit in users if hit.use != "writes"))

    def _deploys(self, path: str) -> bool:
        """Return whether a script or workflow of the second commit names all files of a file's directory."""
        folder = posixpath.basename(posixpath.dirname(path))
        pattern = re.compile(rf"(?<![\w-]){re.escape(folder)}/(?:\*|$|[\s\"'])", re.MULTILINE)
        scripts = (file for file in self._trees.head if folder and settings_changes.is_script(file))
        return any(pattern.search(_text(self._objects.read(self._trees.head[file]))) for file in scripts)

    def _topics(self, about: Collection[str]) -> Iterator[ChangeFinding]:
        before, after = (_declared(commit, DeclaredKind.TOPIC) for commit in (self._base, self._head))
        used = {dataset.name: dataset for dataset in self._base.used if dataset.kind is NodeKind.TOPIC}
        for name in sorted(before.keys() & after.keys() - {*about}):
            keys = _changed_keys(before[name], after[name], _HARMLESS_OF_TOPIC)
            if keys:
                what = f"{', '.join(keys)} of the topic {name} changed, and what that does to its users is not known"
                finding = _unknown(after[name].place, f"topic {name}", what, name)
                yield replace(finding, affected=self._hits.of(used[name]) if name in used else ())

    def _described(self, about: Collection[str], texts: Mapping[str, tuple[str, str]]) -> Iterator[ChangeFinding]:
        """Yield the topics whose description keeps other records than before, or lets fewer programs use them."""
        used = {dataset.name: dataset for dataset in self._base.used if dataset.kind is NodeKind.TOPIC}
        changed: dict[tuple[str, str], tuple[str, set[str]]] = {}
        for path in sorted(texts.keys() & self._base.reading.files.get(DESCRIPTION, ())):
            topic = self._topic_in(path, self._head)
            if path not in self._trees.head or topic != self._topic_in(path, self._base):
                continue
            for edit in settings_changes.edits_of(path, *texts[path]):
                is_same = topic != path or (edit.before and edit.after)  # else of a topic that comes or goes
                if is_same and settings_changes.is_of_records(edit):
                    what = f"of {topic} changed, and what that does to its users is not known"
                    changed.setdefault((topic, what), (f"{path}:{edit.setting.line}", set()))[1].add(edit.key)
            before, after = map(granted, texts[path])
            for job, does, _ in sorted(before - after):
                what = f"may no longer {does} {topic}; whether that is still done is not known"
                changed.setdefault((topic, what), (path, set()))[1].add(job)
        for (topic, what), (place, names) in sorted(changed.items()):
            if topic not in about:
                is_known = topic not in texts  # else it is a file that describes several
                target, name = (f"topic {topic}", topic) if is_known else (topic, "")
                finding = _unknown(place, target, f"{few(sorted(names))} {what}", name)
                hit = self._hits.of(used[topic]) if topic in used else ()
                yield replace(finding, affected=tuple(one for one in hit if one.name in names) or hit)

    def _topic_in(self, path: str, commit: Commit) -> str:
        """Return the topic that a file of a commit is about; its path if that is not one."""
        reading = commit.reading
        names = {one.name for one in reading.of(Declaration) if _path_of(one.place) == path}
        # A topic of several files, one for each cluster, is declared once, and has an owner in each.
        names |= {one.topic for one in reading.of(Annotation) if one.topic and one.name.startswith(f"{path}#")}
        return min(names) if len(names) == 1 else path

    # --- statements

    def _statements(self, about: Collection[str], texts: Mapping[str, tuple[str, str]]) -> Iterator[ChangeFinding]:
        """Yield the files whose statements are changed; to move one, or to add columns, changes nothing."""
        before, after = self._codes(self._base, texts, 0), self._codes(self._head, texts, 1)
        gone = Counter(code for code, _ in before) - Counter(code for code, _ in after)
        new = Counter(code for code, _ in after) - Counter(code for code, _ in before)
        kept = {code for code in gone for other in new if _is_same(code, other)}
        kept |= {other for other in new for code in gone if _is_same(code, other)}
        changed = {code for code in gone if not any(_only_adds_columns(code, other) for other in new)} - kept
        changed |= {code for code in new if not _DECLARES.match(code) and not _ADDS_COLUMN.fullmatch(code)} - kept
        files: dict[str, list[str]] = {}
        for code, path in dict.fromkeys((*before, *after)):
            if code in changed and path not in about:
                files.setdefault(path, []).append(code)
        for path, codes in sorted(files.items()):
            clauses = {clause for code in codes if code in gone for clause in _clauses(code, new)}
            where = f" ({', '.join(sorted(clauses)[:_SHOWN])})" if clauses else ""
            what = f"SQL statements change{where}, and scanner cannot tell what that does to their data"
            why = tuple(mask_statement(code)[:_LONGEST] for code in codes[:_LISTED])
            yield replace(_unknown(f"{path}:{self._line_of(path, codes, texts)}", path, what), why=why)

    def _line_of(self, path: str, codes: Collection[str], texts: Mapping[str, tuple[str, str]]) -> int:
        """Return the line of the first of the statements, of the second commit if it is there."""
        for text in reversed(texts[path]):
            for statement in statements_of(text):
                if " ".join(_TOKEN.findall(statement.code)) in codes:
                    return statement.line
        return 1

    def _codes(self, commit: Commit, texts: Mapping[str, tuple[str, str]], side: int) -> list[tuple[str, str]]:
        """Return the statements of the changed files of one side, without comments, each with its file."""
        listed = [(path, both[side]) for path, both in texts.items() if self._is_sql(path)]
        for entry in commit.reading.of(StreamingStatement):
            path = _path_of(entry.detail)
            if path in texts and not self._is_sql(path):
                listed.append((path, entry.statement))
        codes: list[tuple[str, str]] = []
        for path, text in listed:
            statements = statements_of(text)
            if engine_of(statements) != DATABASE or self._uses_tables:
                codes += [(" ".join(_TOKEN.findall(statement.code)), path) for statement in statements]
        return [(code, path) for code, path in codes if not _NO_DATA.fullmatch(code) and not _CONNECTOR.match(code)]

    def _is_sql(self, path: str) -> bool:
        return self._judged.get(path) == "SQL" or path.lower().endswith((".sql", ".ksql"))

    @cached_property
    def _uses_tables(self) -> bool:
        """Return whether a job reads or writes something other than a topic, or may."""
        statements = self._base.reading.of(StreamingStatement)
        return any(_CONNECTED.search(entry.statement) for entry in statements) or any(
            job.coverage.unknown_connectors or any(one.kind is not NodeKind.TOPIC for one in uses_of(job))
            for job in self._base.jobs
        )

    # --- lines of other files

    def _lines(
        self,
        about: Collection[str],
        texts: Mapping[str, tuple[str, str]],
        programs: ProgramChanges,
        moved: Collection[str],
    ) -> Iterator[ChangeFinding]:
        """Yield the settings and libraries that differ, and may change a topic, a record or who reads it."""
        for path, (before, after) in texts.items():
            if path in about or self._is_sql(path) or self._judged.get(path) in _COMPARED:
                continue
            if settings_changes.is_build_file(path):
                yield from self._libraries(path, before, after, programs)
            elif mentions.is_program(path):
                yield from self._entities(path, before + after, programs)
                yield from self._requests(path, before, after, programs)
            elif settings_changes.is_structured(path) and not settings_changes.is_workflow(path):
                yield from self._settings(path, before, after, programs)
            else:
                yield from self._commands(path, before, after, moved)

    def _entities(self, path: str, text: str, programs: ProgramChanges) -> Iterator[ChangeFinding]:
        """Yield a file of code that says what is in a table, if a job may use that."""
        if path in programs.edited and self._uses_tables and _ENTITY.search(text):
            yield _unknown(
                path, path, "a class that is mapped to a table changes; its effect on jobs is not determined"
            )

    def _requests(self, path: str, before: str, after: str, programs: ProgramChanges) -> Iterator[ChangeFinding]:
        """Yield a file of code that registers or deletes schemas or connectors by other requests than before."""
        lines = settings_changes.request_lines(before, after) if path in programs.edited else []
        if lines:
            what = "requests to a schema registry or Kafka Connect change, and scanner does not interpret them"
            finding = _unknown(f"{path}:{lines[0][0]}", path, what)
            yield replace(finding, why=tuple(mask_statement(line)[:_LONGEST] for _, line in lines[:_LISTED]))

    def _commands(self, path: str, before: str, after: str, moved: Collection[str]) -> Iterator[ChangeFinding]:
        """Yield the file whose commands on Kafka differ and do not show in what the files declare."""
        lines = settings_changes.command_lines(before, after, moved)
        if lines and self._facts(self._base, path) == self._facts(self._head, path):
            what = "commands on Kafka change, and scanner does not interpret them"
            finding = _unknown(f"{path}:{lines[0][0]}", path, what)
            yield replace(finding, why=tuple(mask_statement(line)[:_LONGEST] for _, line in lines[:_LISTED]))

    def _libraries(self, path: str, before: str, after: str, programs: ProgramChanges) -> Iterator[ChangeFinding]:
        edits = settings_changes.library_edits(before, after)
        jobs = list(programs.programs_of(programs.modules.of(path)))
        if edits and (jobs or any(did != "added" for _, _, did in edits)):  # what did not use Kafka writes no record
            shown = ", ".join(f"{name} {did}" for name, _, did in edits[:_LISTED])
            yield from self._of_programs(Place(file=path, line=edits[0][1]), f"the library {shown} changes", jobs)

    def _settings(self, path: str, before: str, after: str, programs: ProgramChanges) -> Iterator[ChangeFinding]:
        """Yield what the settings of a file change, once for each program that they are of."""
        if "databaseChangeLog" in before + after:
            if before != after and self._uses_tables:
                yield _unknown(path, path, "migrations change; their effect on jobs is not determined")
            return
        old, new = (settings_changes.settings_of(path, text) for text in (before, after))
        yield from self._stopped(path, old, new)
        if not before and _OBJECT.search(after) and not _TEMPLATE.search(after):
            return  # objects that are deployed in addition
        edits = settings_changes.edits_of(path, before, after)
        if self._facts(self._base, path) != self._facts(self._head, path):
            edits = [edit for edit in edits if settings_changes.is_right(edit)]  # the flows are compared
        is_read = any(path in commit.reading.places for commit in (self._base, self._head))
        copied = [edit for edit in edits if not is_read and settings_changes.is_of_copy(edit, after)]
        edits = [
            edit
            for edit in edits
            if edit in copied or settings_changes.is_relevant(edit) or settings_changes.is_of_template(edit, after)
        ]
        edits = [edit for edit in edits if not self._is_resolved(edit)]
        if _is_terraform(path):
            edits = [edit for edit in edits if not settings_changes.is_addition(edit, old)]
        owned: dict[tuple[str, ...], tuple[list[CountedJob], list[SettingEdit]]] = {}
        for edit in edits:
            jobs = self._owners(path, edit, programs)
            is_certain = edit in copied or settings_changes.is_certain(edit, before + after)
            if jobs or (jobs is not None and is_certain):
                owned.setdefault(tuple(sorted(job.flows.job.name for job in jobs)), (jobs, []))[1].append(edit)
        for jobs, listed in owned.values():
            shown = "; ".join(settings_changes.shown_edits(listed, new if _is_terraform(path) else ()))
            yield from self._of_programs(Place(file=path, line=listed[0].setting.line), shown, jobs)

    def _is_resolved(self, edit: SettingEdit) -> bool:
        """Return whether both values are topics that jobs of the second commit use: then the flows show the effect."""
        values = [value for value in edit.values if value]
        return bool(values) and all(value in self._head.names for value in values)

    def _owners(self, path: str, edit: SettingEdit, programs: ProgramChanges) -> list[CountedJob] | None:
        """Return the programs that a setting is of, none of them if that is not known; None for foreign software."""
        jobs = {job.flows.job.name: job for commit in (self._base, self._head) for job in commit.jobs}
        path_words = {word for key in edit.setting.path for word in (key, key.removeprefix("services."))}
        named = [job for name, job in jobs.items() if name in path_words]
        if named:
            return named
        if settings_changes.is_right(edit):
            return []
        if edit.setting.path[0] == "services" and not settings_changes.is_of_worker(edit):
            return None  # a service without a job is a broker, or a tool
        if _is_terraform(path):  # one root module has the resources of many programs
            return [job for job in jobs.values() if any(_path_of(use.evidence) == path for use in _uses(job))]
        return list(programs.programs_of(programs.modules.of(path)))

    def _of_programs(self, place: Place, what: str, jobs: Iterable[CountedJob]) -> Iterator[ChangeFinding]:
        """Yield one finding that names the programs, with whoever reads what they write."""
        listed = list({job.flows.job.name: job for job in jobs}.values())
        written = sorted({dataset for job in listed for dataset in written_by(job)})
        read = sorted({dataset.name for job in listed for dataset in read_by(job)})
        names = few([job.flows.job.name for job in listed])
        target = f"job {names}" if len(listed) == 1 else place.file
        why = [f"it reads {', '.join(read[:_LISTED])}"] if read else []
        why += [f"it writes {', '.join(dataset.name for dataset in written[:_LISTED])}"] if written else []
        topics = few([dataset.name for dataset in written])
        verdict = Verdict.UNKNOWN if written or not listed else Verdict.FINE
        effect = f"the effect on the records in {topics} is not determined" if written else "it writes no topic"
        effect = effect if listed else "scanner resolves no program that uses it"
        users = dict.fromkeys(hit for dataset in written for hit in self._hits.of(dataset) if hit.use != "writes")
        what = f"{what}{f' for {names}' if len(listed) > 1 else ''}; {effect}"
        finding = ChangeFinding(rule=RULE, verdict=verdict, place=place, target=target, what=what)
        yield replace(finding, why=tuple(why), affected=tuple(users))

    def _stopped(self, path: str, before: Sequence[Setting], after: Sequence[Setting]) -> Iterator[ChangeFinding]:
        """Yield the jobs whose service is gone from a compose file, or does nothing there any more."""
        jobs = {job.flows.job.name: job for job in self._base.jobs}
        for name, setting, did in settings_changes.stopped_services(before, after):
            job = jobs.get(name)
            if job is None or any(self._runs(other, name) for other in self._trees.head if other != path):
                continue
            users = dict.fromkeys(hit for dataset in sorted(written_by(job)) for hit in self._hits.of(dataset))
            finding = _unknown(f"{path}:{setting.line}", f"job {name}", f"the service {name} {did}", name)
            verdict = Verdict.IMPACT if written_by(job) else Verdict.FINE
            affected = tuple(hit for hit in users if hit.use != "writes")
            yield replace(finding, rule="job-stopped", verdict=verdict, affected=affected)

    def _runs(self, path: str, service: str) -> bool:
        """Return whether another compose file has the service."""
        if "compose" not in path.rpartition("/")[2]:
            return False
        text = _text(self._objects.read(self._trees.head[path]))
        return any(setting.path[:2] == ("services", service) for setting in settings_changes.settings_of(path, text))

    def _facts(self, commit: Commit, path: str) -> frozenset[object]:
        """Return what a file declares, without its lines."""
        reading = commit.reading
        entries = (replace(entry, place="") for entry in reading.of(Declaration) if _path_of(entry.place) == path)
        flows = [flow for flow in reading.of(DeclaredFlow) if _path_of(flow.evidence) == path]
        return frozenset((*entries, *((flow.job, flow.origin, flow.target) for flow in flows)))


def _text(content: bytes) -> str:
    return "" if len(content) > LARGEST or b"\0" in content[:8192] else content.decode("utf-8-sig", "replace")


def _is_terraform(path: str) -> bool:
    return path.endswith((".tf", ".tf.json", ".tfvars"))


def _uses(job: CountedJob) -> Iterator[Use]:
    yield from (*job.flows.reads, *job.flows.writes)


def _declared(commit: Commit, kind: DeclaredKind) -> dict[str, Declaration]:
    return {entry.name: entry for entry in commit.reading.of(Declaration) if entry.kind is kind}


def _changed_keys(old: Declaration, new: Declaration, harmless: re.Pattern[str]) -> list[str]:
    before, after = _by_newest_key(old), _by_newest_key(new)
    is_masked = settings_changes.is_masked
    keys = {key for key, _ in before.items() ^ after.items() if not is_masked(before.get(key), after.get(key))}
    keys |= {name for name in ("partitions", "parent", "state") if getattr(old, name) != getattr(new, name)}
    stops = {key for key in keys if key.endswith("tasks.max") and "0" in (before.get(key), after.get(key))}
    return sorted(key for key in keys if key in stops or not harmless.fullmatch(key))


def _by_newest_key(declared: Declaration) -> dict[str, str]:
    """Return the settings of a connector by the names that newer versions of Debezium have for them."""
    config = dict(declared.config)
    if "io.debezium." in config.get("connector.class", ""):
        config = {_renamed(key): value for key, value in config.items()}
    return config


def _renamed(key: str) -> str:
    if key == "database.server.name":
        return "topic.prefix"
    return key.replace(".whitelist", ".include.list").replace(".blacklist", ".exclude.list")


def _clauses(code: str, new: Collection[str]) -> list[str]:
    """Return the clauses in which a statement differs from the new one that is most like it."""
    words = code.split()
    alike = [other for other in new if other.split()[:3] == words[:3]]
    found = _difference(code, alike[0]) if len(alike) == 1 else ""
    return [found] if found else []


def _is_same(before: str, after: str) -> bool:
    """Return whether two statements differ only in the case of words that the dialect does not tell apart."""
    if before.casefold() != after.casefold():
        return False
    try:
        return same_statement(before, after, guess_dialect(after))
    except InputInvalid:
        return False


def _only_adds_columns(before: str, after: str) -> bool:
    """Return whether a statement has what it had, and further columns in lists: what they come from, the flows show."""
    tokens = iter(_TOKEN.findall(after))
    added = Counter(_TOKEN.findall(after)) - Counter(_TOKEN.findall(before))
    is_longer = all(token in tokens for token in _TOKEN.findall(before)) and _NO_COLUMN.isdisjoint(
        map(str.upper, added)
    )
    return is_longer and _difference(before, after) in _LISTS


_LISTS = frozenset(
    (
        "the SELECT list",
        "a column definition",
        "the start of the statement",
        "the start of the statement and the SELECT list",
        "a column definition and the SELECT list",
    )
)
"""Parts of a statement that only list columns."""


def _difference(before: str, after: str) -> str:
    """Return the clauses in which two statements differ; empty if they cannot be read, or are the same."""
    dialect = guess_dialect(after)
    try:
        return difference(before, after, dialect)
    except InputInvalid:
        return ""


def _path_of(place: str) -> str:
    return place.rpartition(":")[0] if place[-1:].isdigit() and ":" in place else place


def _unknown(place: str, target: str, what: str, item: str = "") -> ChangeFinding:
    line = place.rpartition(":")[2]
    at = Place(file=_path_of(place), line=int(line)) if _path_of(place) != place else Place(file=place)
    return ChangeFinding(rule=RULE, verdict=Verdict.UNKNOWN, place=at, target=target, what=what, item=item)
