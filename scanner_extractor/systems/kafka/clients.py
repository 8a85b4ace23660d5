"""Read who uses topics from the brokers: open transactions, and the groups of the newer protocols.

ListTransactions and DescribeTransactions show what transactional producers write while a transaction is open;
ConsumerGroupDescribe (KIP-848) and ShareGroupDescribe (KIP-932) the topics that members subscribe to, also without
commits; StreamsGroupDescribe (KIP-1071) the topology of an application. No request returns records.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from typing import Any, Protocol

from scanner_extractor.http.messages import Json
from scanner_extractor.probes import Probe
from scanner_extractor.results import Reading, answered_with
from scanner_extractor.systems.kafka.client import KafkaClient
from scanner_extractor.systems.kafka.coordinators import LOADING, unloaded
from scanner_extractor.systems.kafka.settings import BrokerClientSettings
from scanner_extractor.systems.kafka.streams_groups import source_topics, topology_of
from scanner_model.client_names import is_default_id
from scanner_model.clients import AT_SCAN, ClientUse, Direction, IdentityKind
from scanner_model.errors import InputInvalid, Problem, ScannerError, SourceRefused, SourceUnreachable
from scanner_model.kafka import StreamsTopology
from scanner_model.names import TopicName
from scanner_model.plugins import require

DOCUMENT = "clients"
"""The name under which a capture holds the answers."""

READ, UNSUPPORTED, REFUSED, FAILED = "read", "unsupported", "refused", "failed"
"""How a part ended, other than finding nothing."""

TRANSACTIONS = "transactions"
_DESCRIBED_BY = {
    "consumer": "ConsumerGroupDescribe",
    "share": "ShareGroupDescribe",
    "streams": "StreamsGroupDescribe",
}
_NOUNS = {TRANSACTIONS: "transactions", **{kind: f"{kind} groups" for kind in _DESCRIBED_BY}}
_OPEN = frozenset({"Ongoing", "PrepareCommit", "PrepareAbort"})
_BATCH = 50
_MOST = 250_000
"""Uses that are kept of one cluster."""
_SHOWN = 5
_PAGE = "see docs/sources/clients.md: the rights and versions that it needs"


class Session(Protocol):
    """What is needed of `protocol.BrokerSession`."""

    requests: int

    def __enter__(self) -> Session:
        """Return the session itself."""

    def __exit__(self, *_: object) -> None:
        """Close the connections."""

    def supports(self, name: str) -> bool:
        """Return whether the brokers have the request *name*."""

    def at_brokers(self, name: str, **members: object) -> list[dict[str, Any]]:
        """Return the response of each broker."""

    def at_coordinators(self, name: str, keys: Sequence[str], member: str, **members: object) -> list[dict[str, Any]]:
        """Return the responses of the coordinators of *keys*."""

    def error_name(self, code: int) -> str:
        """Return Kafka's name of an error code."""


def load_clients(
    settings: BrokerClientSettings,
    now: datetime,
    connect: Callable[..., Session] | None = None,
    pause: Callable[[float], None] = time.sleep,
    loading: Callable[[], Sequence[str]] = tuple,
) -> Json:
    """Return what the brokers answer as JSON, one member for each part; *pause* waits between samples.

    *loading* says why the list of groups may be incomplete: it is asked before and after, since a coordinator may move.

    Raises InputInvalid where kafka-python is missing or does not take the properties of `kafka`, SourceRefused and
    SourceUnreachable where no broker answers, or none of the parts could be read.
    """
    if connect is None:
        what = "transactions and groups are read with kafka-python"
        module = require(
            "scanner_extractor.systems.kafka.protocol",
            what,
            extra="kafka-clients",
            where="cluster.json $.kafka_clients",
        )
        client = KafkaClient(settings.kafka)
        client.metadata()  # kafka-python takes a wrong password for a missing answer
        connect, loading = module.BrokerSession, lambda: unloaded(client, client.metadata())
    with connect(settings.kafka) as session:
        errors: list[ScannerError] = []
        parts = _group_parts(session, errors, pause, loading) if settings.groups else {}
        if settings.transactions:
            parts[TRANSACTIONS] = _part(partial(_transactions, session, settings.samples, pause), errors)
        if errors and all(part["status"] in (REFUSED, FAILED) for part in parts.values()):
            raise errors[0]
        return {"at": now.isoformat(timespec="seconds"), "parts": parts, "requests": session.requests}


