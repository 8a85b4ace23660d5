"""The Connect clusters that a monitor polls: how connectors are asked for, and the topics that these really use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from dataflow_generator.flows.naming import Naming
from dataflow_generator.openlineage.life_events import Engine
from dataflow_generator.openlineage.lifecycle import Runs, Seen, unread
from dataflow_generator.openlineage.phases import Phase
from dataflow_generator.openlineage.watched_connectors import connector_seen, names_topics
from scanner_cli.monitoring import Server
from scanner_extractor.http import Http
from scanner_extractor.rate import Clock
from scanner_extractor.settings import ConnectSettings, Settings
from scanner_extractor.sources.connect import read_connector_states, read_used_topics
from scanner_extractor.sources.connect_veil import veiled
from scanner_model.connect import Connector
from scanner_model.errors import ScannerError
from scanner_model.names import TopicName

_AGAIN = 60.0
"""Seconds after which a connector is asked again which topics it uses."""


def connect_servers(clusters: Sequence[Settings], *, clock: Clock | None = None) -> Iterator[Server]:
    """Give every Connect cluster; *clock* makes tests fast."""
    naming = Naming((one.cluster, one.brokers) for one in clusters)
    for one in clusters:
        for connect in map(_one_at_a_time, one.connect):
            http = Http(connect.http, connect.source, wrap=partial(veiled, connect), clock=clock)
            cluster = _Connect(connect, http, (one.cluster, naming), clock or Clock())
            yield Server(name=f"{one.cluster} {connect.source}", engine=Engine(name="Kafka Connect"), look=cluster.look)


def _one_at_a_time(connect: ConnectSettings) -> ConnectSettings:
    """Have what is asked beside a poll asked one after the other: each thread would keep memory of its own."""
    return replace(connect, http=replace(connect.http, concurrency=1))


@dataclass(slots=True)
class _Connect:
    """One Connect cluster; *used* are topics that its connectors were seen to use, and since when that is known."""

    settings: ConnectSettings
    http: Http
    at: tuple[str, Naming]
    clock: Clock
    used: dict[str, tuple[float, tuple[TopicName, ...]]] = field(default_factory=dict)

    def look(self, _: Runs) -> Sequence[Seen]:
        """List the connectors as their runs are told; raises ScannerError."""
        connectors, lost = read_connector_states(self.settings, self.http)
        for name in self.used.keys() - {each.name for each in connectors}:
            del self.used[name]
        return [*map(self._seen, connectors), *map(unread, lost)]

    def _seen(self, connector: Connector) -> Seen:
        """Give a connector by its configuration; by the topics that it uses where that names none, or a pattern."""
        seen = connector_seen(connector, *self.at)
        if seen.phase is not Phase.RUNNING or names_topics(seen.job) or not self._is_asked:
            return seen
        topics = self._topics(connector.name)
        return connector_seen(replace(connector, topics=topics), *self.at) if topics else seen

    @property
    def _is_asked(self) -> bool:
        return self.settings.active_topics and not self.settings.is_managed

    def _topics(self, name: str) -> tuple[TopicName, ...]:
        """Give the topics that a connector was seen to use; none where it has used none, or nobody tells."""
        asked, known = self.used.get(name, (float("-inf"), ()))
        now = self.clock.now()
        if now - asked >= _AGAIN:
            with suppress(ScannerError):  # not tracked, or not now: what was known stays
                known = read_used_topics(self.http, name)
            self.used[name] = now, known
        return known
