"""Read AWS DataZone: the assets of a domain, and their lineage."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from scanner_extractor.catalogs.collector import CatalogCollector, Endpoint, Name
from scanner_extractor.catalogs.column_types import Part, columns_of, known_shape
from scanner_extractor.catalogs.glue import aws_service
from scanner_extractor.catalogs.json_fields import (
    items,
    listed,
    location_name,
    mask_location,
    member,
    moment,
    objects,
    parameters,
    text,
)
from scanner_extractor.http.aws import Client, aws_transport
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json, Request, Response, Transport
from scanner_extractor.http.pagination import by_token
from scanner_extractor.scan.results import CatalogResult, Progress
from scanner_extractor.settings.catalogs import CatalogSettings, Lineage
from scanner_model.catalogs import CatalogTable
from scanner_model.columns import field_segment
from scanner_model.errors import NotFound, ScannerError
from scanner_model.redaction import mask_json, mask_text

ASSET = "amazon.datazone.asset/"
_ARN = re.compile(r"(?P<namespace>arn:[\w-]+:[\w-]+:[\w-]*:\d*):(?P<name>.+)")
_REDSHIFT = re.compile(r"arn:[\w-]+:redshift:(?P<region>[\w-]*):\d*:(?:table|view)/(?P<cluster>[^/]+)/(?P<name>.+)")
_READ = frozenset(
    {"id", "name", "externalIdentifier", "typeIdentifier", "description", "createdAt", "owningProjectId", "formsOutput"}
    | {"firstRevisionCreatedAt", "readOnlyFormsOutput", "latestTimeSeriesDataPointFormsOutput"}
)
_FORMS = ("formsOutput", "readOnlyFormsOutput")
_NAMES = ("columnName", "name")
_TYPES = ("dataType", "columnType", "type")
_DOCS = ("description", "columnDescription", "comment")
_PLACES = ("s3Path", "storageLocation", "location")


def read_asset(asset: Json, settings: CatalogSettings) -> CatalogTable | None:
    """Read an asset as returned by GetAsset; None for a response without an id.

    Columns and location stand in the forms of the asset, whose content is JSON text.
    """
    identity = text(asset, "id")
    if not isinstance(asset, dict) or not identity:
        return None
    forms = list(_forms(asset))
    namespace, name = dataset_of(text(asset, "externalIdentifier") or ASSET + identity, settings.domain)
    location = _first(forms, _PLACES)
    location_identity = location_name(location)
    return CatalogTable(
        source=settings.source,
        provider="datazone",
        namespace=namespace,
        name=name,
        kind=text(asset, "typeIdentifier"),
        location=mask_location(location),
        owner=text(asset, "owningProjectId"),
        description=text(asset, "description"),
        created=moment(asset.get("firstRevisionCreatedAt") or asset.get("createdAt")),
        updated=moment(asset.get("createdAt")),
        parameters=parameters({"assetId": identity, "assetName": asset.get("name")} | asset, _READ),
        symlinks=(location_identity,) if location_identity else (),
        columns=tuple(columns_of(_parts(forms))),
    )


def dataset_of(identifier: str, domain: str) -> Name:
    """Return the source identifier of a lineage node, or of an asset, as OpenLineage names the dataset.

    It is an ARN, `namespace/name` of an OpenLineage event, or DataZone's own, whose namespace is the domain's.
    Source: AWS, the sourceIdentifier attribute of lineage nodes.
    """
    if match := _REDSHIFT.fullmatch(identifier):
        return f"redshift://{match['cluster']}.{match['region']}:5439", match["name"].replace("/", ".")
    if match := _ARN.fullmatch(identifier):
        return match["namespace"], match["name"]
    if identity := location_name(identifier):
        return identity
    scheme, mark, rest = identifier.partition("://")
    head, slash, name = (rest if mark else identifier).partition("/")
    if mark and slash and name:
        return f"{scheme}://{head}", name
    if identifier.startswith("amazon.datazone.") or not slash or not name:
        return f"datazone://{domain}", identifier
    return head, name


def hide_in_forms(body: bytes) -> bytes:
    """Hide what is secret in the contents of forms, which are JSON in a text, in an answer that has any."""
    payload = json.loads(body) if b'"formsOutput"' in body or b'"readOnlyFormsOutput"' in body else None
    if not isinstance(payload, dict):
        return body
    for form in (form for name in _FORMS for form in objects(payload, name)):
        form["content"] = _masked_content(text(form, "content"))
    return json.dumps(payload).encode()


def _masked_content(content: str) -> str:
    try:
        return json.dumps(mask_json(json.loads(content)))
    except (ValueError, RecursionError):
        return mask_text(content)


def _forms(asset: dict[str, Json]) -> Iterator[dict[str, Json]]:
    """List the contents of the forms, those that people fill in first; one that is no JSON object is left out."""
    for name in _FORMS:
        for form in objects(asset, name):
            try:
                content = json.loads(text(form, "content"))
            except (ValueError, RecursionError):
                continue
            if isinstance(content, dict):
                yield content


def _parts(forms: list[dict[str, Json]]) -> Iterator[Part]:
    """List the columns of the first form that has any."""
    columns = next((entries for form in forms if (entries := objects(form, "columns"))), [])
    for column in columns:
        if name := _first([column], _NAMES):
            doc = _first([column], _DOCS) or None
            shape = known_shape(_first([column], _TYPES))
            yield Part(segment=field_segment(name), shape=shape, doc=doc)


def _first(forms: list[dict[str, Json]], names: tuple[str, ...]) -> str:
    return next((content for form in forms for name in names if (content := text(form, name))), "")


def references(node: Json, direction: str) -> list[str]:
    """List the ids of the nodes next to a lineage node, `upstreamNodes` or `downstreamNodes`."""
    return [identity for entry in items(node, direction) if (identity := text(entry, "id"))]


def is_process(node: Json) -> bool:
    """Return whether a lineage node is a job, or a run of one; anything else is data."""
    return "job" in text(node, "typeName").lower()


def process_name(node: Json) -> str:
    """Name the job of a lineage node; a run's own id is left out, as every run would be another job."""
    identifier = text(node, "sourceIdentifier")
    run = "jobrun" in text(node, "typeName").lower()
    return (identifier.rpartition("/")[0] if run and "/" in identifier else identifier) or text(node, "name")


