"""What a kind of source is: where its settings are in cluster.json, when it is read, how it is read and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Any, Generic, Protocol, TypeVar

from scanner_extractor.config.sections import Section
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json, Transport
from scanner_extractor.job_files import FileText
from scanner_extractor.probes import Probe
from scanner_extractor.results import Progress, Reading, as_reading
from scanner_extractor.settings.cluster import HttpSettings, KafkaSettings, OffsetSettings, Settings
from scanner_extractor.settings.sources import FileSettings
from scanner_extractor.source_types import SourceType
from scanner_model.maturity import Proof
from scanner_model.names import SourceId

DISCOVERY = "discovery"
CLUSTER = "topics and consumer groups"
STREAMING = "collections and connectors"
SCHEMAS = "schemas"
TABLES = "tables of topics"
CATALOG = "catalogs"
METRICS = "metrics"
"""The phases of a scan."""


class SourceSettings(Protocol):
    """Settings of one source; those read over HTTP have `http` too."""

    @property
    def source(self) -> SourceId:
        """Return the identity of the source in every scan."""


class HttpSource(SourceSettings, Protocol):
    """Settings of one source that is read over HTTP."""

    @property
    def http(self) -> HttpSettings:
        """Return how its requests are sent."""


class TypedSource(HttpSource, Protocol):
    """Settings that name the type of their source."""

    @property
    def type(self) -> str:
        """Return the name of the type."""


R = TypeVar("R")


class Connections(Protocol):
    """How a kind reaches its sources; `scanner_extractor.scan.connections` has those of a scan and of a capture."""

    @property
    def now(self) -> Callable[[], datetime]:
        """Return the clock of metrics and of transactions."""

    @property
    def probe(self) -> Callable[[KafkaSettings], str]:
        """Return what requests the brokers' metadata."""

    @property
    def acls(self) -> Callable[[Any], Json]:
        """Return what requests the brokers' access rules."""

    @property
    def clients(self) -> Callable[[Any, datetime], Json]:
        """Return what requests transactions and groups from the brokers."""

    @property
    def schema_ids(self) -> Callable[[Any, Progress, datetime], Json]:
        """Return what reads the schema ids of records."""

    def http(
        self,
        settings: HttpSettings,
        source: SourceId,
        *,
        live: Transport | None = None,
        mask: Callable[[Transport], Transport] | None = None,
    ) -> Http:
        """Open an HTTP source; *live* sends its requests unless it is plain HTTP, *mask* hides secrets in responses."""

    def document(self, source: SourceId, name: str, load: Callable[[], Json]) -> Json:
        """Return what *load* returns; a capture holds it as the document *name*."""

    def texts(self, settings: FileSettings, source: SourceId, hide: Callable[[str], str]) -> tuple[FileText, ...]:
        """Read the files of *source*; *hide* masks secrets."""

    def earlier(self, source: SourceId) -> Any:  # noqa: ANN401 - a type of the system
        """Return the queries of a ksqlDB server that earlier scans know."""

    def kafka(self, settings: KafkaSettings, progress: Progress) -> Reading:
        """Read topics and groups from the brokers."""

    def offsets(self, settings: OffsetSettings, progress: Progress) -> Reading:
        """Read the end offsets of topics."""

    def database(self, settings: Any, progress: Progress) -> Reading:  # noqa: ANN401 - as above
        """Read the tables of a database."""

    def reading(
        self,
        source: SourceId,
        name: str,
        read: Callable[[], R],
        write: Callable[[R], Json],
        parse: Callable[[Json, SourceId], R],
    ) -> R:
        """Return what *read* returns; a capture holds it as *write* has it, the document *name*, for *parse*."""


