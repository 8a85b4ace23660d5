"""Apicurio's reader against a real server: SCANNER_LAB_APICURIO is its address; nothing is written to it.

Whether the export reports what the lists and the compatible API tell, only a real server can say.
"""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Request, Response, Transport
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.results import no_progress
from scanner_extractor.schemas.definitions import define
from scanner_extractor.settings.cluster import HttpSettings, RegistrySettings
from scanner_model.names import SourceId
from scanner_model.schemas import DEFAULT_CONTEXT, SchemaVersion

SERVER = os.environ.get("SCANNER_LAB_APICURIO", "")

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(not SERVER, reason="needs an Apicurio registry: set SCANNER_LAB_APICURIO to its address"),
]


def _no_export(live: Transport) -> Transport:
    def query(request: Request) -> Response:
        return Response(status=403) if request.url.endswith("/admin/export") else live(request)

    return query


def _read(path: str = "", wrap=None) -> tuple[SchemaVersion, ...]:
    settings = RegistrySettings(type="apicurio", http=HttpSettings(url=SERVER + path))
    with Http(settings.http, settings.source, wrap=wrap) as http:
        versions = REGISTRIES["apicurio"].read(settings, http, no_progress).of(SchemaVersion)
    return tuple(replace(version, source=SourceId("")) for version in versions)


def test_export_reports_what_the_lists_report() -> None:
    """So that rights change the number of requests, and nothing else."""
    exported = _read()

    assert exported
    assert exported == _read(wrap=_no_export)


def test_compatible_api_reports_the_default_group_without_what_it_has_no_place_for() -> None:
    """Nor does it give the texts of an artifact whose versions are all disabled; Avro as its library prints it."""
    own = [version for version in _read() if version.context == DEFAULT_CONTEXT]
    shown = {version.subject for version in own if not version.deleted}
    expected = tuple(replace(v, metadata="", state="") for v in own if v.subject in shown)

    assert _without_texts(_read("/apis/ccompat/v7")) == _without_texts(expected)


def test_compatible_and_core_api_report_one_definition() -> None:
    """The compatible API prints Avro texts without references anew; the columns are those of the registered text."""
    printed, registered = (define(_read(path)) for path in ("/apis/ccompat/v7", ""))
    known = {(v.context, v.subject, v.version): v for v in registered.versions}
    pairs = [(v, known[v.context, v.subject, v.version]) for v in printed.versions]

    assert any(shown.text != own.text for shown, own in pairs)
    assert [shown.fingerprint for shown, _ in pairs] == [own.fingerprint for _, own in pairs]


def _without_texts(versions: tuple[SchemaVersion, ...]) -> list[SchemaVersion]:
    return [replace(version, text="") if version.format == "AVRO" else version for version in versions]
