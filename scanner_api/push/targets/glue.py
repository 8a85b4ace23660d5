"""AWS Glue: what a table is made of, as parameters of tables that its Data Catalog has.

Glue has no lineage: each table gets the names of its sources and jobs, and of the columns that each column is made of.
UpdateTable replaces a whole table, so it names the version that was read: Glue rejects it if the table changed since.
Source: AWS Glue API, GetTable, UpdateTable, TableInput (botocore's service model).
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from dataflow_generator.openlineage.redaction import canonical
from scanner_api.push.aws import aws_address, aws_exchange, with_place
from scanner_api.push.contents import GraphContents, PushJob
from scanner_api.push.identity import own_names
from scanner_api.push.model import (
    Batch,
    Call,
    Change,
    Explained,
    Item,
    Reader,
    Ref,
    Refusal,
    Skipped,
    State,
    no_relations,
    readable,
    refusal_of,
)
from scanner_dictionary.engine.rows import in_chunks
from scanner_extractor.config.aws import AWS_MEMBERS
from scanner_extractor.push_targets import PushTarget
from scanner_extractor.settings.push import PushSettings
from scanner_model.columns import ColumnPath
from scanner_model.errors import ServerFailed
from scanner_model.payload import Payload

_NAME = re.compile(r"arn:[\w-]+:glue:(?P<region>[\w-]*):(?P<account>\d*)/table/(?P<database>[^/]+)/(?P<table>.+)")
_INPUT = frozenset({"Name", "Description", "Owner", "LastAccessTime", "LastAnalyzedTime", "Retention"})
_INPUT |= {"StorageDescriptor", "PartitionKeys", "ViewOriginalText", "ViewExpandedText", "TableType", "Parameters"}
_INPUT |= {"TargetTable", "ViewDefinition"}
"""The members of a table that UpdateTable takes."""
_LONGEST = 512_000
"""Characters of the value of a parameter."""
_READ_AT_ONCE = 500


class Glue:
    """AWS Glue's Data Catalog as a target; tables are neither created nor removed."""

    shared: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    forced: frozenset[str] = frozenset()
    receipt = ""
    relations = staticmethod(no_relations)

    def __init__(self, settings: PushSettings) -> None:
        self._region = settings.options.get("region", "")
        self._tables: dict[str, Payload] = {}

    def stages(self, contents: GraphContents, reader: Reader) -> Iterator[Iterator[Item | Skipped | Refusal]]:
        """Yield the tables of the region that jobs write, with their parameters."""
        by_target: dict[str, dict[str, PushJob]] = defaultdict(dict)
        for job in contents.jobs():
            for edge in job.edges:
                if self._key(*contents.names[edge.target]):
                    by_target[edge.target].setdefault(f"{job.namespace}/{job.name}", job)
        yield self._items(contents, by_target, reader)

    def states(self, refs: Sequence[Ref], reader: Reader) -> Iterator[State | None]:
        """Yield the parameters of each table, and keep the table for the request that changes them."""
        for ref, answer in zip(refs, reader.read([_get(ref.key) for ref in refs]), strict=True):
            if answer is None:
                yield None
                continue
            table = Payload(answer).need("Table")
            self._tables[ref.key] = table
            yield dict(table.object("Parameters").members())

    def batches(self, changes: Sequence[Change], run: int) -> Iterator[Batch]:
        """Yield a call for each change; none for a table that is gone."""
        del run
        for change in changes:
            yield Batch(
                (self._update(change.ref.key, change.wanted or {}),) if change.live is not None else (), (change,)
            )

    def explain(self, namespace: str, name: str) -> Explained:
        """Return the catalog, database and name of a table."""
        key = self._key(namespace, name)
        notes = () if key else (f"skipped: no table of Glue in {self._region}",)
        return Explained(".".join(json.loads(key)) if key else name, None, notes)

    def _items(
        self, contents: GraphContents, by_target: Mapping[str, Mapping[str, PushJob]], reader: Reader
    ) -> Iterator[Item | Skipped | Refusal]:
        for some in in_chunks(by_target.items(), _READ_AT_ONCE):
            refs = [Ref("table", self._key(*contents.names[target])) for target, _ in some]
            states = readable(refs, lambda part: self.states(part, reader))
            for (target, jobs), (ref, live) in zip(some, states, strict=True):
                if isinstance(live, ServerFailed):
                    yield refusal_of(ref, live)
                    continue
                name = ".".join(json.loads(ref.key)[1:])
                parameters = dict(_parameters(target, jobs, contents))
                long = [parameter for parameter, value in parameters.items() if len(value) > _LONGEST]
                if live is None:
                    yield Skipped(name, "Glue has no such table")
                    continue
                yield from (Skipped(name, f"{parameter} is longer than {_LONGEST} characters") for parameter in long)
                yield Item(ref, {parameter: value for parameter, value in parameters.items() if parameter not in long})

    def _key(self, namespace: str, name: str) -> str:
        """Return account, database and table as a key; empty if it is not a Glue table in this region."""
        match = _NAME.fullmatch(f"{namespace}/{name}")
        return (
            canonical(list(match.group("account", "database", "table")))
            if match and match["region"] == self._region
            else ""
        )

    def _update(self, key: str, wanted: State) -> Call:
        table = self._tables[key]
        given = {name: value for name, value in table.members().items() if name in _INPUT}
        place = {name: value for name, value in _place(key).items() if name != "Name"}
        version = {"VersionId": table.text("VersionId")} if table.text("VersionId") else {}
        body = {**place, "TableInput": {**given, "Parameters": dict(wanted)}, **version}
        return Call(method="POST", path=("UpdateTable",), body=body)


TARGET = PushTarget(
    build=Glue,
    schema=AWS_MEMBERS,
    needs=("region",),
    parse=with_place,
    address=aws_address,
    transport=aws_exchange,
)


def _parameters(target: str, jobs: Mapping[str, PushJob], contents: GraphContents) -> Iterator[tuple[str, str]]:
    sources: dict[str, None] = {}
    columns: dict[str, dict[str, None]] = defaultdict(dict)
    for edge in (edge for job in jobs.values() for edge in job.edges if edge.target == target):
        source = "/".join(contents.names[edge.source])
        sources[source] = None
        for pair in edge.columns:
            columns[_column(pair.target)][f"{source}#{_column(pair.source)}"] = None
    yield "scanner.sources", canonical(list(sources))
    yield "scanner.jobs", canonical(list(jobs))
    if columns:
        yield "scanner.columns", canonical({name: list(origins) for name, origins in columns.items()})


def _column(path: ColumnPath) -> str:
    return ".".join(own_names(path)) or "value"


def _place(key: str) -> dict[str, str]:
    account, database, table = json.loads(key)
    return {**({"CatalogId": account} if account else {}), "DatabaseName": database, "Name": table}


def _get(key: str) -> Call:
    return Call(
        method="POST", path=("GetTable",), body=_place(key), check=lambda answer: answer.need("Table").need("Name")
    )
