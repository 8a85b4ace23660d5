"""Explicit links of topics to subjects, as registries keep them since 8.2: asked for where they may decide a name."""

from __future__ import annotations

from collections.abc import Iterable

from scanner_extractor.naming.table import default_names
from scanner_extractor.paging import paged
from scanner_extractor.registries.bulk import key, prefix_for
from scanner_extractor.registries.confluent import PAGE, ConfluentClient
from scanner_extractor.registries.crew import Crew, ask_each
from scanner_extractor.registries.gathered import Gathered, associations_failed, failed
from scanner_extractor.registries.rows import BadRow, Row
from scanner_extractor.settings import RegistrySettings
from scanner_model.errors import NotFound, ScannerError, SourceObjected, SourceRefused
from scanner_model.names import SubjectName
from scanner_model.schemas import qualified_subject

Place = tuple[str, SubjectName]


def add_associations(settings: RegistrySettings, client: ConfluentClient, gathered: Gathered, crew: Crew) -> Gathered:
    """Add the registry's associations, where the naming strategy `associated` is in force.

    Rows may carry them; then nothing is asked. Else one subject is asked first: a registry before 8.2 does not know
    the question, and that is the end of it. Then the list of associated schemas is read, and those subjects of it that
    do not show their associations are asked one by one. What cannot be asked is reported, and naming goes on without.
    """
    places = sorted({(row.version.context, row.version.subject) for row in gathered.rows.values() if _live(row)})
    inline = any(row.associations for row in gathered.rows.values())
    strategies = settings.naming.strategies or default_names(settings.type)
    if "associated" not in strategies or inline or not places:
        return gathered
    try:
        client.associations(qualified_subject(*places[0]))
        shown, silent = _listed(client, places)
    except NotFound:
        return gathered
    except ScannerError as error:
        return gathered + Gathered(problems=(associations_failed(settings.source, error),))
    answers = ask_each(silent, lambda place: client.associations(qualified_subject(*place)), crew=crew)
    found = [link for links in answers if not isinstance(links, ScannerError) for link in links]
    problems = [
        failed(settings.source, qualified_subject(*place), error)
        for place, error in zip(silent, answers, strict=True)
        if isinstance(error, ScannerError)
    ]
    inline_links = (link for row in shown for link in row.associations)
    return gathered + Gathered(associations=(*inline_links, *found), problems=tuple(problems))


def _listed(client: ConfluentClient, places: Iterable[Place]) -> tuple[list[Row], list[Place]]:
    """List associated schemas: rows that show their associations, and subjects whose rows do not.

    Where there is no such list, or it is refused, every subject is one that does not show them.
    """
    try:
        listed = paged(lambda offset, _: client.associated(offset, prefix=prefix_for(client)), key=key, size=PAGE)
        rows = [row for row in listed if not isinstance(row, BadRow)]
    except (
        NotFound,
        SourceObjected,
        SourceRefused,
    ):  # refused: the list of all is often another right than one subject
        return [], list(places)
    shown = [row for row in rows if row.associations]
    silent = {(row.version.context, row.version.subject) for row in rows} - {
        (row.version.context, row.version.subject) for row in shown
    }
    return shown, sorted(silent)


def _live(row: Row) -> bool:
    return not row.version.deleted
