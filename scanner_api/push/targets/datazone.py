"""Amazon DataZone and SageMaker Catalog: an OpenLineage run event for each job, sent again when the job changed.

No later event takes an edge away before DataZone replaces the job's version; undoing a run deletes its events.
Source: Amazon DataZone API, PostLineageEvent (run events of at most 300,000 bytes), DeleteLineageEvent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from dataflow_generator.openlineage.emit.run_events import run_id
from dataflow_generator.openlineage.redaction import canonical
from scanner_api.push.aws import aws_address, aws_exchange, with_place
from scanner_api.push.contents import GraphContents
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
from scanner_extractor.config.aws import AWS_MEMBERS
from scanner_extractor.config.sections import text
from scanner_extractor.push_targets import PushTarget
from scanner_extractor.settings.push import PushSettings

_LARGEST = 290_000
"""Bytes of an event without its time and run; DataZone takes 300,000."""


class DataZone:
    """DataZone as a target: what was sent is known from the journal only, each event by the id of its answer."""

    shared: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    forced: frozenset[str] = frozenset()
    receipt = "id"
    relations = staticmethod(no_relations)

    def __init__(self, settings: PushSettings) -> None:
        self._domain = settings.options["domain"]
        self._at = ""

    def stages(self, contents: GraphContents, reader: Reader) -> Iterator[Iterator[Item | Skipped]]:
        """Yield the events; a large one is one event for each dataset that the job writes."""
        del reader
        self._at = contents.at
        yield (item for event in contents.run_events() for item in _items(event))

    def states(self, refs: Sequence[Ref], reader: Reader) -> Iterator[State | None]:
        """Yield None for each event: DataZone lists events by time only."""
        del reader
        yield from (None for _ in refs)

    def batches(self, changes: Sequence[Change], run: int) -> Iterator[Batch]:
        """Yield a call for each event: posted, or deleted by its id."""
        for change in changes:
            yield Batch((self._call(change, run) if change.wanted else self._removal(change.live or {}),), (change,))

    def explain(self, namespace: str, name: str) -> Explained:
        """Return the source identifier of a dataset."""
        return Explained(f"{namespace}/{name}", None, (f"domain {self._domain}",))

    def _removal(self, receipt: State) -> Call:
        body = {"domainIdentifier": self._domain, "identifier": receipt[self.receipt]}
        return Call(method="DELETE", path=("DeleteLineageEvent",), body=body, check=has("id"))

    def _call(self, change: Change, run: int) -> Call:
        wanted = dict(change.wanted or {})
        job = wanted["job"]
        moment = {"eventTime": self._at, "eventType": "COMPLETE"}
        runs = {"run": {"runId": run_id(self._at, job["namespace"], job["name"])}}
        token = hashlib.sha256(canonical([run, change.ref.key]).encode()).hexdigest()  # a retry is not another event
        body = {
            "domainIdentifier": self._domain,
            "event": canonical({**wanted, **moment, **runs}),
            "clientToken": token,
        }
        return Call(method="POST", path=("PostLineageEvent",), body=body, check=has("id"))


TARGET = PushTarget(
    build=DataZone,
    schema={
        **AWS_MEMBERS,
        "domain": text("Domain", "ID of the domain.", "dzd_4ab1", pattern="^dzd[-_][A-Za-z0-9_-]{1,36}$"),
    },
    needs=("region", "domain"),
    parse=with_place,
    address=aws_address,
    transport=aws_exchange,
)


def _items(event: Json) -> Iterator[Item | Skipped]:
    """Yield the event, or its parts where it is too large; the parts are of one run."""
    state = {name: value for name, value in event.items() if name not in ("eventTime", "eventType", "run")}
    outputs = state.get("outputs", [])
    is_large = _size(state) > _LARGEST
    for part in [{**state, "outputs": [output]} for output in outputs] if is_large else [state]:
        written = [f"{output['namespace']}/{output['name']}" for output in part.get("outputs", ())]
        read = [f"{given['namespace']}/{given['name']}" for given in part.get("inputs", ())]
        name = f"{event['job']['namespace']}/{event['job']['name']}"
        if _size(part) > _LARGEST:
            yield Skipped(name, f"its event to {', '.join(written)} is larger than DataZone takes")
        else:
            yield Item(Ref("event", canonical([name, _digest([read, written])])), part)


def _size(state: Json) -> int:
    return len(canonical(state).encode())


def _digest(value: Json) -> str:
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:16]
