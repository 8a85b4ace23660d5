"""Which way a Confluent-compatible registry is read: in bulk where it can be, else by a walk."""

from __future__ import annotations

from dataclasses import replace

from scanner_extractor.http import Http
from scanner_extractor.paging import PagesWithoutEnd
from scanner_extractor.readings import Progress, RegistryReading
from scanner_extractor.registries.associations import add_associations
from scanner_extractor.registries.bulk import read_bulk
from scanner_extractor.registries.closure import close
from scanner_extractor.registries.confluent import ConfluentClient
from scanner_extractor.registries.confluent_reader import Origin
from scanner_extractor.registries.crew import Crew
from scanner_extractor.registries.gathered import Gathered, as_reading, cut_off, sort_out
from scanner_extractor.registries.walk import walk
from scanner_extractor.settings import RegistrySettings
from scanner_model.errors import NotFound, ScannerError, SourceObjected
from scanner_model.problems import Problem

_CCOMPAT = ("apis", "ccompat", "v7")


def read_confluent(settings: RegistrySettings, http: Http, progress: Progress) -> RegistryReading:
    """Read every version that a Confluent-compatible registry has, with the fewest requests.

    Raises SourceRefused and SourceUnreachable where not even the list of subjects can be read; anything less gives
    what could be read, PARTIAL, with the names of the rest. Sources: Confluent Schema Registry API, Karapace,
    Apicurio's ccompat/v7 (whose path is added where `url` names none).
    """
    return read_registry(settings, http, progress, Crew(threads=settings.http.concurrency))


def read_registry(settings: RegistrySettings, http: Http, progress: Progress, crew: Crew) -> RegistryReading:
    """Do what `read_confluent` does, with a *crew* of one's own."""
    client = compatible_client(settings, http)
    gathered = _everything(settings, client, progress, crew)
    gathered = close(client, gathered, crew)
    gathered = add_associations(settings, client, gathered, crew)
    return as_reading(settings, gathered, http.requests)


def _everything(settings: RegistrySettings, client: ConfluentClient, progress: Progress, crew: Crew) -> Gathered:
    problems: tuple[Problem, ...] = ()
    try:
        rows = read_bulk(client, deleted=settings.deleted, told=lambda done: progress(settings.source, done, None))
        if rows is not None:
            return rows
    except PagesWithoutEnd as error:
        return sort_out(error.items) + cut_off(settings.source, error)
    except (NotFound, SourceObjected):
        pass  # a registry without the bulk endpoint, as most are that only resemble Confluent's
    except ScannerError as error:
        problems = (_no_bulk(settings, error),)
    walked = walk(
        client,
        crew,
        deleted=settings.deleted,
        told=lambda done, total: progress(settings.source, done, total),
    )
    return replace(walked, problems=(*problems, *walked.problems))


def _no_bulk(settings: RegistrySettings, error: ScannerError) -> Problem:
    hint = "every subject was asked for by itself, which takes many requests"
    return Problem(str(settings.source), f"reading in bulk failed: {error}", hint)


def compatible_client(settings: RegistrySettings, http: Http) -> ConfluentClient:
    """Return the client of a registry's Confluent-compatible API."""
    origin = Origin(source=settings.source, kind=settings.type, context=settings.one_context)
    return ConfluentClient(http, origin, compatible_base(settings))


def compatible_base(settings: RegistrySettings) -> tuple[str, ...]:
    """Give the steps of the compatible API's path that `url` does not name."""
    return _CCOMPAT if settings.type == "apicurio" and "/apis/" not in f"{settings.http.url}/" else ()
