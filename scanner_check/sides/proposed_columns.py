"""The columns of topics as proposed schemas would make them, for the statements that are proposed with those."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from dataflow_generator.jobs.model import ColumnRef, Naming
from scanner_check.model import Place
from scanner_dictionary.lineage_inputs.jobs import ClusterTopic
from scanner_model.columns import Column, ColumnPath
from scanner_model.lazy_names import deferred

if TYPE_CHECKING:
    from dataflow_generator.build.snapshot import TopicColumns

_topic_columns = deferred("dataflow_generator.build.snapshot:TopicColumns")


class ReplacedSide(NamedTuple):
    """One side of a topic whose schema is replaced; paths begin with `@key` on that side.

    *place* is that of the schema. *renames* are those that it proves: by an alias, or by the number of a field.
    """

    topic: ClusterTopic
    place: Place
    before: tuple[Column, ...]
    after: tuple[Column, ...]
    renames: Mapping[ColumnPath, ColumnPath]


def replaced_columns(stored: TopicColumns, sides: Iterable[ReplacedSide]) -> TopicColumns:
    """Return what reads the columns of topics with those of *sides* in place of the ones that they replace."""
    by_topic: dict[ClusterTopic, list[ReplacedSide]] = {}
    for side in sides:
        by_topic.setdefault(side.topic, []).append(side)

    def full(topics: Collection[ClusterTopic]) -> Mapping[ClusterTopic, tuple[Column, ...]]:
        known = stored.full(topics)
        changed = {topic: _columns(known.get(topic, ()), by_topic[topic]) for topic in topics if topic in by_topic}
        return {**known, **changed}

    def paths(topics: Collection[ClusterTopic]) -> Mapping[ClusterTopic, tuple[ColumnPath, ...]]:
        changed = {topic for topic in topics if topic in by_topic}
        others = stored.paths([topic for topic in topics if topic not in changed])
        return {**others, **{topic: tuple(column.path for column in full([topic])[topic]) for topic in changed}}

    replaced: TopicColumns = _topic_columns(full, paths)
    return replaced


def _columns(known: tuple[Column, ...], sides: Iterable[ReplacedSide]) -> tuple[Column, ...]:
    """Put the columns of each side where the first of those stood that it replaces."""
    columns = known
    for side in sides:
        replaced = {column.path for column in (*side.before, *side.after)}
        at = next((index for index, column in enumerate(columns) if column.path in replaced), len(columns))
        columns = (
            *columns[:at],
            *side.after,
            *(column for column in columns[at:] if column.path not in replaced),
        )
    return columns


class Renames:
    """Names of columns before, as the proposed schemas have them now."""

    def __init__(self, sides: Iterable[ReplacedSide], naming: Naming) -> None:
        self._paths = {naming.topic(*side.topic): side.renames for side in sides}

    def now(self, column: ColumnRef) -> ColumnRef:
        """Return where a column is now; a field is renamed with the structure around it."""
        renames, path = self._paths.get(column.dataset, {}), column.path or ()
        size = next((size for size in range(len(path), 0, -1) if path[:size] in renames), 0)
        return ColumnRef(column.dataset, (*renames[path[:size]], *path[size:])) if size else column
