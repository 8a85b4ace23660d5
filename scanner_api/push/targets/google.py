"""Google's Data Lineage API: a process for each job, a run, and events with links between columns.

Google keeps lineage for a limited time, so the run is one of the week of the newest scan: the first push of a week
writes everything again. Source: Google, Data Lineage API v1 (processes, runs, lineageEvents), fully qualified names.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from dataflow_generator.openlineage.redaction import canonical
from scanner_api.push.contents import ColumnPair, GraphContents, PushJob
from scanner_api.push.identity import identity_of, own_names
from scanner_api.push.model import (
    Batch,
    Call,
    Change,
    Explained,
    Item,
    Json,
    Reader,
    Ref,
    Skipped,
    State,
    has,
    no_relations,
)
from scanner_dictionary.engine.rows import in_chunks
from scanner_extractor.config.sections import text
from scanner_extractor.push_targets import PushTarget
from scanner_extractor.settings.push import PushSettings
from scanner_extractor.systems.google.transport import default_token
from scanner_model.columns import ColumnPath
from scanner_model.payload import Payload

_MOST_LINKS = 100
_LONGEST_NAME, _LONGEST_FIELD, _DEEPEST = 200, 500, 20
_MEMBERS = {
    "process": ("displayName", "attributes", "origin"),
    "run": ("displayName", "startTime", "endTime", "state"),
    "lineageEvent": ("startTime", "endTime", "links"),
}
_NOT_IN_DISPLAY = re.compile(r"[^A-Za-z0-9 _:&.-]")
_SYSTEMS = {"gs": "gcs"}
"""Systems of fully qualified names whose scheme is another one in OpenLineage."""


class GoogleLineage:
    """Google's Data Lineage API as a target; every resource is wholly ours, and events are never changed."""

    shared: frozenset[str] = frozenset()
    fixed = frozenset(name for names in _MEMBERS.values() for name in names)
    forced: frozenset[str] = frozenset()
    receipt = ""
    relations = staticmethod(no_relations)

    def __init__(self, settings: PushSettings) -> None:
        self._settings = settings

    def stages(self, contents: GraphContents, reader: Reader) -> Iterator[Iterator[Item | Skipped]]:
        """Yield processes, runs, then events."""
        del reader
        jobs = [job for job in contents.jobs() if job.edges]
        start = _week(contents.at)
        end = start + timedelta(days=7)
        period = {"startTime": _moment(start), "endTime": _moment(end)}
        yield (Item(Ref("process", self._process(job)), _described(job)) for job in jobs)
        run = f"/runs/{start:%Y-%m-%d}"
        state = {"displayName": f"week of {start:%Y-%m-%d}", "state": "COMPLETED", **period}
        yield (Item(Ref("run", self._process(job) + run), state) for job in jobs)
        yield (
            Item(
                Ref("lineageEvent", f"{self._process(job)}{run}/lineageEvents/{_digest(links)}"),
                {"links": links} | period,
            )
            for job in jobs
            for links in in_chunks(self._links(job, contents), _MOST_LINKS)
        )

    def states(self, refs: Sequence[Ref], reader: Reader) -> Iterator[State | None]:
        """Yield the members of each resource that a push writes."""
        calls = [Call(method="GET", path=_path(ref.key), check=has("name")) for ref in refs]
        for ref, answer in zip(refs, reader.read(calls), strict=True):
            members = {} if answer is None else Payload(answer).members()
            yield {name: members[name] for name in _MEMBERS[ref.kind] if name in members} if members else None

    def batches(self, changes: Sequence[Change], run: int) -> Iterator[Batch]:
        """Yield a call for each change."""
        for change in changes:
            yield Batch((_call(change, run),), (change,))

    def explain(self, namespace: str, name: str) -> Explained:
        """Return the fully qualified name of a dataset."""
        return Explained(self._full_name(namespace, name), identity_of(self._settings, namespace, name).row)

    def _process(self, job: PushJob) -> str:
        return f"{self._settings.options['parent']}/processes/scanner-{_digest([job.namespace, job.name])}"

    def _links(self, job: PushJob, contents: GraphContents) -> Iterator[Json]:
        """Yield a link for each flow between columns, or between datasets where those of columns are unknown."""
        for edge in job.edges:
            source, target = (self._full_name(*contents.names[key]) for key in (edge.source, edge.target))
            if not edge.columns:
                yield {"source": {"fullyQualifiedName": source}, "target": {"fullyQualifiedName": target}}
            yield from (_link(source, target, pair) for pair in edge.columns)

    def _full_name(self, namespace: str, name: str) -> str:
        identity = identity_of(self._settings, namespace, name)
        system = _SYSTEMS.get(identity.scheme, identity.scheme)
        place = identity.instance or namespace.partition("://")[2]
        if identity.scheme == "bigquery":
            return f"bigquery:{identity.name}"
        if identity.scheme in ("gs", "s3"):
            bucket, _, path = identity.name.partition("/")
            return f"{system}:{_quoted(bucket)}.{_quoted(path)}"
        return f"{system}:{_quoted(place)}.{_quoted(identity.name)}" if place else f"{system}:{identity.name}"


