"""Read AWS DataZone: the assets of a domain, and their lineage."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from scanner_extractor.catalogs import CatalogType, lists
from scanner_extractor.catalogs.collector import CatalogCollector, Endpoint, Name
from scanner_extractor.catalogs.column_types import (
    Part,
    columns_of,
    known_shape,
    location_name,
    mask_location,
    moment,
    parameters,
)
from scanner_extractor.catalogs.members import LINEAGE, TABLES
from scanner_extractor.config.aws import AWS_MEMBERS, aws_place, aws_url, transport_to_aws
from scanner_extractor.config.sections import object_of, text
from scanner_extractor.http.aws import Client
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Request, Response, Transport
from scanner_extractor.http.pagination import by_token
from scanner_extractor.results import Progress, Reading, no_progress
from scanner_extractor.settings.sources import CatalogSettings, Lineage
from scanner_model.catalogs import CatalogTable
from scanner_model.columns import field_segment
from scanner_model.documents.json_input import load_json, load_text
from scanner_model.errors import NotFound, ScannerError
from scanner_model.maturity import validated
from scanner_model.payload import Payload, canonical
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


def read_asset(asset: Payload, settings: CatalogSettings) -> CatalogTable:
    """Read an asset as returned by GetAsset; raises PayloadUnexpected for a response without an id.

    Columns and location are in the forms of the asset, whose content is JSON text.
    """
    identity = asset.need("id").text()
    forms = list(_forms(asset))
    namespace, name = dataset_of(asset.text("externalIdentifier") or ASSET + identity, settings.options["domain"])
    location = next(filter(None, (form.text(*_PLACES) for form in forms)), "")
    location_identity = location_name(location)
    return CatalogTable(
        source=settings.source,
        provider="datazone",
        namespace=namespace,
        name=name,
        kind=asset.text("typeIdentifier"),
        location=mask_location(location),
        owner=asset.text("owningProjectId"),
        description=asset.text("description"),
        created=moment(asset, "firstRevisionCreatedAt", "createdAt"),
        updated=moment(asset, "createdAt"),
        parameters=parameters({"assetId": identity, "assetName": asset.text("name"), **asset.members()}, _READ),
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
    """Hide what is secret in the contents of forms, which are JSON in a text; raises PayloadUnexpected for others."""
    payload = load_json(body).value if b'"formsOutput"' in body or b'"readOnlyFormsOutput"' in body else None
    if not isinstance(payload, dict):
        return body
    for form in (form for name in _FORMS for form in Payload(payload).list(name)):
        form.value["content"] = _masked_content(form.text("content"))
    return json.dumps(payload).encode()


def _masked_content(content: str) -> str:
    try:
        return json.dumps(mask_json(load_text(content)))
    except (ValueError, RecursionError):
        return mask_text(content)


def _forms(asset: Payload) -> Iterator[Payload]:
    """List the contents of the forms, those that people fill in first; one that is not a JSON object is skipped."""
    for form in (form for name in _FORMS for form in asset.list(name)):
        try:
            content = load_text(form.text("content"))
        except (ValueError, RecursionError):
            continue
        if isinstance(content, dict):
            yield Payload(content, "content", form)


def _parts(forms: list[Payload]) -> Iterator[Part]:
    """List the columns of the first form that has any."""
    for column in next((columns for form in forms if (columns := form.list("columns"))), []):
        shape, doc = known_shape(column.text(*_TYPES)), column.text(*_DOCS) or None
        yield Part(segment=field_segment(column.need(*_NAMES).text()), shape=shape, doc=doc)


def is_process(node: Payload) -> bool:
    """Return whether a lineage node is a job, or a run of one; anything else is data."""
    return "job" in node.text("typeName").lower()


def process_name(node: Payload) -> str:
    """Name the job of a lineage node; a run's own id is left out, as every run would be another job."""
    identifier = node.text("sourceIdentifier")
    run = "jobrun" in node.text("typeName").lower()
    return (identifier.rpartition("/")[0] if run and "/" in identifier else identifier) or node.text("name")


PAGE = 50
"""Maximum page size of DataZone."""
_UP, _DOWN = "upstreamNodes", "downstreamNodes"


def read_datazone(settings: CatalogSettings, http: Http, progress: Progress) -> Reading:
    """Read the assets of the domain that the settings choose, and the flows next to them.

    *http* speaks to DataZone through `datazone_exchange`. Raises ScannerError where assets cannot be listed; other
    failures give a partial result. DataZone's API has no column lineage. Source: Amazon DataZone API: Search,
    GetAsset, GetLineageNode.
    """
    collector = CatalogCollector(settings, http, progress)
    assets = list_assets(collector)
    _fetch_all(collector, assets)
    if settings.lineage is not Lineage.NONE:
        _Lineage(collector).read(assets)
    return collector.reading()


def datazone_transport(settings: CatalogSettings, connect: Callable[[], Client] | None = None) -> Transport:
    """Return an exchange as `aws_exchange` does, for DataZone; secrets in user metadata into forms are hidden."""
    page = "docs/sources/catalogs.md"
    live = transport_to_aws("datazone", settings.options, settings.http, member="catalogs", page=page, connect=connect)

    def send(request: Request) -> Response:
        answer = live(request)
        return replace(answer, body=hide_in_forms(answer.body))

    return send


def catalog_assets(settings: CatalogSettings, http: Http) -> list[tuple[str, str]]:
    """List the assets of a catalog."""
    return list_assets(CatalogCollector(settings, http, no_progress))


