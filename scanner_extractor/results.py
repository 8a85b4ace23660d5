"""What the reader of each source returns: facts, what it could not read, and how the source responded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from scanner_extractor.settings.cluster import Settings
from scanner_model.catalogs import Annotation, CatalogLink, CatalogTable, Materialization, Metric
from scanner_model.clients import ClientUse
from scanner_model.errors import Problem
from scanner_model.facts import Facts
from scanner_model.names import SourceId, TopicName
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.schemas import Association, Registry, SchemaVersion

Progress = Callable[[SourceId, int, int | None], None]
"""Called with the number of objects of a source that are done, and the total (None: unknown), from any thread."""


def no_progress(source: SourceId, done: int, total: int | None) -> None:
    """Report no progress."""


def answered(
    source: SourceId,
    kind: str,
    received: int,
    *,
    reasons: Iterable[str] = (),
    missing: int = 0,
    **others: Any,  # noqa: ANN401 - of several types
) -> SourceResult:
    """Build the outcome of a source that answered: partial where there are *reasons* why not all was read.

    *received* objects were read, *missing* ones were not. *others* are members of the outcome: hint, requests, unread.
    """
    reason = "; ".join(reasons)
    return SourceResult(
        source=source,
        kind=kind,
        status=SourceStatus.PARTIAL if reason else SourceStatus.READ,
        received=received,
        requested=received + missing,
        reason=reason,
        **others,
    )


def answered_with(
    problems: Sequence[Problem],
    source: SourceId,
    kind: str,
    received: int,
    **others: Any,  # noqa: ANN401 - as above
) -> SourceResult:
    """Build the outcome of a source that answered: partial where there are *problems*; the first two are the reason."""
    hint = problems[0].hint if problems else ""
    return answered(source, kind, received, reasons=[problem.what for problem in problems[:2]], hint=hint, **others)


@dataclass(frozen=True, kw_only=True)
class Reading(Facts):
    """What the reader of a source returns: how the source answered, its facts, and what could not be read.

    Facts of one type are sorted. Some are not stored, and only the merge uses them: those of this module, and the
    associations of a registry.
    """

    outcome: SourceResult
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaCluster:
    """The brokers of a Kafka cluster, and the cluster's own id.

    *addresses* are first those of the listener that was used, then those of the others; *unnamed* counts those that are
    not among them although they hold replicas. *unconfigured* are the topics whose settings the brokers did not return:
    their empty `config` is unknown, not empty.
    """

    cluster_id: str = ""
    addresses: tuple[str, ...] = ()
    unnamed: int = 0
    unconfigured: frozenset[TopicName] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectCluster:
    """A Connect cluster: the id of the Kafka cluster that it works on, empty where it does not report it."""

    source: SourceId
    kafka_cluster_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KsqlServer:
    """A ksqlDB server: *service* is its id, which names its own topics; empty where it is not reported.

    *missing* are topics of collections that the server does not find: deleted, or hidden from its user.
    """

    source: SourceId
    service: str = ""
    missing: frozenset[TopicName] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryResult:
    """The result of a registry's plug-in: every version of every subject, sorted by context, subject and version."""

    registry: Registry
    outcome: SourceResult
    versions: tuple[SchemaVersion, ...] = ()
    associations: tuple[Association, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogResult:
    """The result of a catalog's plug-in; each kind sorted by name. *uses* are those of topics."""

    outcome: SourceResult
    annotations: tuple[Annotation, ...] = ()
    materializations: tuple[Materialization, ...] = ()
    tables: tuple[CatalogTable, ...] = ()
    links: tuple[CatalogLink, ...] = ()
    metrics: tuple[Metric, ...] = ()
    uses: tuple[ClientUse, ...] = ()
    problems: tuple[Problem, ...] = ()


def as_reading(result: Reading | RegistryResult | CatalogResult) -> Reading:
    """Return what a plug-in returned as a reading."""
    match result:
        case RegistryResult():
            facts: tuple[Any, ...] = (result.registry, *result.versions, *result.associations)
        case CatalogResult():
            tables = (*result.materializations, *result.tables, *result.links)
            facts = (*result.annotations, *tables, *result.metrics, *result.uses)
        case _:
            return result
    return Reading(outcome=result.outcome, facts=facts, problems=result.problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReadings:
    """The results of every source: one outcome a source, and the readings of those that could be read.

    *settings* are those in effect: with what was found on Confluent Cloud, where there is any.
    """

    outcomes: tuple[SourceResult, ...]
    readings: tuple[Reading, ...]
    settings: Settings | None = None