class Types(Protocol):
    """A table of the types of one kind of source."""

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the types."""

    def __getitem__(self, name: str, /) -> SourceType[Any]:
        """Return the type called *name*."""


S = TypeVar("S", bound=SourceSettings)
H = TypeVar("H", bound=HttpSource)
T = TypeVar("T", bound=TypedSource)


class BrokerUse(Enum):
    """What a kind of source has to do with the brokers of its cluster."""

    NONE = "none"
    LISTED = "listed"
    """It asks the brokers themselves: that they do not answer shows that they are down."""
    NEEDED = "needed"
    """Its server waits for the brokers before it answers."""


def _always(_: object) -> bool:
    return True


def _no_system(_: object) -> tuple[Proof, ...]:
    return ()


def tested(*proofs: Proof) -> Callable[[object], tuple[Proof, ...]]:
    """Return a function that returns *proofs* for every source."""
    return lambda _: proofs


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceKind(Generic[S]):
    """One kind of source.

    *name* is what `--only` and `--skip` take, *phase* when it is read. *section* is the member of cluster.json that
    declares its sources: JSON Schema, parse, validate; several kinds may share one. *settings* is the class of what
    that member is parsed to for this kind. *read* reads one source and raises ScannerError where nothing of it can be
    read. *check* yields what `scanner doctor` tries on it; a probe is created after the one before it has run, while
    the connection is open. *field* is the field of Settings that holds its sources, which the table of kinds sets;
    empty: they are in `settings.others`. *ready* returns whether a source can be read yet: brokers may be found only
    when the scan starts. *brokers* is how it uses them. *proofs* returns how the systems of one source were tested, or
    of all for None; none for a kind that is a part of cluster.json.
    """

    name: str
    phase: str
    section: Section[Any]
    settings: type[S]
    read: Callable[[S, Connections, Progress], Reading]
    check: Callable[[S, Connections], Iterable[Probe]]
    field: str = ""
    ready: Callable[[S], bool] = _always
    brokers: BrokerUse = BrokerUse.NONE
    proofs: Callable[[S | None], tuple[Proof, ...]] = _no_system

    def sources(self, settings: Settings) -> Iterator[S]:
        """Yield the settings of the sources of this kind."""
        value = getattr(settings, self.field) if self.field else settings.others.get(self.section.member, ())
        for source in value if isinstance(value, tuple) else (value,):
            if isinstance(source, self.settings) and self.ready(source):
                yield source


def http_kind(name: str, phase: str, section: Section[Any], settings: type[H], type_: SourceType[H]) -> SourceKind[H]:
    """Build the row of a kind that is read and checked over HTTP as *type_* does it."""

    def read(source: H, connections: Connections, progress: Progress) -> Reading:
        with connections.http(source.http, source.source, live=type_.transport(source)) as http:
            return as_reading(type_.read(source, http, progress))

    check = http_check(type_)
    return SourceKind(
        name=name,
        phase=phase,
        section=section,
        settings=settings,
        read=read,
        check=check,
        proofs=tested(*type_.proofs),
    )


def typed_kind(name: str, phase: str, section: Section[Any], settings: type[T], types: Types) -> SourceKind[T]:
    """Build the row of a kind whose settings name one of *types*, each read and checked over HTTP."""

    def proofs(source: T | None) -> tuple[Proof, ...]:
        names = types if source is None else (source.type,)
        return tuple(proof for name in names for proof in types[name].proofs)

    return replace(http_kind(name, phase, section, settings, by_type(types)), proofs=proofs)


def http_check(type_: SourceType[H]) -> Callable[[H, Connections], Iterator[Probe]]:
    """Return the check of a source that is checked over HTTP as *type_* does it."""

    def check(source: H, connections: Connections) -> Iterator[Probe]:
        with connections.http(source.http, source.source, live=type_.transport(source)) as http:
            yield from type_.check(source, http)

    return check


def by_type(types: Types) -> SourceType[Any]:
    """Return a type that does what the one of *types* does that the settings name."""
    return SourceType(
        read=lambda settings, http, progress: types[settings.type].read(settings, http, progress),
        check=lambda settings, http: types[settings.type].check(settings, http),
        transport=lambda settings: types[settings.type].transport(settings),
    )
