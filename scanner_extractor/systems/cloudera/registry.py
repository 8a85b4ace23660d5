"""Read Cloudera's (Hortonworks') Schema Registry: versions with branches, states and includes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scanner_extractor.http.client import Http, Params
from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.probes import Probe
from scanner_extractor.registries import RegistryType
from scanner_extractor.registries.result import (
    BadRow,
    RegistryContent,
    Row,
    as_result,
    bad_row,
    details,
    key_of,
    separate_rows,
    unread_subjects,
    without_deleted,
)
from scanner_extractor.results import Progress, Reading
from scanner_extractor.schemas.references import LATEST
from scanner_extractor.settings.cluster import RegistrySettings
from scanner_extractor.systems.cloudera.naming import HORTONWORKS
from scanner_model.documents.json_input import load_text
from scanner_model.errors import NotFound, PayloadUnexpected, Problem, ScannerError, SourceObjected, SourceRefused
from scanner_model.maturity import Proof
from scanner_model.names import SourceId, SubjectName
from scanner_model.payload import Payload
from scanner_model.schemas import Reference, SchemaVersion

MAIN_BRANCH = "MASTER"

_ENABLED = 5
_DELETED = 8
_STATES: Mapping[int, str] = {
    1: "Initiated",
    2: "StartReview",
    3: "ChangesRequired",
    4: "Reviewed",
    _ENABLED: "",
    6: "Disabled",
    7: "Archived",
    _DELETED: "Deleted",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchedVersion:
    """A version, the branches that hold it, and the schemas that it includes (-1: their newest version)."""

    version: SchemaVersion
    branches: frozenset[str]
    includes: tuple[tuple[SubjectName, int], ...]


def read_name(schema: Payload) -> str:
    """Return the name of a schema; empty where it has none."""
    return schema.member("schemaMetadata").shown("name") if isinstance(schema.value, dict) else ""


def read_schema(schema: Payload, source: SourceId) -> Iterator[BranchedVersion | BadRow]:
    """Read a schema of `/schemas/aggregated`: each version once, though several branches may hold it."""
    try:
        schema.need("schemaMetadata").need("name").text()
        listed = [
            (branch.object("schemaBranch").text("name"), info)
            for branch in schema.need("schemaBranches").list()
            for info in branch.need("schemaVersionInfos").list()
        ]
    except PayloadUnexpected as error:
        yield bad_row(source, read_name(schema), error, schema)
        return
    yield from read_versions(schema, listed, source)


def read_versions(
    schema: Payload, listed: Iterable[tuple[str, Payload]], source: SourceId
) -> Iterator[BranchedVersion | BadRow]:
    """Read the versions of a *schema* that its branches hold, each once, oldest first."""
    by_number: dict[int, BranchedVersion] = {}
    for branch, info in listed:
        try:
            listed_version = _listed(schema, branch, info, source)
        except PayloadUnexpected as error:
            yield bad_row(source, read_name(schema), error, info)
            continue
        number = listed_version.version.version
        known = by_number.get(number, listed_version)
        by_number[number] = replace(known, branches=known.branches | listed_version.branches)
    yield from (by_number[number] for number in sorted(by_number))


def with_references(listed: Sequence[BranchedVersion], schemas: Mapping[str, Payload]) -> Iterator[SchemaVersion]:
    """Resolve includes to versions, and add the registry's metadata of each schema.

    Without a version, an include means the newest enabled version in the main branch, else the newest there is.
    """
    newest: dict[SubjectName, tuple[bool, int]] = {}
    for entry in listed:
        ordinary = MAIN_BRANCH in entry.branches and not entry.version.state
        subject, rank = entry.version.subject, (ordinary, entry.version.version)
        newest[subject] = max(newest.get(subject, rank), rank)
    for entry in listed:
        references = tuple(
            Reference(
                name=name, subject=name, version=newest.get(name, (False, LATEST))[1] if number == LATEST else number
            )
            for name, number in entry.includes
        )
        about = schemas[entry.version.subject].need("schemaMetadata")
        level = about.text("compatibility")
        yield replace(entry.version, references=references, metadata=_details(about, entry), compatibility=level)


def _listed(schema: Payload, branch: str, info: Payload, source: SourceId) -> BranchedVersion:
    metadata, state, body = schema.need("schemaMetadata"), info.integer("stateId"), info.member("schemaText").text()
    for name in ("compatibility", "schemaGroup", "description"):
        metadata.text(name)
    version = SchemaVersion(
        source=source,
        subject=SubjectName(read_name(schema)),
        version=info.member("version").number(),
        schema_id=str(info.member("id").number()),
        format=metadata.need("type").text().upper(),
        text=body,
        metadata=info.text("description"),
        deleted=state == _DELETED,
        state="" if state is None else _STATES.get(state, str(state)),
    )
    return BranchedVersion(version=version, branches=frozenset({branch} - {""}), includes=tuple(_includes(body)))


def _includes(body: str) -> Iterator[tuple[SubjectName, int]]:
    """List what an Avro schema includes; a text other than a JSON object includes nothing."""
    try:
        document = load_text(body)
    except (ValueError, RecursionError):
        return
    included = document.get("includeSchemas") if isinstance(document, dict) else None
    for entry in included if isinstance(included, list) else ():
        match entry:
            case {"name": str(name), "version": int(version)} if not isinstance(version, bool) and version > 0:
                yield SubjectName(name), version
            case {"name": str(name)}:
                yield SubjectName(name), LATEST


def _details(about: Payload, entry: BranchedVersion) -> str:
    others = sorted(entry.branches - {MAIN_BRANCH})
    return details(
        schemaGroup=about.text("schemaGroup"),
        description=about.text("description"),
        compatibility=about.text("compatibility"),
        branches=sorted(entry.branches) if others else [],
        versionDescription=entry.version.metadata,
    )


_API = ("api", "v1", "schemaregistry")


def cloudera_base(url: str) -> tuple[str, ...]:
    """Return the steps of the API's path that *url* does not name."""
    return () if "/api/v1/" in f"{url}/" else _API


