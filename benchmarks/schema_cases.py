"""Cases of schemas: the columns expected of some, and for all others that they are read without a problem."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from case_results import Deviation, FileResult, Reason

from scanner_extractor.formats import read_columns
from scanner_model.columns import Column
from scanner_model.errors import Problem

_FORMATS = {"avro": "AVRO", "jsonschema": "JSON", "protobuf": "PROTOBUF"}
_EXPECTED = ("fields_avro.jsonl", "fields_json.jsonl", "fields_proto.jsonl")
_RENAMED_MEMBERS = {"logical": "logical_type", "recursive": "recursive"}
"""Members of an expected column that only some have, and our name for them; `of` is a list, and apart."""

_KNOWN = {"Apache Avro readers may refuse it": Reason.REFUSED}
"""What our own problems say where they are right as they are."""

_WITHOUT_COLUMNS = ("no message can match the schema", "the text declares neither a message nor an enum")
"""The problem of a valid schema that has no columns: no deviation."""


def expected_columns(folder: Path) -> Iterator[FileResult]:
    """Compare leaf columns with those expected; their order is reported, and counts for nothing."""
    for name in _EXPECTED:
        path = folder / "schemas" / name
        if not path.is_file():
            continue
        cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        result = [(case, list(_leaves(_columns_of(case)))) for case in cases]
        wrong = {case["id"]: tuple(_differences(case, leaves)) for case, leaves in result}
        ordered = sum([list(c.path) for c in leaves] == _paths(case) for case, leaves in result)
        yield FileResult(
            file=name,
            right=sum(not case for case in wrong.values()),
            total=len(cases),
            deviations=tuple(deviation for case in wrong.values() for deviation in case),
            remark=f"{ordered} in the expected order",
        )


def readable_schemas(folder: Path) -> Iterator[FileResult]:
    """Read every schema that the manifest lists: one that is marked valid must give no problem of ours."""
    manifest = folder / "schemas" / "MANIFEST.tsv"
    if not manifest.is_file():
        return
    with manifest.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    schemas: dict[str, list[_Schema]] = defaultdict(list)
    for row in rows:
        schemas[row["format"]].extend(_schemas(manifest.parent, row))
    for kind, listed in schemas.items():
        wrong = [tuple(schema.deviations()) for schema in listed]
        yield FileResult(
            file=f"MANIFEST.tsv {kind}",
            right=sum(not case for case in wrong),
            total=len(listed),
            deviations=tuple(deviation for case in wrong for deviation in case),
        )


@dataclass(slots=True, kw_only=True)
class _Schema:
    """A schema to be read, the texts it may refer to, and whether it is right; *missing* are names that no text has."""

    case: str
    format: str
    text: str
    right: bool
    texts: Mapping[str, str] = field(default_factory=dict)
    root: Path | None = None
    missing: set[str] = field(default_factory=set)

    def deviations(self) -> Iterator[Deviation]:
        parsed = read_columns(self.format, self.text, self._look_up)
        problems = [problem for problem in parsed.problems if not (parsed.empty and problem.what in _WITHOUT_COLUMNS)]
        if not self.right and not problems:
            yield Deviation(case=self.case, what="is wrong on purpose, and no problem was reported")
        for problem in problems if self.right else ():
            yield Deviation(case=self.case, what=str(problem), reason=self._reason(problem))

    def _look_up(self, name: str) -> str | None:
        path = self.root / name if self.root and ".." not in name else None
        text = path.read_text(encoding="utf-8") if path and path.is_file() else self.texts.get(name)
        if text is None:
            self.missing.add(name)
        return text

    def _reason(self, problem: Problem) -> Reason | None:
        if any(name in problem.what for name in self.missing if name):
            return Reason.ABSENT
        return next((reason for words, reason in _KNOWN.items() if words in str(problem)), None)


def _schemas(folder: Path, row: Mapping[str, str]) -> Iterator[_Schema]:
    path, status = folder / row["file"], row["status"]
    text = path.read_text(encoding="utf-8")
    reader = _FORMATS[row["format"]]
    if status.startswith("suite:"):
        for number, group in enumerate(json.loads(text)):
            schema = json.dumps(group["schema"])
            yield _Schema(case=f"{row['file']}[{number}]", format=reader, text=schema, right=True)
        return
    _, _, root = status.partition("import_root=")
    yield _Schema(
        case=row["file"],
        format=reader,
        text=text,
        right=status.startswith("ok"),
        texts=_neighbours(path) if "refs" in status else {},
        root=folder / root if root else None,
    )


def _neighbours(path: Path) -> dict[str, str]:
    """Return the Avro schemas of the folder by their full names and by their files' names."""
    texts = {other: other.read_text(encoding="utf-8") for other in sorted(path.parent.glob("*.avsc")) if other != path}
    named = {read_columns("AVRO", text, lambda _: None).name: text for text in texts.values()}
    return {other.stem: text for other, text in texts.items()} | {str(name): text for name, text in named.items()}


def _columns_of(case: Mapping[str, object]) -> tuple[Column, ...]:
    references = case.get("references") or []
    texts = {reference["name"]: reference["schema"] for reference in references} if isinstance(references, list) else {}
    return tuple(read_columns(str(case["format"]), str(case["schema"]), texts.get).columns)


def _leaves(columns: Iterable[Column]) -> Iterator[Column]:
    listed = list(columns)
    parents = {column.path[:-1] for column in listed if column.path}
    return (column for column in listed if column.path not in parents)


def _paths(case: dict[str, list[dict[str, list[str]]]]) -> list[list[str]]:
    return [case["segments"] for case in case["expected"]]


def _differences(case: dict[str, list[dict[str, object]]], leaves: Iterable[Column]) -> Iterator[Deviation]:
    ours = {column.path: column for column in leaves}
    expected = {tuple(map(str, _list(case["segments"]))): case for case in case["expected"]}
    name = str(case["id"])
    for path in sorted(expected.keys() - ours.keys()):
        yield Deviation(case=name, what=f"{'.'.join(path) or '$'} is missing")
    for path in sorted(ours.keys() - expected.keys()):
        yield Deviation(case=name, what=f"{'.'.join(path) or '$'} is not expected")
    for path in sorted(expected.keys() & ours.keys()):
        for member, right, actual in _members(expected[path], ours[path]):
            if right != actual:
                inherited = member == "nullable" and right and path[-1:] in (("[]",), ("{}",))
                what = f"{'.'.join(path) or '$'} {member}: {actual!r}, expected {right!r}"
                yield Deviation(case=name, what=what, reason=Reason.OWN_NULL if inherited else None)


def _members(expected: Mapping[str, object], column: Column) -> Iterator[tuple[str, object, object]]:
    yield "type", expected["type"], column.type
    yield "nullable", expected["nullable"], column.nullable
    for member, ours in _RENAMED_MEMBERS.items():
        if member in expected:
            yield member, expected[member], getattr(column, ours)
    if "of" in expected:
        yield "of", _list(expected["of"]), list(column.branches)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