def list_assets(collector: CatalogCollector) -> list[tuple[str, str]]:
    """List the ids of the assets that the settings choose, each with what names it in lineage."""
    settings = collector.settings

    def page(token: str) -> tuple[list[Payload], str]:
        more = {"nextToken": token} if token else {}
        body = {"domainIdentifier": settings.options["domain"], "searchScope": "ASSET", "maxResults": PAGE, **more}
        answer = Payload(collector.http.post("Search", body=body))
        return answer.entries("items", beside=("totalMatchCount",)), answer.text("nextToken")

    def read(entry: Payload) -> tuple[str, str] | None:
        item = entry.need("assetItem")
        identity = item.need("identifier").text()
        return (identity, item.text("externalIdentifier") or ASSET + identity) if wanted(item.text("name")) else None

    wanted = settings.wanted.table
    entries = by_token(page, key=_identity)
    assets = collector.unread.read(collector.paged_entries(entries), read, lambda _: "")
    return sorted({asset for asset in assets if asset})


def _identity(entry: Payload) -> str:
    return canonical(entry.value)


def _fetch_all(collector: CatalogCollector, assets: list[tuple[str, str]]) -> None:
    """Fetch each asset, as a list has no forms; one that was deleted since is left out."""
    domain = collector.settings.options["domain"]

    def fetch(asset: tuple[str, str]) -> CatalogTable:
        body = {"domainIdentifier": domain, "identifier": asset[0]}
        return read_asset(Payload(collector.http.post("GetAsset", body=body)), collector.settings)

    for asset, answer in zip(assets, collector.run_all(assets, fetch), strict=True):
        if isinstance(answer, NotFound):
            continue
        if isinstance(answer, ScannerError):
            collector.unread.add(dataset_of(asset[1], domain)[1], answer)
        else:
            collector.keep([answer])


class _Lineage:
    """Follows lineage from the assets to adjacent nodes, and across jobs to their neighbours, no further."""

    def __init__(self, collector: CatalogCollector) -> None:
        self._collector = collector
        self._domain = collector.settings.options["domain"]
        self._nodes: dict[str, Payload] = {}

    def read(self, assets: list[tuple[str, str]]) -> None:
        """Add the flows between datasets, each by its job where there is one."""
        self._add_nodes(self._collector.lineage([identifier for _, identifier in assets], str, self._fetch))
        self._fetch_all(self._neighbour_ids(self._nodes.values()))
        jobs = [node for node in self._nodes.values() if is_process(node)]
        self._fetch_all(self._neighbour_ids(jobs))
        for key in sorted(self._nodes):
            self._flows(self._nodes[key])

    def _fetch(self, identifier: str) -> Payload | None:
        """Fetch a node; None for an asset that no event named."""
        try:
            body = {"domainIdentifier": self._domain, "identifier": identifier}
            node = Payload(self._collector.http.post("GetLineageNode", body=body))
        except NotFound:
            return None
        node.need("id")
        self._neighbour_ids([node])  # raises where it is not as documented
        return node

    def _fetch_all(self, wanted: Iterable[str]) -> None:
        identifiers = sorted(set(wanted) - self._nodes.keys())
        answers = self._collector.run_all(identifiers, self._fetch)
        self._add_nodes(node for node in answers if not isinstance(node, ScannerError))
        for identifier, answer in zip(identifiers, answers, strict=True):
            if isinstance(answer, ScannerError):
                self._collector.without_lineage += 1
                self._collector.report_problem(identifier, "this lineage node could not be read", answer)

    def _add_nodes(self, nodes: Iterable[Payload | None]) -> None:
        self._nodes |= {node.text("id"): node for node in nodes if node}

    def _neighbour_ids(self, nodes: Iterable[Payload]) -> list[str]:
        return [entry.need("id").text() for node in nodes for side in (_UP, _DOWN) for entry in node.list(side)]

    def _name(self, node: Payload) -> Name:
        return dataset_of(node.text("sourceIdentifier", "id"), self._domain)

    def _flows(self, node: Payload) -> None:
        """Add the flows through a job, and flows between datasets without a job."""
        sources, targets = self._data(node, _UP), self._data(node, _DOWN)
        if not is_process(node):
            dataset = Endpoint(self._name(node))
            for target in targets:
                self._collector.link(dataset, target)
            for source in sources:
                self._collector.link(source, dataset)
            return
        for source in sources:
            for target in targets:
                self._collector.link(source, target, process_name(node))

    def _data(self, node: Payload, side: str) -> list[Endpoint]:
        known = (self._nodes.get(entry.need("id").text()) for entry in node.list(side))
        return [Endpoint(self._name(neighbour)) for neighbour in known if neighbour and not is_process(neighbour)]


CATALOG = CatalogType(
    read=read_datazone,
    check=lists("assets", catalog_assets),
    transport=datazone_transport,
    schema=object_of(
        "Amazon DataZone",
        "The catalog of a domain.",
        {
            **AWS_MEMBERS,
            "domain": text("Domain", "ID of the domain.", "dzd_4ab1", pattern="^dzd[-_][A-Za-z0-9_-]{1,36}$"),
            "tables": TABLES,
            "lineage": LINEAGE | {"description": "Lineage to read; DataZone has none of columns."},
        },
        required=["region", "domain"],
    ),
    address=lambda options: aws_url("datazone", options),
    place=lambda options, _: aws_place(options, options["domain"]),
    proofs=(
        validated(
            "Amazon DataZone", "botocore's service model", "tests/scanner_extractor/systems/datazone/test_catalog.py"
        ),
    ),
)
