"""How a scan reaches its sources: live, live and recorded, or from a capture without a network."""

from __future__ import annotations

from dataclasses import dataclass

from scanner_extractor.capture import Recorder, Replay
from scanner_extractor.http import Http
from scanner_extractor.readings import KafkaReading, Progress
from scanner_extractor.settings import HttpSettings, KafkaSettings
from scanner_model.names import SourceId

_KAFKA = "cluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Open sources: a *replay* stands in for the network, a *recorder* keeps what it says; at most one of them."""

    recorder: Recorder | None = None
    replay: Replay | None = None

    def http(self, settings: HttpSettings, source: SourceId) -> Http:
        """Open an HTTP source."""
        wrap = self.recorder.recording if self.recorder else None
        return Http(settings, source, exchange=self.replay, wrap=wrap)

    def kafka(self, settings: KafkaSettings, progress: Progress) -> KafkaReading:
        """Ask the brokers; a capture holds what they said as one document, as the protocol is not HTTP."""
        from scanner_extractor.sources.kafka_admin import read_kafka

        return read_kafka(settings, progress)