def _part(read: Callable[[], Json], errors: list[ScannerError]) -> Json:
    """Return what *read* returns and how it ended; an error is added to *errors*."""
    try:
        answer = read()
    except ScannerError as error:
        errors.append(error)
        return {"status": REFUSED if isinstance(error, SourceRefused) else FAILED, "reason": error.what}
    return {"status": UNSUPPORTED} if answer is None else {"status": READ, **answer}


def _group_parts(
    session: Session,
    errors: list[ScannerError],
    pause: Callable[[float], None],
    loading: Callable[[], Sequence[str]],
) -> dict[str, Json]:
    """Return each kind of group; the list of groups is requested once, for all of them."""
    supported = [kind for kind, name in _DESCRIBED_BY.items() if session.supports(name)]
    listed: Mapping[str, Sequence[str]] = {}
    missing: list[str] = []

    def listing() -> Json:
        nonlocal listed
        missing.extend(loading() if supported else ())
        listed = _listed(session) if supported else {}
        missing.extend(loading() if supported and not missing else ())
        return {}

    failed = _part(listing, errors)
    if failed["status"] != READ:
        return dict.fromkeys(_DESCRIBED_BY, failed)
    return {
        kind: _part(partial(_groups, session, kind, listed.get(kind, ()), pause), errors) | _incomplete(missing)
        if kind in supported
        else {"status": UNSUPPORTED}
        for kind in _DESCRIBED_BY
    }


def _incomplete(reasons: Sequence[str]) -> dict[str, Json]:
    return {"incomplete": "; ".join(reasons)} if reasons else {}


def _listed(session: Session) -> Mapping[str, list[str]]:
    """Return the names of groups by their kind, as brokers call it in lower case; raises ScannerError."""
    groups: dict[str, set[str]] = {"": set()}
    for answer in session.at_brokers("ListGroups"):
        if error := session.error_name(answer["error_code"]):
            raise SourceRefused(f"groups are not listed: {error}", where="ListGroups", hint=_PAGE)
        for group in answer["groups"]:
            groups.setdefault(str(group.get("group_type", "")).lower(), set()).add(group["group_id"])
    return {kind: sorted(names) for kind, names in groups.items()}


def _groups(session: Session, kind: str, names: Sequence[str], pause: Callable[[float], None]) -> Json:
    """Return the groups; where version 1 of a response cannot be read, its version 0 is, without sinks."""
    if kind != "streams":
        return _described(session, kind, names)
    try:
        return _described(session, kind, names, include_topology_description=True)
    except SourceUnreachable:
        pause(1.0)
        return _described(session, kind, names, max_version=0)


def _described(session: Session, kind: str, names: Sequence[str], **members: object) -> Json:
    answers = (
        answer
        for start in range(0, len(names), _BATCH)
        for answer in session.at_coordinators(
            _DESCRIBED_BY[kind], names[start : start + _BATCH], "group_ids", **members
        )
    )
    rows = [_group_row(session, group) for answer in answers for group in answer["groups"]]
    return {"rows": sorted(rows, key=lambda row: str(row["name"]))}


def _group_row(session: Session, group: Mapping[str, Any]) -> dict[str, Json]:
    """Return what is kept of a group: no host, no member id, no offset."""
    row: dict[str, Json] = {
        "name": group["group_id"],
        "state": group["group_state"],
        "error": session.error_name(group["error_code"]),
        "members": sorted(
            ([member["client_id"], sorted(_member_topics(member))] for member in group["members"]), key=str
        ),
    }
    for name in ("topology", "topology_description", "topology_description_status"):
        if name in group:
            row[name] = group[name]
    return row


def _member_topics(member: Mapping[str, Any]) -> set[str]:
    """Return the topics that a member subscribes to by name, and those of a pattern that it is assigned."""
    named = set(member.get("subscribed_topic_names") or ())
    if member.get("subscribed_topic_regex"):
        named |= {parts["topic_name"] for parts in member["assignment"]["topic_partitions"]}
    return named


