"""Members of cluster.json that types of catalogs share."""

from __future__ import annotations

from collections.abc import Mapping

from scanner_extractor.config.sections import aliases, name_list
from scanner_extractor.http.messages import Json

LINEAGE: Json = {
    "title": "Lineage",
    "description": "Lineage to read. `columns` needs more requests.",
    "enum": ["none", "tables", "columns"],
    "default": "tables",
}

CHOICES: Mapping[str, Json] = {
    "catalogs": name_list("Catalogs", "Names or patterns of catalogs; all by default.", "main"),
    "schemas": name_list("Schemas", "Names or patterns of schemas; all by default.", "sales*"),
    "tables": name_list("Tables", "Names or patterns of tables; all by default.", "orders*"),
    "aliases": name_list(
        "Other addresses", "Other addresses of the server in connectors and jobs: host or host:port.", "engine-1:8443"
    ),
    "lineage": LINEAGE,
}
"""Members that every plug-in may have, and each type of ours whose schema lists them."""

TABLES: Json = CHOICES["tables"]
DATABASES: Json = name_list("Databases", "Names or patterns of databases; all by default.", "lake")
ALIASES: Json = aliases(str(CHOICES["aliases"]["description"]), "engine-1:8443")
