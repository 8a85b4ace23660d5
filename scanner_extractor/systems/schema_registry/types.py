"""The types of registries with Confluent's API, and Apicurio: how each is read and checked."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.http.client import Http
from scanner_extractor.probes import Probe, unexpected
from scanner_extractor.registries import RegistryType
from scanner_extractor.registries.result import BadRow, Row
from scanner_extractor.schemas.references import LATEST
from scanner_extractor.settings.cluster import RegistrySettings
from scanner_extractor.systems.schema_registry.apicurio import api_paths, read_apicurio
from scanner_extractor.systems.schema_registry.confluent import compatible_base, compatible_client, read_confluent
from scanner_extractor.systems.schema_registry.confluent_reader import read_names
from scanner_extractor.systems.schema_registry.confluent_versions import check_context, wanted_subjects
from scanner_extractor.systems.schema_registry.settings import CONFLUENT_SCHEMA, context_address
from scanner_model.errors import NotFound
from scanner_model.maturity import live
from scanner_model.payload import Payload

_SEARCHES = {"v3": "versions", "v2": "artifacts"}


def confluent_probes(settings: RegistrySettings, http: Http) -> Iterator[Probe]:
    """Try to list the subjects of a registry with Confluent's API, and to read one schema."""
    client = compatible_client(settings, http)
    subjects: list[str] = []

    def listed() -> str:
        subjects.extend(wanted_subjects(client, client.subjects(0, deleted=False)))
        if not subjects:
            check_context(client)
        return f"{len(subjects)} subjects"

    yield Probe("list subjects", listed)
    if subjects:
        yield Probe("read a schema", lambda: _row(client.version(subjects[0], LATEST, deleted=False)))


def apicurio_probes(settings: RegistrySettings, http: Http) -> Iterator[Probe]:
    """Try to list the schemas of an Apicurio registry."""

    def listed() -> str:
        """Request the newest API that the server has; `url` may name one already."""
        for version, base in api_paths(settings.http.url):
            try:
                answer = Payload(http.get(*base, "search", _SEARCHES[version], params=[("limit", 1)]))
                return f"{answer.member('count').number()} found"
            except NotFound:
                if not base:
                    raise
        return f"{len(read_names(http.get(*compatible_base(settings), 'subjects')))} subjects"

    yield Probe("list schemas", listed)


def _row(row: Row | BadRow) -> str:
    if isinstance(row, BadRow):
        raise unexpected("the response is not a schema version")
    return f"version {row.version.version}"


_LAB = "tests/lab/test_lab_registries.py"


CONFLUENT = RegistryType(
    read=read_confluent,
    check=confluent_probes,
    schema=CONFLUENT_SCHEMA,
    place=context_address,
    proofs=(
        live("Confluent Schema Registry", "8.3.1", _LAB),
        live("Confluent Schema Registry", "6.1.15, 7.4.15, 7.9.9", "tests/conformance/test_recorded_registries.py"),
        live("AxonOps Schema Registry", "0.4.0", _LAB),
    ),
)

KARAPACE = RegistryType(read=read_confluent, check=confluent_probes, proofs=(live("Karapace", "6.2.0", _LAB),))

APICURIO = RegistryType(
    read=read_apicurio,
    check=apicurio_probes,
    proofs=(live("Apicurio Registry", "3.3.3", "tests/lab/test_apicurio_registry.py"),),
)
