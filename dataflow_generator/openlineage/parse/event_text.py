"""Serialize parsed events to redacted JSON text, as the spool stores it, and fingerprint them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b

from dataflow_generator.openlineage.redaction import canonical
from scanner_model.openlineage import EventDataset, EventKind, Facet, LineageEvent, Side

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
        members += [f'"dataset":{_dataset(each)}' for each in event.datasets]
    else:
        for member, side in (("inputs", Side.INPUT), ("outputs", Side.OUTPUT)):
            listed = ",".join(_dataset(each) for each in event.datasets if each.side is side)
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
    for each in event.datasets:
        yield from (str(each.side), each.ref.namespace, each.ref.name, *map(_mark, each.facets))
        yield from map(_mark, each.use_facets)


def _mark(facet: Facet) -> str:
    return f"{facet.name}={_body_digest(facet.body)}"


@lru_cache(maxsize=4_096)
def _body_digest(body: str) -> str:
    return _digest(body)


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _dataset(dataset: EventDataset) -> str:
    own = [*dataset.facets, *(each for each in dataset.use_facets if each.name in _OF_USE_IN_FACETS)]
    of_use = [each for each in dataset.use_facets if each.name not in _OF_USE_IN_FACETS]
    more = f',"{dataset.side}Facets":{_facets(of_use)}' if of_use else ""
    return f'{_named(dataset.ref.namespace, dataset.ref.name)},"facets":{_facets(own)}{more}}}'


def _named(namespace: str, name: str) -> str:
    return f'{{"namespace":{canonical(namespace)},"name":{canonical(name)}'


def _facets(facets: Iterable[Facet]) -> str:
    return "{" + ",".join(f"{canonical(each.name)}:{each.body}" for each in facets) + "}"
