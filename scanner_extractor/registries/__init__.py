"""The table of schema registries: how each kind is read, and what `scanner doctor` tries: listing is another right."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Transport
from scanner_extractor.probes import Probe, unexpected
from scanner_extractor.registries.apicurio import api_paths, read_apicurio
from scanner_extractor.registries.cloudera import MAIN_BRANCH, ClouderaClient, cloudera_base, read_cloudera, read_name
from scanner_extractor.registries.confluent import compatible_base, compatible_client, read_confluent
from scanner_extractor.registries.confluent_reader import read_names
from scanner_extractor.registries.confluent_versions import check_context, wanted_subjects
from scanner_extractor.registries.glue import GlueClient, glue_registry_transport, read_glue
from scanner_extractor.registries.result import BadRow, Row
from scanner_extractor.results import RegistryResult
from scanner_extractor.schemas.references import LATEST
from scanner_extractor.settings.cluster import RegistrySettings
from scanner_extractor.source_types import SourceType, SourceTypes
from scanner_model import plugins
from scanner_model.errors import NotFound
from scanner_model.maturity import Proof, live, validated
from scanner_model.payload import Payload

__all__ = ["REGISTRIES", "RegistryType"]


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


def cloudera_probes(settings: RegistrySettings, http: Http) -> Iterator[Probe]:
    """Try to list the schemas of a Cloudera registry, and to read one."""
    client = ClouderaClient(http, cloudera_base(settings.http.url))
    names: list[str] = []

    def listed() -> str:
        names.extend(filter(None, map(read_name, client.schemas())))
        return f"{len(names)} schemas"

    yield Probe("list schemas", listed)
    if names:
        yield Probe("read a schema", lambda: f"{len(client.versions(names[0], MAIN_BRANCH))} versions")


def glue_probes(settings: RegistrySettings, http: Http) -> Iterator[Probe]:
    """Try to list the schemas of AWS Glue, and to read one."""
    client = GlueClient(http)
    registries = settings.glue.registries if settings.glue else ()
    ids: list[str] = []

    def listed() -> str:
        schemas = [schema for name in registries or ("",) for schema in client.schemas(name)]
        ids.extend(client.version_ids(schemas[0]) if schemas else ())
        return f"{len(schemas)} schemas"

    yield Probe("list schemas and versions", listed)
    if ids:
        yield Probe("read a schema", lambda: f"version {client.version(ids[0]).member('VersionNumber').number()}")


def _row(row: Row | BadRow) -> str:
    if isinstance(row, BadRow):
        raise unexpected("the response is not a schema version")
    return f"version {row.version.version}"


RegistryType = SourceType[RegistrySettings, RegistryResult]


def _glue_transport(settings: RegistrySettings) -> Transport | None:
    return glue_registry_transport(settings.glue, settings.http) if settings.glue else None


_LAB = "tests/lab/test_lab_registries.py"


def _compatible(*proofs: Proof) -> RegistryType:
    """Return the type of a registry with Confluent's API."""
    return RegistryType(read=read_confluent, check=confluent_probes, proofs=proofs)


REGISTRIES: SourceTypes[RegistrySettings, RegistryResult] = SourceTypes(
    {
        "confluent": _compatible(
            live("Confluent Schema Registry", "6.1.15, 7.4.15, 7.9.9, 8.3.1", _LAB),
            live("AxonOps Schema Registry", "0.4.0", _LAB),
        ),
        "karapace": _compatible(live("Karapace", "6.2.0", "tests/conformance/test_recorded_registries.py")),
        "apicurio": RegistryType(
            read=read_apicurio,
            check=apicurio_probes,
            proofs=(live("Apicurio Registry", "3.3.3", "tests/lab/test_apicurio_registry.py"),),
        ),
        "cloudera": RegistryType(
            read=read_cloudera, check=cloudera_probes, proofs=(Proof("Cloudera Schema Registry"),)
        ),
        "glue": RegistryType(
            read=read_glue,
            check=glue_probes,
            transport=_glue_transport,
            proofs=(validated("AWS Glue Schema Registry", "moto 5.2", "tests/conformance/test_moto.py"),),
        ),
    },
    plugins.REGISTRIES,
)
"""The types of schema registry by the name that cluster.json gives them."""