def _transactions(session: Session, samples: int, pause: Callable[[float], None]) -> Json:
    """Return the transactions that were open in one of the *samples*, a second apart, and how many ids are known.

    None where the brokers have no such requests.
    """
    if not (session.supports("ListTransactions") and session.supports("DescribeTransactions")):
        return None
    known: set[str] = set()
    rows: dict[str, dict[str, Json]] = {}
    for sample in range(samples):
        if sample:
            pause(1.0)
        listed = [row for answer in session.at_brokers("ListTransactions") for row in _states(session, answer)]
        known |= {row["transactional_id"] for row in listed}
        active = sorted(row["transactional_id"] for row in listed if row["transaction_state"] in _OPEN)
        for start in range(0, len(active), _BATCH):
            batch = active[start : start + _BATCH]
            for answer in session.at_coordinators("DescribeTransactions", batch, "transactional_ids"):
                for state in answer["transaction_states"]:
                    _add_transaction(rows, session, state)
    return {"known": len(known), "rows": [rows[name] for name in sorted(rows)]}


def _states(session: Session, answer: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    if error := session.error_name(answer["error_code"]):
        raise SourceRefused(f"transactions are not listed: {error}", where="ListTransactions", hint=_PAGE)
    states: Sequence[Mapping[str, Any]] = answer["transaction_states"]
    return states


def _add_transaction(rows: dict[str, dict[str, Json]], session: Session, state: Mapping[str, Any]) -> None:
    name, error = state["transactional_id"], session.error_name(state["error_code"])
    row = rows.setdefault(name, {"name": name, "error": error, "started": -1, "topics": []})
    if not error:
        topics = {*row["topics"], *(topic["topic"] for topic in state["topics"])}
        row |= {"error": "", "topics": sorted(topics), "started": state["transaction_start_time_ms"]}


def client_probes(load: Callable[[], Json]) -> Iterator[Probe]:
    """Try to read every part once, and count what is visible."""
    yield Probe("read transactions and groups", lambda: _counted(load()))


def _counted(document: Json) -> str:
    def shown(name: str, part: Json) -> str:
        if part["status"] != READ:
            return f"{_NOUNS[name]}: {part.get('reason') or 'no such request'}"
        return f"{part.get('known', len(part['rows']))} {_NOUNS[name]}"

    return ", ".join(shown(name, part) for name, part in document["parts"].items())


def read_clients(document: Json, settings: BrokerClientSettings) -> Reading:
    """Return uses of topics and topologies; raises InputInvalid for a damaged capture.

    What is not visible with the user's rights is hidden by the brokers without a word: an empty part is reported.
    """
    try:
        return _Reading(document, settings).result()
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        hint = "record the capture again"
        raise InputInvalid("damaged document in the capture", where=str(settings.source), hint=hint) from error


class _Reading:
    """Converts the document of one cluster."""

    def __init__(self, document: Json, settings: BrokerClientSettings) -> None:
        self._parts: Mapping[str, Any] = document["parts"]
        self._requests = int(document["requests"])
        self._source = settings.source
        self._ended = str(document["at"])

    def result(self) -> Reading:
        groups = [(kind, row) for kind in _DESCRIBED_BY for row in self._rows(kind)]
        uses = {
            (use.topic, use.direction, use.identities): use
            for use in chain(self._written(), *(self._read(kind, row) for kind, row in groups))
        }
        partial, remarks = [*self._failures()], [*self._remarks()]
        if len(uses) > _MOST:
            what = f"{len(uses)} uses of topics were found; {_MOST} are kept"
            partial.append(Problem(str(self._source), what, _PAGE))
        topologies = tuple(filter(None, (self._topology(row) for kind, row in groups if kind == "streams")))
        received = min(len(uses), _MOST) + len(topologies)
        return Reading(
            outcome=answered_with(partial, self._source, "kafka_clients", received, requests=self._requests),
            facts=(*(uses[key] for key in sorted(uses)[:_MOST]), *topologies),
            problems=(*partial, *remarks),
        )

    def _rows(self, part: str) -> Sequence[Mapping[str, Any]]:
        return [row for row in self._parts.get(part, {}).get("rows", ()) if not row["error"]]

    def _written(self) -> Iterator[ClientUse]:
        """Yield what open transactions write; a transaction that was closed by then is not among them."""
        for row in self._rows(TRANSACTIONS):
            for topic in row["topics"]:
                identities = {IdentityKind.TRANSACTIONAL_ID: row["name"]}
                yield self._use(topic, Direction.WRITES, identities, "DescribeTransactions", _iso(row["started"]))

    def _read(self, kind: str, row: Mapping[str, Any]) -> Iterator[ClientUse]:
        """Yield what the members of a group read; for Kafka Streams that is in the topology, if it has members."""
        if kind == "streams":
            for topic in source_topics(row) if row["members"] else ():
                names = {IdentityKind.APPLICATION_ID: row["name"], IdentityKind.GROUP: row["name"]}
                yield self._use(topic, Direction.READS, names, _DESCRIBED_BY[kind])
            return
        for client, topics in row["members"]:
            names = {IdentityKind.GROUP: row["name"]}
            if client and not is_default_id(client):
                names[IdentityKind.CLIENT_ID] = client
            for topic in topics:
                yield self._use(topic, Direction.READS, names, _DESCRIBED_BY[kind])

    def _use(
        self, topic: str, direction: Direction, names: Mapping[IdentityKind, str], metric: str, started: str = ""
    ) -> ClientUse:
        return ClientUse(
            source=self._source,
            topic=TopicName(topic),
            direction=direction,
            identities=tuple(sorted((kind.value, name) for kind, name in names.items())),
            started=started or self._ended,
            ended=max(self._ended, started),  # a later sample sees transactions that began after the first
            window=AT_SCAN,
            metric=metric,
            amount=None,
            sampled=direction is Direction.WRITES,
        )

    def _topology(self, row: Mapping[str, Any]) -> StreamsTopology | None:
        if not (text := topology_of(row)):
            return None
        return StreamsTopology(source=self._source, name=row["name"], topology=text, file=_DESCRIBED_BY["streams"])

    def _failures(self) -> Iterator[Problem]:
        """Yield what could not be read: a part, or rows of one, by reason."""
        for name, part in self._parts.items():
            if part["status"] in (REFUSED, FAILED):
                yield Problem(str(self._source), f"{_NOUNS[name]} could not be read: {part['reason']}", _PAGE)
            if part["status"] == READ and part.get("incomplete"):
                what = f"{_NOUNS[name]} may be missing from the brokers' list: {part['incomplete']}"
                yield Problem(str(self._source), what, LOADING)
            for error in sorted({row["error"] for row in part.get("rows", ())} - {""}):
                named = [row["name"] for row in part["rows"] if row["error"] == error]
                shown = ", ".join(named[:_SHOWN]) + (", …" if len(named) > _SHOWN else "")
                yield Problem(str(self._source), f"{len(named)} {_NOUNS[name]} not read: {error} ({shown})", _PAGE)

    def _remarks(self) -> Iterator[Problem]:
        source = str(self._source)
        for name, part in self._parts.items():
            if part["status"] == UNSUPPORTED:
                yield Problem(source, f"the brokers have no request for {_NOUNS[name]}: these are unknown", _PAGE)
        groups = [self._parts[kind] for kind in _DESCRIBED_BY if kind in self._parts]
        if groups and not any(part.get("rows") or part["status"] != READ for part in groups):
            what = "no group of the newer protocols is visible: none exists, or the user may not DESCRIBE it"
            yield Problem(source, what, "give it DESCRIBE on groups and topics")
        transactions = self._parts.get(TRANSACTIONS, {})
        if transactions.get("known") == 0:
            what = "no transactional id is visible: none exists, or the user may not DESCRIBE it"
            yield Problem(source, what, "give it DESCRIBE on transactional ids")
        silent = [row["name"] for row in self._rows("streams") if row.get("topology_description_status") != AVAILABLE]
        if silent:
            shown = ", ".join(silent[:_SHOWN]) + (", …" if len(silent) > _SHOWN else "")
            what = f"the brokers do not say what {len(silent)} Streams applications write: it is unknown ({shown})"
            yield Problem(source, what, "name their topologies as files in `streams`")


AVAILABLE = 3
"""The status of a topology description that the broker sends (KIP-1331)."""


def _iso(milliseconds: int) -> str:
    """Return a time as ISO 8601; empty if absent."""
    if milliseconds < 0:
        return ""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="seconds")
