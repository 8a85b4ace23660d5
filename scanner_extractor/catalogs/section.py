"""The `catalogs` of cluster.json; the members of each type are in its package in `systems`."""

from __future__ import annotations

from scanner_extractor.catalogs import CATALOGS
from scanner_extractor.catalogs.members import CHOICES
from scanner_extractor.config.http import parse_http
from scanner_extractor.config.sections import HTTP_MEMBERS, ParseContext, Section, nonempty, object_of, text
from scanner_extractor.config.typed_sources import OPTIONS, TypedSources
from scanner_extractor.http.messages import Json
from scanner_extractor.settings.sources import CatalogSettings, Lineage, Wanted
from scanner_extractor.source_kind import CATALOG, typed_kind

_TYPED = TypedSources(
    what="catalog",
    types=CATALOGS,
    choices=CHOICES,
    base=object_of(
        "Catalog of tables",
        "One catalog of tables.",
        {
            "type": nonempty("Kind", "Catalog type", next(iter(CATALOGS.built_in))),
            "name": nonempty("Name", "Name of the source. Keep it when the address changes.", "lakehouse"),
            "url": text("Address", "Address of the catalog.", "https://catalog.example.org"),
            **HTTP_MEMBERS,
            "requests_per_second": {
                "title": "Rate limit",
                "description": "Maximum requests per second; the type's default, or unlimited.",
                "type": "number",
                "exclusiveMinimum": 0,
            },
            **CHOICES,
            "options": OPTIONS,
        },
        required=["type"],
    ),
)
_OUTER = ("catalogs", "projects")
_INNER = ("schemas", "databases", "datasets", "namespaces")


def parse_catalog(item: Json, context: ParseContext) -> CatalogSettings:
    """Return the settings of one catalog."""
    options, url, place = _TYPED.place(item)
    return CatalogSettings(
        type=item["type"],
        http=parse_http(_TYPED.limits(item) | item | {"url": url}, context),
        name=item.get("name", ""),
        wanted=Wanted(catalogs=_globs(item, _OUTER), schemas=_globs(item, _INNER), tables=_globs(item, ("tables",))),
        lineage=Lineage(item.get("lineage", Lineage.TABLES)),
        options=options,
        place=place,
        aliases=tuple(item.get("aliases", ())),
    )


def _globs(item: Json, members: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({pattern for name in members for pattern in item.get(name, ())}))


CATALOG_SECTION = Section(
    member="catalogs",
    listing={
        "title": "Catalogs of tables",
        "description": "Table catalogs, and engines that ingest topics into tables.",
    },
    schema=_TYPED.schema,
    parse=parse_catalog,
    validate=lambda items, context: _TYPED.errors(items, context.shown),
)

CATALOGS_OF_TABLES = typed_kind("catalog", CATALOG, CATALOG_SECTION, CatalogSettings, CATALOGS)