TARGET = PushTarget(
    build=GoogleLineage,
    schema={"parent": text("Place", "projects/P/locations/L of the lineage.", "projects/acme/locations/eu")},
    needs=("parent",),
    parse=lambda settings, item: replace(settings, place=item["parent"]),
    address=lambda _: "https://datalineage.googleapis.com",
    login=lambda: default_token()(),
)


def _described(job: PushJob) -> State:
    display = _NOT_IN_DISPLAY.sub("_", job.name)[:_LONGEST_NAME]
    attributes = {"namespace": job.namespace, "name": job.name, "type": job.type}
    return {"displayName": display, "attributes": attributes, "origin": {"sourceType": "CUSTOM", "name": "scanner"}}


def _link(source: str, target: str, pair: ColumnPair) -> Json:
    kind = "EXACT_COPY" if pair.subtype == "IDENTITY" else "OTHER"
    ends = {"source": _reference(source, pair.source), "target": _reference(target, pair.target)}
    return ends | {"dependencyInfo": {"dependencyType": kind}}


def _reference(name: str, path: ColumnPath) -> Json:
    """Return a dataset with its column; without it where the API cannot hold its path."""
    field = own_names(path)
    is_held = 0 < len(field) <= _DEEPEST and all(len(part) <= _LONGEST_FIELD for part in field)
    return {"fullyQualifiedName": name} | ({"field": list(field)} if is_held else {})


def _week(at: str) -> datetime:
    """Return the first moment of the week of a scan."""
    moment = datetime.fromisoformat(at)
    return (moment - timedelta(days=moment.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}Z"


def _quoted(part: str) -> str:
    return f"`{part}`" if "." in part else part


def _digest(value: Json) -> str:
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:32]


def _path(name: str) -> tuple[str, ...]:
    return ("v1", *name.split("/"))


def _call(change: Change, run: int) -> Call:
    kind, name = change.ref
    if change.wanted is None:
        if kind == "lineageEvent":
            return Call(method="DELETE", path=_path(name))
        return Call(method="DELETE", path=_path(name), check=has("name"), ends_later=True)  # an operation
    body = {"name": name, **change.wanted}
    if kind == "process":
        missing = (("allowMissing", "true"),)
        return Call(method="PATCH", path=_path(name), params=missing, body=body, check=has("name"))
    if kind == "run" and change.live is not None:
        return Call(method="PATCH", path=_path(name), body=body, check=has("name"))
    request = (("requestId", _digest([run, name])),)  # a retry is not another event
    return Call(method="POST", path=_path(name)[:-1], params=request, body=body, check=has("name"))
