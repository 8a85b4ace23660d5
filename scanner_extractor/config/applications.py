"""The applications that cluster.json names, as facts: they say to whom the clients of other sources belong."""

from __future__ import annotations

from scanner_extractor.results import FactsResult
from scanner_extractor.systems.kafka.settings import ApplicationSettings
from scanner_model.clients import ApplicationIdentity, IdentityKind
from scanner_model.scan import SourceResult, SourceStatus


def read_mapping(settings: ApplicationSettings) -> FactsResult:
    """Return a fact for each name of each application."""
    identities = tuple(
        ApplicationIdentity(
            source=settings.source,
            application=application,
            kind=IdentityKind(kind),
            pattern=pattern,
            owner=settings.owners.get(application, ""),
        )
        for application, names in sorted(settings.identities.items())
        for kind, pattern in sorted(set(names))
    )
    return FactsResult(
        outcome=SourceResult(
            source=settings.source,
            kind="applications",
            status=SourceStatus.READ,
            received=len(identities),
            requested=len(identities),
        ),
        facts={"application_identities": identities},
    )
