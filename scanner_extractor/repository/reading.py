"""The reading of a repository."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from scanner_extractor.repository.settings import TopicFiles
from scanner_extractor.results import Reading
from scanner_model.clients import AclRule
from scanner_model.declarations import Declaration
from scanner_model.field_uses import FieldUse, MessageClass
from scanner_model.manual import DeclaredFlow
from scanner_model.streaming_sql import StreamingStatement

if TYPE_CHECKING:
    from scanner_extractor.repository.applications.endpoints import ProgramEndpoints


@dataclass(frozen=True, kw_only=True)
class RepositoryReading(Reading):
    """The reading of a directory, and what else is known of its files.

    It is without the fields that programs use: *field_uses* reads them, for those who need them, and *changed_fields*
    those of the programs that files of the given paths may be part of, with the classes of messages. *programs* returns
    what evaluates programs; None if source code was not read. *files* are the paths of what was
    found, by kind, *table_files* those of files that declare tables, *chart_files* those of dashboards; *seen* counts
    all files.
    *levels* are the compatibility levels of subjects, of all others under the empty name. *schema_files* are the
    subjects of each schema file, by path, *forms* the forms of the user's own. *rights* are rules of access, each with
    its place.
    """

    field_uses: Callable[[], tuple[FieldUse, ...]] = tuple
    changed_fields: Callable[[frozenset[str]], tuple[tuple[FieldUse, ...], tuple[MessageClass, ...]]] = lambda _: (
        (),
        (),
    )
    programs: Callable[[], ProgramEndpoints] | None = None
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    table_files: tuple[str, ...] = ()
    chart_files: tuple[str, ...] = ()
    seen: int = 0
    levels: Mapping[str, str] = field(default_factory=dict)
    schema_files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    forms: tuple[TopicFiles, ...] = ()
    rights: Mapping[AclRule, str] = field(default_factory=dict)

    @cached_property
    def places(self) -> frozenset[str]:
        """Return the paths of the files that declare something."""
        listed = [
            *(entry.place for entry in self.of(Declaration)),
            *(statement.detail for statement in self.of(StreamingStatement)),
            *(flow.evidence for flow in self.of(DeclaredFlow)),
            *self.table_files,
            *self.chart_files,
        ]
        return frozenset(place.rpartition(":")[0] if place[-1:].isdigit() else place for place in listed)

    def place_of(self, job: str, text: str) -> str:
        """Return where a connector, a program, or the statement *text* is declared; empty where it is not."""
        places = {flow.job: flow.evidence for flow in self.of(DeclaredFlow)}
        places |= {statement.name: statement.detail for statement in self.of(StreamingStatement)}
        places |= {entry.name: entry.place for entry in self.of(Declaration)}
        holding = (entry.detail for entry in self.of(StreamingStatement) if text and text in entry.statement)
        return places.get(job) or places.get(job.rpartition(":")[0]) or next(holding, "")
