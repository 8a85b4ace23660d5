"""Reads AWS DataZone: the assets of a domain, and the lineage around them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from scanner_extractor.aws_exchange import Client, aws_exchange
from scanner_extractor.catalogs.datazone_reader import (
    ASSET,
    hide_in_forms,
    is_process,
    node_dataset,
    process_name,
    read_asset,
    references,
)
from scanner_extractor.catalogs.gathering import Gathering, Place
from scanner_extractor.catalogs.glue import aws_service
from scanner_extractor.catalogs.payload import listed, member, text
from scanner_extractor.exchange import Answer, Exchange, Json, Request
from scanner_extractor.http import Http
from scanner_extractor.paging import by_token
from scanner_extractor.readings import CatalogReading, Progress
from scanner_extractor.settings_catalogs import CatalogSettings, Lineage
from scanner_model.errors import NotFound, ScannerError

PAGE = 50
"""The most entries that DataZone gives at once."""
_UP, _DOWN = "upstreamNodes", "downstreamNodes"


def read_datazone(settings: CatalogSettings, http: Http, progress: Progress) -> CatalogReading:
    """Read the assets of the domain that the settings choose, and the flows next to them.

    *http* speaks to DataZone through `datazone_exchange`. Raises ScannerError where assets cannot be listed; anything
    less gives what could be read, PARTIAL. DataZone's API tells no flows between columns.
    Source: Amazon DataZone API: Search, GetAsset, GetLineageNode.
    """
    gathering = Gathering(settings, http, progress)
    assets = list_assets(settings, http, gathering.seen)
    _described(gathering, assets)
    if settings.lineage is not Lineage.NONE:
        _Lineage(gathering).read(assets)
    return gathering.reading()


def datazone_exchange(settings: CatalogSettings, connect: Callable[[], Client] | None = None) -> Exchange:
    """Give an exchange as `aws_exchange` does, for DataZone; secrets in what people wrote into forms are hidden."""
    live = aws_exchange(aws_service(settings, "datazone", "docs/sources/datazone.md"), settings.http, connect)

    def ask(request: Request) -> Answer:
        answer = live(request)
        return replace(answer, body=hide_in_forms(answer.body))

    return ask


def list_assets(
    settings: CatalogSettings, http: Http, seen: Callable[[Iterator[Json]], Iterator[Json]] = iter
) -> list[tuple[str, str]]:
    """List the ids of the assets that the settings choose, each with what names it in lineage."""

    def page(token: str) -> tuple[list[dict[str, Json]], str]:
        more = {"nextToken": token} if token else {}
        body = {"domainIdentifier": settings.domain, "searchScope": "ASSET", "maxResults": PAGE, **more}
        told = http.post("Search", body=body)
        return listed(told, "items"), text(told, "nextToken")

    entries = by_token(page, key=lambda entry: text(member(entry, "assetItem"), "identifier"))
    items = (member(entry, "assetItem") for entry in seen(entries))
    wanted = (item for item in items if settings.wanted.table(text(item, "name")))
    found = {
        identity: text(item, "externalIdentifier") or ASSET + identity
        for item in wanted
        if (identity := text(item, "identifier"))
    }
    return sorted(found.items())


def _described(gathering: Gathering, assets: list[tuple[str, str]]) -> None:
    """Ask for each asset, as a list tells no forms; one that is gone since is left out."""
    settings = gathering.settings

    def ask(asset: tuple[str, str]) -> Json:
        return gathering.http.post("GetAsset", body={"domainIdentifier": settings.domain, "identifier": asset[0]})

    for asset, told in zip(assets, gathering.each(assets, ask), strict=True):
        if isinstance(told, NotFound):
            continue
        table = None if isinstance(told, ScannerError) else read_asset(told, settings)
        if table:
            gathering.keep([table])
        else:
            error = told if isinstance(told, ScannerError) else ScannerError("the answer is not an asset")
            gathering.unread.append(node_dataset({"sourceIdentifier": asset[1]}, settings.domain)[1])
            gathering.complain(asset[1], "it could not be read", error)


class _Lineage:
    """Walks from the assets over what is next to them: a job's own neighbours, too, and no further."""

    def __init__(self, gathering: Gathering) -> None:
        self._gathering = gathering
        self._domain = gathering.settings.domain
        self._nodes: dict[str, dict[str, Json]] = {}

    def read(self, assets: list[tuple[str, str]]) -> None:
        """Keep the flows between datasets, each by its job where there is one."""
        self._keep(self._gathering.lineage([identifier for _, identifier in assets], str, self._fetch))
        self._fetch_all(self._beside(self._nodes.values()))
        jobs = [node for node in self._nodes.values() if is_process(node)]
        self._fetch_all(self._beside(jobs))
        for key in sorted(self._nodes):
            self._flows(self._nodes[key])

    def _fetch(self, identifier: str) -> dict[str, Json]:
        """Ask for a node; an asset that no event named has none."""
        try:
            body = {"domainIdentifier": self._domain, "identifier": identifier}
            node = self._gathering.http.post("GetLineageNode", body=body)
        except NotFound:
            return {}
        return node if isinstance(node, dict) else {}

    def _fetch_all(self, wanted: Iterable[str]) -> None:
        identifiers = sorted(set(wanted) - self._nodes.keys())
        told = self._gathering.each(identifiers, self._fetch)
        self._keep(node for node in told if not isinstance(node, ScannerError))
        for identifier, answer in zip(identifiers, told, strict=True):
            if isinstance(answer, ScannerError):
                self._gathering.silent += 1
                self._gathering.complain(identifier, "this lineage node could not be read", answer)

    def _keep(self, nodes: Iterable[dict[str, Json]]) -> None:
        self._nodes |= {identity: node for node in nodes if (identity := text(node, "id"))}

    def _beside(self, nodes: Iterable[Json]) -> list[str]:
        return [identity for node in nodes for side in (_UP, _DOWN) for identity in references(node, side)]

    def _flows(self, node: Json) -> None:
        """Keep what flows through a job, and what flows from a dataset into another without one."""
        sources, targets = self._data(node, _UP), self._data(node, _DOWN)
        if not is_process(node):
            here = Place(node_dataset(node, self._domain))
            for target in targets:
                self._gathering.link(here, target)
            for source in sources:
                self._gathering.link(source, here)
            return
        for source in sources:
            for target in targets:
                self._gathering.link(source, target, process_name(node))

    def _data(self, node: Json, side: str) -> list[Place]:
        known = (self._nodes.get(identity) for identity in references(node, side))
        return [Place(node_dataset(each, self._domain)) for each in known if each is not None and not is_process(each)]
