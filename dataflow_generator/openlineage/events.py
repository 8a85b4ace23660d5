"""Parse JSON text to an OpenLineage event, or to the problems that make it invalid. Never raises on any text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from dataflow_generator.openlineage.facets import read_facet
from dataflow_generator.openlineage.redaction import canonical, clean_namespace, clean_text, parsed
from scanner_model.errors import Problem
from scanner_model.openlineage import DatasetRef, EventDataset, EventJob, EventKind, EventRun, Facet, LineageEvent, Side

_OF_USE_IN_FACETS = frozenset({"columnLineage", "lineage"})


def event_text(event: LineageEvent) -> str:
    """Serialize *event* as one line, which parses to an equal event; unknown members are left out."""
    members = [
        f'"eventTime":{canonical(event.time)}',
        f'"producer":{canonical(event.producer)}',
        f'"schemaURL":{canonical(event.schema_url)}',
    ]
    if event.run:
        members += [f'"eventType":{canonical(event.run.state)}'] if event.run.state else []
        members.append(f'"run":{{"runId":{canonical(event.run.run_id)},"facets":{_facets(event.run.facets)}}}')
    if event.job:
        members.append(f'"job":{_named(event.job.namespace, event.job.name)},"facets":{_facets(event.job.facets)}}}')
    if event.kind is EventKind.DATASET:
        members += [f'"dataset":{_dataset(dataset)}' for dataset in event.datasets]
    else:
        for member, side in (("inputs", Side.INPUT), ("outputs", Side.OUTPUT)):
            listed = ",".join(_dataset(dataset) for dataset in event.datasets if dataset.side is side)
            members.append(f'"{member}":[{listed}]')
    text = "{" + ",".join(members) + "}"
    # A lone surrogate can only be an escape in JSON.
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def fingerprint(event: LineageEvent) -> str:
    """Return a hash that identifies *event*, independent of its JSON formatting."""
    return _digest("\0".join(_parts(event)))


def _parts(event: LineageEvent) -> Iterator[str]:
    yield from (str(event.kind), event.time, event.producer, event.schema_url)
    if event.run:
        yield from (event.run.run_id, event.run.state, *map(_mark, event.run.facets))
    if event.job:
        yield from (event.job.namespace, event.job.name, *map(_mark, event.job.facets))
    for dataset in event.datasets:
        yield from (str(dataset.side), dataset.ref.namespace, dataset.ref.name, *map(_mark, dataset.facets))
        yield from map(_mark, dataset.use_facets)


def _mark(facet: Facet) -> str:
    return f"{facet.name}={_body_digest(facet.body)}"


@lru_cache(maxsize=4_096)
def _body_digest(body: str) -> str:
    return _digest(body)


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _dataset(dataset: EventDataset) -> str:
    own = [*dataset.facets, *(use_facet for use_facet in dataset.use_facets if use_facet.name in _OF_USE_IN_FACETS)]
    of_use = [use_facet for use_facet in dataset.use_facets if use_facet.name not in _OF_USE_IN_FACETS]
    more = f',"{dataset.side}Facets":{_facets(of_use)}' if of_use else ""
    return f'{_named(dataset.ref.namespace, dataset.ref.name)},"facets":{_facets(own)}{more}}}'


def _named(namespace: str, name: str) -> str:
    return f'{{"namespace":{canonical(namespace)},"name":{canonical(name)}'


def _facets(facets: Iterable[Facet]) -> str:
    return "{" + ",".join(f"{canonical(facet.name)}:{facet.body}" for facet in facets) + "}"


_MOMENT = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)[Tt ](?P<clock>\d\d:\d\d(?::\d\d)?)(?:[.,](?P<fraction>\d{1,12}))?"
    r"(?P<zone>[Zz]|[+-]\d\d(?::?\d\d)?)?(?:\[[\w/+-]{1,60}\])?"
)


@lru_cache(maxsize=1_024)
def moment(text: str) -> str | None:
    """Return *text* (ISO 8601, as Java and Python write it) in UTC with nine decimals; None where it is invalid.

    Without a zone it is UTC. A zone name in brackets, as Java adds it, is ignored.
    """
    match = _MOMENT.fullmatch(text.strip())
    if not match:
        return None
    zone = (match["zone"] or "Z").upper()
    clock = match["clock"] if match["clock"].count(":") == 2 else f"{match['clock']}:00"
    clock = clock.removesuffix(":60") + ":59" if clock.endswith(":60") else clock  # a leap second
    try:
        at = datetime.fromisoformat(f"{match['date']}T{clock}{'+00:00' if zone == 'Z' else zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return f"{at:%Y-%m-%dT%H:%M:%S}.{(match['fraction'] or '').ljust(9, '0')[:9]}Z".rjust(30, "0")


Json = Any

STATES = frozenset({"START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"})
KNOWN_VERSION = (2, 0, 2)
"""The newest supported version of the specification; a later one may have unknown states."""

_VERSION = re.compile(r"/spec/(\d{1,9})-(\d{1,9})-(\d{1,9})/")
_UUID = re.compile(r"(?i)[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}")
_OF_JOB_AND_DATASET = frozenset({"columnLineage", "lineage"})
"""Facets of an output that apply to the job that writes it, and not to every writer."""


@dataclass(frozen=True, slots=True)
class InvalidEvent:
    """A text that is not a valid event, with problems and their locations in it."""

    problems: tuple[Problem, ...]


TOLERANCE = timedelta(minutes=5)
"""How far the clock of a sender may be ahead."""


def newest_time(now: datetime) -> str:
    """Return the latest `eventTime` that an event received at *now* may have, as `moment` writes it."""
    return f"{(now + TOLERANCE).astimezone(UTC):%Y-%m-%dT%H:%M:%S}.000000000Z"


def read_event(text: str | bytes, *, newest: str | None = None) -> LineageEvent | InvalidEvent:
    """Parse one event; invalid JSON, a missing member or an invalid facet rejects it as a whole.

    So does a time after *newest*: of each facet the latest event counts, so such an event would do so for ever.
    """
    try:
        if isinstance(text, str) and not text.isascii():
            text.encode()  # an invalid UTF-8 byte is a lone surrogate here
        value = parsed(text)
    except json.JSONDecodeError as error:
        return _refused("$", f"is not JSON: {error.msg} at line {error.lineno}, column {error.colno}")
    except RecursionError:
        return _refused("$", "nests too deeply")
    except ValueError:  # invalid UTF-8, or a number of more than 4300 digits
        return _refused("$", "is not valid JSON", "encode it in UTF-8")
    return read_json(value, newest=newest)


def read_json(value: Json, *, newest: str | None = None) -> LineageEvent | InvalidEvent:
    """Read one event from parsed JSON, as `read_event` does."""
    if not isinstance(value, dict):
        return _refused("$", "is not an event: an event is a JSON object")
    reader = _Reader(value, newest)
    try:
        event = reader.event()
    except RecursionError:
        return _refused("$", "nests too deeply")
    return InvalidEvent(tuple(reader.problems)) if reader.problems or event is None else event


def _refused(where: str, what: str, hint: str = "") -> InvalidEvent:
    return InvalidEvent((Problem(where, what, hint),))


@dataclass(slots=True)
class _Reader:
    """Reads one event, collecting all problems."""

    value: dict[str, Json]
    newest: str | None = None
    problems: list[Problem] = field(default_factory=list)

    def event(self) -> LineageEvent | None:
        """Return the event; None where there are problems."""
        producer = self._text(self.value, "producer", "$")
        schema_url = self._text(self.value, "schemaURL", "$")
        time = self._time()
        kind = self._kind(schema_url)
        job = self._job() if kind in (EventKind.RUN, EventKind.JOB) else None
        run = self._run(schema_url) if kind is EventKind.RUN else None
        datasets = tuple(self._datasets(kind)) if kind else ()
        if kind is None or self.problems:
            return None
        event = LineageEvent(
            kind=kind,
            time=time,
            producer=clean_text(producer),
            schema_url=clean_text(schema_url),
            job=job,
            run=run,
            datasets=datasets,
        )
        return replace(event, fingerprint=fingerprint(event))

    def _kind(self, schema_url: str) -> EventKind | None:
        """Return the kind by the members of the event; one declared as a RunEvent, or with a state, needs a run."""
        present = [name for name in ("run", "job", "dataset") if self.value.get(name) is not None]
        called = schema_url.rpartition("/")[2]
        has_state = self.value.get("eventType") is not None and called not in ("JobEvent", "DatasetEvent")
        if "run" in present or called == "RunEvent" or has_state:
            return EventKind.RUN
        if not present:
            self._wrong("$", "has no run, job or dataset", "a RunEvent has `run` and `job`")
            return None
        return EventKind(present[0])

    def _time(self) -> str:
        known = len(self.problems)
        text = self._text(self.value, "eventTime", "$")
        time = moment(text)
        if time is None and len(self.problems) == known:
            self._wrong("$.eventTime", f"{text[:60]!r} is not a timestamp", "as in 2026-01-02T03:04:05.678Z")
        if time and self.newest and time > self.newest:
            self._wrong("$.eventTime", f"{text[:60]!r} is in the future", "check clock and time zone of the sender")
        return time or ""

    def _job(self) -> EventJob | None:
        job = self._object(self.value, "job", "$")
        if job is None:
            return None
        namespace, name = self._text(job, "namespace", "$.job"), self._text(job, "name", "$.job")
        if job.get("name") == "":
            self._wrong("$.job.name", "is empty")
        facets = tuple(self._facets(job, "facets", "$.job"))
        return EventJob(namespace=clean_namespace(namespace), name=clean_text(name), facets=facets)

    def _run(self, schema_url: str) -> EventRun | None:
        run = self._object(self.value, "run", "$")
        if run is None:
            return None
        run_id = self._text(run, "runId", "$.run")
        if isinstance(run.get("runId"), str) and not _UUID.fullmatch(run_id):
            self._wrong("$.run.runId", f"{run_id[:60]!r} is not a UUID", "the specification requires one")
        state = self.value.get("eventType")
        if state is not None and not (isinstance(state, str) and (state.upper() in STATES or _is_future(schema_url))):
            self._wrong("$.eventType", f"{str(state)[:60]!r} is not a run state", f"one of {', '.join(sorted(STATES))}")
        facets = tuple(self._facets(run, "facets", "$.run"))
        return EventRun(run_id=clean_text(run_id), state=str(state or "").upper(), facets=facets)

    def _datasets(self, kind: EventKind) -> Iterator[EventDataset]:
        if kind is EventKind.DATASET:
            yield self._dataset(self.value["dataset"], "$.dataset", None)
            return
        for member, side in (("inputs", Side.INPUT), ("outputs", Side.OUTPUT)):
            listed = self.value.get(member)
            if listed is not None and not isinstance(listed, list):
                self._wrong(f"$.{member}", "is not an array")
                continue
            for index, item in enumerate(listed or ()):
                yield self._dataset(item, f"$.{member}[{index}]", side)

    def _dataset(self, value: Json, where: str, side: Side | None) -> EventDataset:
        if not isinstance(value, dict):
            self._wrong(where, "is not an object")
            return EventDataset(ref=DatasetRef("", ""), side=side)
        ref = DatasetRef(
            clean_namespace(self._text(value, "namespace", where)), clean_text(self._text(value, "name", where))
        )
        facets = tuple(self._facets(value, "facets", where))
        if side is None:
            return EventDataset(ref=ref, facets=facets)
        of_use = [facet for facet in facets if facet.name in _OF_JOB_AND_DATASET]
        of_use += self._facets(value, f"{side}Facets", where)
        own = tuple(facet for facet in facets if facet.name not in _OF_JOB_AND_DATASET)
        return EventDataset(ref=ref, side=side, facets=own, use_facets=tuple(of_use))

    def _facets(self, holder: dict[str, Json], member: str, where: str) -> Iterator[Facet]:
        """Yield facets by name; null means a missing facet, as several clients write it."""
        facets = holder.get(member)
        if facets is None:
            return
        if not isinstance(facets, dict):
            self._wrong(f"{where}.{member}", "is not an object")
            return
        for name in sorted(facets):
            if facets[name] is None:
                continue
            if not isinstance(facets[name], dict):
                self._wrong(f"{where}.{member}.{name}", "is not an object")
                continue
            reading = read_facet(name, facets[name])
            inside = f"{where}.{member}.{name}"
            self.problems += (
                Problem(inside + problem.where, problem.what, problem.hint) for problem in reading.problems
            )
            yield reading.facet

    def _object(self, holder: dict[str, Json], member: str, where: str) -> dict[str, Json] | None:
        value = holder.get(member)
        if isinstance(value, dict):
            return value
        self._missing(value, member, where, "an object")
        return None

    def _text(self, holder: dict[str, Json], member: str, where: str) -> str:
        value = holder.get(member)
        if isinstance(value, str):
            return value
        self._missing(value, member, where, "a string")
        return ""

    def _missing(self, value: Json, member: str, where: str, expected: str) -> None:
        if value is None:
            self._wrong(where, f"the member {member!r} is missing", "the specification requires it")
        else:
            self._wrong(f"{where}.{member}", f"is not {expected}")

    def _wrong(self, where: str, what: str, hint: str = "") -> None:
        self.problems.append(Problem(where, what, hint))


def version_of(schema_url: str) -> tuple[int, ...] | None:
    """Return the version of the specification in a schemaURL; None where it has none."""
    match = _VERSION.search(schema_url)
    return tuple(map(int, match.groups())) if match else None


def _is_future(schema_url: str) -> bool:
    return (version_of(schema_url) or KNOWN_VERSION) > KNOWN_VERSION