def node_dataset(node: Json, domain: str) -> Name:
    """Name the dataset of a lineage node."""
    return dataset_of(text(node, "sourceIdentifier") or text(node, "id"), domain)


PAGE = 50
"""Maximum page size of DataZone."""
_UP, _DOWN = "upstreamNodes", "downstreamNodes"


def read_datazone(settings: CatalogSettings, http: Http, progress: Progress) -> CatalogResult:
    """Read the assets of the domain that the settings choose, and the flows next to them.

    *http* speaks to DataZone through `datazone_exchange`. Raises ScannerError where assets cannot be listed; other
    failures give a partial result. DataZone's API has no column lineage. Source: Amazon DataZone API: Search,
    GetAsset, GetLineageNode.
    """
    collector = CatalogCollector(settings, http, progress)
    assets = list_assets(settings, http, collector.paged_entries)
    _described(collector, assets)
    if settings.lineage is not Lineage.NONE:
        _Lineage(collector).read(assets)
    return collector.reading()


def datazone_transport(settings: CatalogSettings, connect: Callable[[], Client] | None = None) -> Transport:
    """Return an exchange as `aws_exchange` does, for DataZone; secrets in user metadata into forms are hidden."""
    live = aws_transport(aws_service(settings, "datazone", "docs/sources/datazone.md"), settings.http, connect)

    def send(request: Request) -> Response:
        answer = live(request)
        return replace(answer, body=hide_in_forms(answer.body))

    return send


