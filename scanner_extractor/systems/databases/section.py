"""The `databases` of cluster.json."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from scanner_extractor.config.sections import (
    ADDRESS,
    HTTP_MEMBERS,
    Items,
    ParseContext,
    Section,
    ValidationContext,
    aliases,
    member_of,
    name_list,
    nonempty,
    object_of,
    repeated_sources,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.source_kind import (
    CATALOG,
    SourceKind,
)
from scanner_extractor.systems.databases.products import database_url
from scanner_extractor.systems.databases.settings import DatabaseSettings
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath
from scanner_model.errors import InputInvalid
from scanner_model.lazy_names import deferred, load

if TYPE_CHECKING:
    pass

_ALIAS = rf"{ADDRESS}|/.+"
"""An address, or the other path of a SQLite file."""


_DATABASE: Json = object_of(
    "Database",
    "A database. Tables, views and columns are read from its catalogs, never a row.",
    {
        "name": nonempty("Name", "Name of the source. Keep it when the address changes.", "shop"),
        "url": nonempty(
            "Address",
            "SQLAlchemy URL, dialect://user@host:port/database. A password must come from a variable.",
            "postgresql://scanner@db:5432/shop",
            "mysql://scanner:${SHOP_PASSWORD}@db/shop",
        ),
        "password": nonempty(
            "Password",
            "Password from a variable or file, not percent-encoded.",
            "${SHOP_PASSWORD}",
            "$file:/run/secrets/shop",
        ),
        "schemas": name_list(
            "Schemas", "Names or patterns of schemas; all but the product's own by default.", "sales*"
        ),
        "aliases": aliases(
            "Other addresses of the same server in connectors and jobs: host or host:port.", "shop-db", form=_ALIAS
        ),
        "connect_timeout": HTTP_MEMBERS["connect_timeout"] | {"default": 10},
        "read_timeout": HTTP_MEMBERS["read_timeout"],
        "max_bytes": HTTP_MEMBERS["max_bytes"],
    },
    required=["name", "url"],
)


def parse_database(item: Json, context: ParseContext) -> DatabaseSettings:
    """Return the settings of one database."""
    words = {name: item[name] for name in ("password", "connect_timeout", "read_timeout", "max_bytes") if name in item}
    return DatabaseSettings(
        name=item["name"],
        url=item["url"],
        schemas=tuple(item.get("schemas", ())),
        aliases=tuple(item.get("aliases", ())),
        secret_names=context.secret_names,
        base=context.base,
        **words,
    )


def validate_databases(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield invalid URLs, passwords that are written in the file, and names used twice."""
    for path, item in items:
        yield from _address(path, item, context)
    yield from repeated_sources(items, lambda item: ("name", _text(item.get("name"))))


def _address(path: JsonPath, item: Json, context: ValidationContext) -> Iterator[ErrorMessage]:
    written = member_of(_at(context.written, path), "url")
    url = item.get("url")
    password = _text(item.get("password"))
    if password and password == member_of(_at(context.written, path), "password"):
        yield (*path, "password"), "the password is written in this file", "write ${NAME}, or $file:PATH"
    if not isinstance(url, str) or not url:
        return
    try:
        parsed = database_url(url)
    except InputInvalid as error:
        yield (*path, "url"), f"the URL {error.what}", error.hint
        return
    if parsed.password and isinstance(written, str) and str(parsed.password) in written:
        yield (*path, "url"), "the password is written in this file", "write ${NAME} in its place"


def _at(document: Json, path: JsonPath) -> Json:
    value: Any = document
    for step in path:
        value = value[step]
    return value


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


DATABASE_SECTION: Section[DatabaseSettings] = Section(
    member="databases",
    schema=_DATABASE,
    parse=parse_database,
    validate=validate_databases,
    listing={
        "title": "Databases",
        "description": "Databases that connectors and jobs read or write.",
        "examples": [[{"name": "shop", "url": "postgresql://scanner@db/shop", "password": "${SHOP_PASSWORD}"}]],
    },
    over_http=False,
)


if TYPE_CHECKING:
    pass


_DATABASES = "scanner_extractor.systems.databases"

DATABASE = SourceKind(
    name="database",
    phase=CATALOG,
    section=DATABASE_SECTION,
    settings=DatabaseSettings,
    proofs=deferred(f"{_DATABASES}.products:product_proofs"),
    read=lambda settings, connections, progress: connections.database(settings, progress),
    check=lambda settings, _: load(f"{_DATABASES}.client:database_probes")(settings),
)
