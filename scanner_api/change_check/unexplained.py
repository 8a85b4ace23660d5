"""What a change holds beyond what was judged: settings, statements and lines of which no rule knows what they do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import PurePosixPath

from dataflow_generator.graph import NodeKind
from scanner_api.change_check import mentions
from scanner_api.change_check.commit import Commit, uses_of, written_by
from scanner_api.change_check.git import ObjectReader, Trees
from scanner_api.change_check.hits import Hits
from scanner_api.change_check.model import Finding, Place, Verdict
from scanner_extractor.repository.contracts import ASYNCAPI, CONTRACT
from scanner_extractor.repository.files import LARGEST, is_candidate, is_left_out
from scanner_extractor.repository.reader import SETTINGS
from scanner_extractor.repository.statements import DATABASE, engine_of, statements_of
from scanner_extractor.sources.syntax_trees import words
from scanner_model.declarations import Declaration, DeclaredKind
from scanner_model.redaction import mask_statement

RULE = "not-judged"

_OF_RUN = (
    r"tasks\.?max|[\w.]*(?:(?:timeout|interval|backoff|delay)\.(?:ms|sec(?:ond)?s?)|retries|attempts)|(?:flush|batch|buffer|fetch|queue)\.[\w.]*"
    r"|[\w.]*(?:user|username|password|secret|token|credentials?)|(?:[\w.]*\.)?(?:ssl|sasl|security)\.[\w.]*"
    r"|(?:errors\.log|heartbeat|logging|management)\.[\w.]*"
)
_HARMLESS = re.compile(rf"(?i)(?!transforms|predicates)(?:{_OF_RUN}|max\.[\w.]*|name)")
"""A setting of a connector that says how it runs, not which data there are, nor their form."""
_HARMLESS_OF_TOPIC = re.compile(r"(?:segment|flush|index|file|preallocate|min\.insync|unclean|follower|leader)[\w.]*")
_HARMLESS_LINE = re.compile(
    rf"(?i)[\s-]*[\"']?(?:{_OF_RUN}|replicas|replication[\w.]*|image|tag|version|description|title|ports?|cpu|memory"
    r"|container_name|restart|depends_on)[\"']?\s*[:=]"
)
_COMMENT = re.compile(r"\s*(?:#(?!include)|//|/\*|\*|<!--|;|---|[{}()\[\],;]*\s*$)")
_JUDGED = re.compile(r"[\w.]*topics?(?:\.regex)?|(?:table|collection|database|schema)\.(?:include\.list|whitelist)")
"""A setting whose whole effect is in the flows, which are compared."""
_KEY = re.compile(r"[\s-]*[\"']?(?P<key>[A-Za-z_][\w.-]*)[\"']?\s*[:=]")
_ABOUT_DATA = re.compile(
    r"(?i)kafka|avro|protobuf|topic|connector|debezium|ksql|flink|stream|schema|serde|serializ|databaseChangeLog|\btables?:"
    r"|asyncapi|transforms"
)
_ENTITY = re.compile(
    r"@(?:Entity|Table|Column|MappedSuperclass|Embeddable)\b|\bmodels\.Model\b|__tablename__|\bDbSet<|`gorm:|\bActiveRecord\b"
)
"""What maps a class to a table of a database."""
_BY_ENDING = words(".sql .ksql .avdl .avsc .proto .thrift .tf .tfvars .hcl")
_UNINTERESTING = words(".css .csv .html .htm .less .sass .scss .tsv .txt .log .sum .lock .snap .http .vue")
_BY_LINE = re.compile(
    r"(?:.*/)?(?:package\.json|go\.mod|Cargo\.toml|pyproject\.toml|build\.gradle(?:\.kts)?|[\w.-]*requirements[\w.-]*\.txt"
    r"|[\w.-]+\.csproj|Dockerfile|[Mm]akefile|[\w.-]*compose[\w.-]*\.ya?ml)|\.github/.*|\.gitlab-ci\.yml"
)
"""Files with many lines, few of which are about data: a changed line counts where it is."""
_COMPARED = frozenset(("schema", "connector", "SQL", CONTRACT, ASYNCAPI))
"""Kinds of files whose facts are all compared."""
_DECLARES = re.compile(r"(?i)(?:CREATE|INSERT|EXECUTE|BEGIN|END|WITH|SELECT|SHOW|DESCRIBE|PRINT|LIST|USE|COMMIT)\b")
_ADDS_COLUMN = re.compile(r"(?i)ALTER\s+TABLE\b(?!.*\b(?:DROP|RENAME|CHANGE|MODIFY|ALTER\s+COLUMN|TYPE)\b).*\bADD\b.*")
_NO_DATA = re.compile(
    r"(?i)INSERT\b.*\bVALUES\b.*|(?:GRANT|COMMENT\s+ON|CREATE\s+(?:UNIQUE\s+)?(?:INDEX|USER|ROLE|EXTENSION|SEQUENCE))\b.*"
)
_TOKEN = re.compile(r"'(?:[^']|'')*'|[\w.`\"]+|\S")
_NO_COLUMN = words(
    "WHERE HAVING WINDOW JOIN ON DISTINCT UNION LIMIT NOT AND OR CASE WITH BY EMIT PARTITION FROM KEY PRIMARY"
    " SELECT INSERT CREATE"
    " = < > ! * / + - | %"
)
_CONNECTED = re.compile(r"(?i)'connector'\s*=\s*'(?!(?:upsert-)?kafka'|datagen'|faker'|print'|blackhole')")
"""An option of a table of Flink that is in another store, whatever moves its data."""
_LISTED = 10
_LONGEST = 200


class Unexplained:
    """Compares two commits for what no finding is about; *judged* are the changed files that are read, by kind."""

    def __init__(self, commits: tuple[Commit, Commit], trees: Trees, judged: Mapping[str, str], hits: Hits) -> None:
        self._base, self._head = commits
        self._trees, self._judged, self._hits = trees, judged, hits

    def findings(self, known: Sequence[Finding], renamed: Collection[str], objects: ObjectReader) -> Iterator[Finding]:
        """Yield what none of the *known* findings is about; *renamed* paths have the content of another one."""
        about = {name for finding in known if finding.counts for name in (finding.target, finding.item)}
        files = {finding.place.file for finding in known if finding.counts or finding.rule == "level-changed"}
        texts = {path: self._both(path, objects) for path in self._trees.changed if self._is_text(path)}
        found = [*self._connectors(about), *self._topics(about), *self._statements(files, texts)]
        yield from found
        answered = {*files, *renamed, *(finding.place.file for finding in found)}
        yield from self._lines(answered, texts, {PurePosixPath(path).name for path in renamed})

    def _is_text(self, path: str) -> bool:
        return not mentions.why_harmless(path) and not is_left_out(path) and is_candidate(path)

    def _both(self, path: str, objects: ObjectReader) -> tuple[str, str]:
        """Return the text of a file before and after; empty where it is not there, or too large."""
        before, after = (
            objects.read(tree[path]) if path in tree else b"" for tree in (self._trees.base, self._trees.head)
        )
        return _text(before), _text(after)

    # --- connectors and topics

    def _connectors(self, about: Collection[str]) -> Iterator[Finding]:
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
                why = tuple(f"{key} is changed, which no rule here understands" for key in keys)
                yield replace(
                    finding, why=why, affected=tuple(one for one in dict.fromkeys(hit) if one.use != "writes")
                )

    def _topics(self, about: Collection[str]) -> Iterator[Finding]:
        before, after = (_declared(commit, DeclaredKind.TOPIC) for commit in (self._base, self._head))
        used = {dataset.name: dataset for dataset in self._base.used if dataset.kind is NodeKind.TOPIC}
        for name in sorted(before.keys() & after.keys() - {*about}):
            keys = _changed_keys(before[name], after[name], _HARMLESS_OF_TOPIC)
            if keys:
                what = f"{', '.join(keys)} of the topic {name} changed, and what that does to its users is not known"
                finding = _unknown(after[name].place, f"topic {name}", what, name)
                yield replace(finding, affected=self._hits.of(used[name]) if name in used else ())

    # --- statements

    def _statements(self, about: Collection[str], texts: Mapping[str, tuple[str, str]]) -> Iterator[Finding]:
        """Yield the files whose statements are changed; to move one, or to add columns, changes nothing."""
        before, after = self._codes(self._base, texts, 0), self._codes(self._head, texts, 1)
        gone = Counter(code for code, _ in before) - Counter(code for code, _ in after)
        new = Counter(code for code, _ in after) - Counter(code for code, _ in before)
        changed = {code for code in gone if not any(_only_adds_columns(code, other) for other in new)}
        changed |= {code for code in new if not _DECLARES.match(code) and not _ADDS_COLUMN.fullmatch(code)}
        files: dict[str, list[str]] = {}
        for code, path in dict.fromkeys((*before, *after)):
            if code in changed and path not in about:
                files.setdefault(path, []).append(mask_statement(code)[:_LONGEST])
        for path, codes in sorted(files.items()):
            what = f"{len(codes)} statements are changed, and what that does to their data is not known"
            yield replace(_unknown(path, path, what), why=tuple(codes[:_LISTED]))

    def _codes(self, commit: Commit, texts: Mapping[str, tuple[str, str]], side: int) -> list[tuple[str, str]]:
        """Return the statements of the changed files of one side, without comments, each with its file."""
        listed = [(path, both[side]) for path, both in texts.items() if self._is_sql(path)]
        for entry in commit.reading.result.declared.statements:
            path = _path_of(entry.detail)
            if path in texts and not self._is_sql(path):
                listed.append((path, entry.statement))
        codes: list[tuple[str, str]] = []
        for path, text in listed:
            statements = statements_of(text)
            if engine_of(statements) != DATABASE or self._uses_tables:
                codes += [(" ".join(statement.code.split()), path) for statement in statements]
        return [(code, path) for code, path in codes if not _NO_DATA.fullmatch(code)]

    def _is_sql(self, path: str) -> bool:
        return self._judged.get(path) == "SQL" or path.lower().endswith((".sql", ".ksql"))

    @cached_property
    def _uses_tables(self) -> bool:
        """Return whether a job reads or writes what is no topic, or may."""
        statements = self._base.reading.result.declared.statements
        return any(_CONNECTED.search(entry.statement) for entry in statements) or any(
            job.coverage.unknown_connectors or any(one.kind is not NodeKind.TOPIC for one in uses_of(job))
            for job in self._base.jobs
        )

    # --- lines of other files

    def _lines(
        self, about: Collection[str], texts: Mapping[str, tuple[str, str]], moved_files: Collection[str]
    ) -> Iterator[Finding]:
        """Yield the files that are read in part, or not at all, and whose lines differ.

        The directory before the name of one of *moved_files* changes with its place, and does not count.
        """
        names = "|".join(map(re.escape, sorted(moved_files)))
        directories = re.compile(rf"(?:[\w.-]*/)+(?=(?:{names})(?![\w.-]))") if names else None
        sides: dict[str, tuple[Counter[str], Counter[str]]] = {}
        for path, both in texts.items():
            if path not in about and (self._may_matter(path) or self._is_entity(path, both)):
                old, new = (_lines_of(directories.sub("", text) if directories else text) for text in both)
                sides[path] = old - new, new - old
        moved = sum((old for old, _ in sides.values()), Counter()) & sum((new for _, new in sides.values()), Counter())
        for path, (old, new) in sides.items():
            gone, added = old - moved, new - moved
            if not gone and (not added or self._facts(self._base, path) != self._facts(self._head, path)):
                continue
            if self._is_about_data(path, (*gone, *added), texts[path]):
                keys = [match["key"] for line in (*gone, *added) if (match := _KEY.match(line))]
                finding = _unknown(path, path, "lines of it are changed, and what they do is not known")
                yield replace(finding, why=tuple(dict.fromkeys(keys))[:_LISTED])

    def _may_matter(self, path: str) -> bool:
        if self._is_sql(path) or self._judged.get(path) in _COMPARED or path in self._head.unread:
            return False
        is_other = PurePosixPath(path).suffix.lower() in _UNINTERESTING or mentions.is_program(path)
        return not is_other or _BY_LINE.fullmatch(path) is not None

    def _is_entity(self, path: str, both: tuple[str, str]) -> bool:
        """Return whether a file of code says what is in a table, where a job may use that."""
        return mentions.is_program(path) and self._uses_tables and any(map(_ENTITY.search, both))

    def _is_about_data(self, path: str, lines: Iterable[str], both: tuple[str, str]) -> bool:
        if PurePosixPath(path).suffix.lower() in _BY_ENDING or mentions.is_program(path):
            return True
        if _BY_LINE.fullmatch(path):
            return any(map(_ABOUT_DATA.search, lines))
        return self._judged.get(path, SETTINGS) != SETTINGS or any(map(_ABOUT_DATA.search, both))

    def _facts(self, commit: Commit, path: str) -> frozenset[object]:
        """Return what a file declares, without the lines that it stands in."""
        declared = commit.reading.result.declared
        entries = (replace(entry, place="") for entry in declared.declarations if _path_of(entry.place) == path)
        flows = ((flow.job, flow.origin, flow.target) for flow in declared.flows if _path_of(flow.evidence) == path)
        return frozenset((*entries, *flows))


def _text(content: bytes) -> str:
    return "" if len(content) > LARGEST or b"\0" in content[:8192] else content.decode("utf-8-sig", "replace")


def _declared(commit: Commit, kind: DeclaredKind) -> dict[str, Declaration]:
    return {entry.name: entry for entry in commit.reading.result.declared.declarations if entry.kind is kind}


def _changed_keys(old: Declaration, new: Declaration, harmless: re.Pattern[str]) -> list[str]:
    keys = {key for key, _ in {*old.config} ^ {*new.config}}
    keys |= {name for name in ("partitions", "parent", "state") if getattr(old, name) != getattr(new, name)}
    return sorted(key for key in keys if not harmless.fullmatch(key))


def _only_adds_columns(before: str, after: str) -> bool:
    """Return whether a statement has what it had, and further columns in lists: what they come from, the flows show."""
    tokens = iter(_TOKEN.findall(after))
    added = Counter(_TOKEN.findall(after)) - Counter(_TOKEN.findall(before))
    return all(token in tokens for token in _TOKEN.findall(before)) and _NO_COLUMN.isdisjoint(map(str.upper, added))


def _lines_of(text: str) -> Counter[str]:
    """Return how often each line stands in a text, without comments and settings of how something runs."""
    lines = (line.strip().rstrip(",") for line in text.splitlines())
    return Counter(line for line in lines if not _COMMENT.match(line) and not _HARMLESS_LINE.match(line))


def _path_of(place: str) -> str:
    return place.rpartition(":")[0] if place[-1:].isdigit() and ":" in place else place


def _unknown(place: str, target: str, what: str, item: str = "") -> Finding:
    line = place.rpartition(":")[2]
    at = Place(file=_path_of(place), line=int(line)) if _path_of(place) != place else Place(file=place)
    return Finding(rule=RULE, verdict=Verdict.UNKNOWN, place=at, target=target, what=what, item=item)