def list_assets(
    settings: CatalogSettings, http: Http, paged: Callable[[Iterator[Json]], Iterator[Json]] = iter
) -> list[tuple[str, str]]:
    """List the ids of the assets that the settings choose, each with what names it in lineage."""

    def page(token: str) -> tuple[list[dict[str, Json]], str]:
        more = {"nextToken": token} if token else {}
        body = {"domainIdentifier": settings.domain, "searchScope": "ASSET", "maxResults": PAGE, **more}
        answer = http.post("Search", body=body)
        return listed(answer, "items"), text(answer, "nextToken")

    entries = by_token(page, key=lambda entry: text(member(entry, "assetItem"), "identifier"))
    items = (member(entry, "assetItem") for entry in paged(entries))
    matching = (item for item in items if settings.wanted.table(text(item, "name")))
    names = {
        identity: text(item, "externalIdentifier") or ASSET + identity
        for item in matching
        if (identity := text(item, "identifier"))
    }
    return sorted(names.items())


def _described(collector: CatalogCollector, assets: list[tuple[str, str]]) -> None:
    """Fetch each asset, as a list has no forms; one that was deleted since is left out."""
    settings = collector.settings

    def fetch(asset: tuple[str, str]) -> Json:
        return collector.http.post("GetAsset", body={"domainIdentifier": settings.domain, "identifier": asset[0]})

    for asset, answer in zip(assets, collector.run_all(assets, fetch), strict=True):
        if isinstance(answer, NotFound):
            continue
        table = None if isinstance(answer, ScannerError) else read_asset(answer, settings)
        if table:
            collector.keep([table])
        else:
            error = answer if isinstance(answer, ScannerError) else ScannerError("the response is not an asset")
            collector.unread.append(node_dataset({"sourceIdentifier": asset[1]}, settings.domain)[1])
            collector.report_problem(asset[1], "it could not be read", error)


class _Lineage:
    """Follows lineage from the assets to adjacent nodes, and across jobs to their neighbours, no further."""

    def __init__(self, collector: CatalogCollector) -> None:
        self._collector = collector
        self._domain = collector.settings.domain
        self._nodes: dict[str, dict[str, Json]] = {}

    def read(self, assets: list[tuple[str, str]]) -> None:
        """Add the flows between datasets, each by its job where there is one."""
        self._add_nodes(self._collector.lineage([identifier for _, identifier in assets], str, self._fetch))
        self._fetch_all(self._neighbour_ids(self._nodes.values()))
        jobs = [node for node in self._nodes.values() if is_process(node)]
        self._fetch_all(self._neighbour_ids(jobs))
        for key in sorted(self._nodes):
            self._flows(self._nodes[key])

    def _fetch(self, identifier: str) -> dict[str, Json]:
        """Fetch a node; an asset that no event named has none."""
        try:
            body = {"domainIdentifier": self._domain, "identifier": identifier}
            node = self._collector.http.post("GetLineageNode", body=body)
        except NotFound:
            return {}
        return node if isinstance(node, dict) else {}

    def _fetch_all(self, wanted: Iterable[str]) -> None:
        identifiers = sorted(set(wanted) - self._nodes.keys())
        answers = self._collector.run_all(identifiers, self._fetch)
        self._add_nodes(node for node in answers if not isinstance(node, ScannerError))
        for identifier, answer in zip(identifiers, answers, strict=True):
            if isinstance(answer, ScannerError):
                self._collector.without_lineage += 1
                self._collector.report_problem(identifier, "this lineage node could not be read", answer)

    def _add_nodes(self, nodes: Iterable[dict[str, Json]]) -> None:
        self._nodes |= {identity: node for node in nodes if (identity := text(node, "id"))}

    def _neighbour_ids(self, nodes: Iterable[Json]) -> list[str]:
        return [identity for node in nodes for side in (_UP, _DOWN) for identity in references(node, side)]

    def _flows(self, node: Json) -> None:
        """Add the flows through a job, and flows between datasets without a job."""
        sources, targets = self._data(node, _UP), self._data(node, _DOWN)
        if not is_process(node):
            dataset = Endpoint(node_dataset(node, self._domain))
            for target in targets:
                self._collector.link(dataset, target)
            for source in sources:
                self._collector.link(source, dataset)
            return
        for source in sources:
            for target in targets:
                self._collector.link(source, target, process_name(node))

    def _data(self, node: Json, side: str) -> list[Endpoint]:
        known = (self._nodes.get(identity) for identity in references(node, side))
        return [
            Endpoint(node_dataset(neighbour, self._domain))
            for neighbour in known
            if neighbour is not None and not is_process(neighbour)
        ]