def read_cloudera(settings: RegistrySettings, http: Http, progress: Progress) -> Reading:
    """Read every version of every schema in every branch.

    Raises what `Http` raises where not even the list of schemas can be read; other failures give a partial result,
    with the names of the rest. Source: the REST API of hortonworks/registry, `/api/v1/schemaregistry`.
    """
    client = ClouderaClient(http, cloudera_base(settings.http.url))
    gathered = _all_content(settings, client, progress)
    return as_result(settings, gathered if settings.deleted else without_deleted(gathered), http.requests)


class ClouderaClient:
    """Client of one registry: one request per method. Every method raises what `Http` raises."""

    def __init__(self, http: Http, base: tuple[str, ...]) -> None:
        self._http = http
        self._base = base

    def aggregated(self) -> list[Payload]:
        """Return every schema with its branches and versions."""
        return self._entities("aggregated")

    def schemas(self) -> list[Payload]:
        """Return every schema without its versions."""
        return self._entities()

    def branches(self, name: str) -> tuple[str, ...]:
        """List the branches of a schema."""
        return tuple(sorted({entry.need("name").text() for entry in self._entities(name, "branches")}))

    def versions(self, name: str, branch: str) -> list[Payload]:
        """Return the versions that one branch of a schema holds."""
        return self._entities(name, "versions", params=[("branch", branch)])

    def _entities(self, *path: str, params: Params = ()) -> list[Payload]:
        return Payload(self._http.get(*self._base, "schemas", *path, params=params)).entries("entities")


def _all_content(settings: RegistrySettings, client: ClouderaClient, progress: Progress) -> RegistryContent:
    source = settings.source
    problems: tuple[Problem, ...] = ()
    try:
        entities = client.aggregated()
        rows = [row for entity in entities for row in read_schema(entity, source)]
        return _content_of(rows, entities)
    except (NotFound, SourceObjected):
        pass  # a registry before 0.3, or a proxy that does not let this path through
    except ScannerError as error:
        hint = "every schema was requested separately, which takes many requests"
        problems = (Problem(str(source), f"reading everything at once failed: {error}", hint),)
    return _one_by_one(settings, client, progress) + RegistryContent(problems=problems)


def _one_by_one(settings: RegistrySettings, client: ClouderaClient, progress: Progress) -> RegistryContent:
    source = settings.source
    entities = client.schemas()
    named = [entity for entity in entities if read_name(entity)]
    unnamed = [row for entity in entities if not read_name(entity) for row in read_schema(entity, source)]
    answers = map_concurrently(
        named,
        lambda listed_schema: _schema_rows(client, listed_schema, source),
        pool=WorkerPool(threads=settings.http.concurrency),
        on_result=lambda done: progress(source, done, len(named)),
    )
    errors = [
        (read_name(listed_schema), error)
        for listed_schema, error in zip(named, answers, strict=True)
        if isinstance(error, ScannerError)
    ]
    if errors and len(errors) == len(named) and all(isinstance(error, SourceRefused) for _, error in errors):
        raise errors[0][1]
    rows = [row for answer in answers if not isinstance(answer, ScannerError) for row in answer]
    return _content_of([*rows, *unnamed], named) + unread_subjects(source, errors)


def _schema_rows(client: ClouderaClient, schema: Payload, source: SourceId) -> list[BranchedVersion | BadRow]:
    name = read_name(schema)
    versions = [(branch, info) for branch in client.branches(name) for info in client.versions(name, branch)]
    return list(read_versions(schema, versions, source))


def _content_of(rows: Iterable[BranchedVersion | BadRow], schemas: Iterable[Payload]) -> RegistryContent:
    listed = list(rows)
    by_name = {read_name(schema): schema for schema in schemas}
    versions = with_references([row for row in listed if isinstance(row, BranchedVersion)], by_name)
    bad = separate_rows(row for row in listed if isinstance(row, BadRow))
    return RegistryContent(rows={key_of(version): Row(version=version) for version in versions}) + bad


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


CLOUDERA = RegistryType(
    read=read_cloudera,
    check=cloudera_probes,
    proofs=(Proof("Cloudera Schema Registry"),),
    naming=(HORTONWORKS,),
)
