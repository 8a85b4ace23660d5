"""What `scanner check` tries on each kind of schema registry: to list, and to read one; listing is another right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from scanner_extractor.exchange import Json
from scanner_extractor.http import Http
from scanner_extractor.references import LATEST
from scanner_extractor.registries.apicurio import api_paths
from scanner_extractor.registries.cloudera import ClouderaClient, cloudera_base
from scanner_extractor.registries.cloudera_reader import MAIN_BRANCH, read_name
from scanner_extractor.registries.glue import GlueClient
from scanner_extractor.registries.plans import compatible_base, compatible_client
from scanner_extractor.registries.rows import BadRow, Row
from scanner_extractor.registries.walk import wanted_subjects
from scanner_extractor.settings import RegistrySettings
from scanner_model.errors import NotFound, PayloadUnexpected

Try = tuple[str, Callable[[], str]]
"""What is tried, and the question; it gives in a few words what was found, and raises ScannerError."""

_HINT = "check the `url` and `type` of this source"
_SEARCHES = {"v3": "versions", "v2": "artifacts"}


def registry_tries(settings: RegistrySettings, http: Http) -> Iterator[Try]:
    """Give what is to be tried, each after the one before it succeeded."""
    return _TRIES.get(settings.type, _compatible)(settings, http)


def _compatible(settings: RegistrySettings, http: Http) -> Iterator[Try]:
    client = compatible_client(settings, http)
    subjects: list[str] = []

    def listed() -> str:
        subjects.extend(wanted_subjects(client, client.subjects(0, deleted=False)))
        return f"{len(subjects)} subjects"

    yield "list subjects", listed
    if subjects:
        yield "read a schema", lambda: _row(client.version(subjects[0], LATEST, deleted=False))


def _apicurio(settings: RegistrySettings, http: Http) -> Iterator[Try]:
    def listed() -> str:
        """Ask the newest API that the server has; `url` may name one already."""
        for version, base in api_paths(settings.http.url):
            try:
                return _counted(http.get(*base, "search", _SEARCHES[version], params=[("limit", 1)]))
            except NotFound:
                if not base:
                    raise
        return f"{len(_texts(http.get(*compatible_base(settings), 'subjects')))} subjects"

    yield "list schemas", listed


def _cloudera(settings: RegistrySettings, http: Http) -> Iterator[Try]:
    client = ClouderaClient(http, cloudera_base(settings.http.url))
    names: list[str] = []

    def listed() -> str:
        names.extend(filter(None, map(read_name, client.schemas())))
        return f"{len(names)} schemas"

    yield "list schemas", listed
    if names:
        yield "read a schema", lambda: f"{len(client.versions(names[0], MAIN_BRANCH))} versions"


def _glue(settings: RegistrySettings, http: Http) -> Iterator[Try]:
    client = GlueClient(http)
    registries = settings.glue.registries if settings.glue else ()
    ids: list[str] = []

    def listed() -> str:
        schemas = [schema for name in registries or ("",) for schema in client.schemas(name)]
        ids.extend(client.version_ids(schemas[0]) if schemas else ())
        return f"{len(schemas)} schemas"

    yield "list schemas and versions", listed
    if ids:
        yield "read a schema", lambda: _glue_version(client.version(ids[0]))


_TRIES: Mapping[str, Callable[[RegistrySettings, Http], Iterator[Try]]] = {
    "apicurio": _apicurio,
    "cloudera": _cloudera,
    "glue": _glue,
}


def _texts(payload: Json) -> list[str]:
    if not isinstance(payload, list) or not all(isinstance(item, str) for item in payload):
        raise PayloadUnexpected("the answer is not a list of subjects", hint=_HINT)
    return payload


def _row(row: Row | BadRow) -> str:
    if isinstance(row, BadRow):
        raise PayloadUnexpected("the answer is not a schema version", hint=_HINT)
    return f"version {row.version.version}"


def _glue_version(payload: Json) -> str:
    match payload:
        case {"VersionNumber": int(version), "SchemaDefinition": str()}:
            return f"version {version}"
        case _:
            raise PayloadUnexpected("the answer is not a schema version", hint=_HINT)


def _counted(payload: Json) -> str:
    match payload:
        case {"count": int(count)}:
            return f"{count} found"
        case _:
            raise PayloadUnexpected("the answer is not that of an Apicurio registry", hint=_HINT)
