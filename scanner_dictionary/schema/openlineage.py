"""The tables of OpenLineage events: what they add up to, whatever their order; `tables` takes them in.

Times are those of the events (ISO 8601, UTC, nine decimals), never of their arrival. A `digest` is the hash of a row's
natural name, which may be longer than an index takes.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Index, String, Text, UniqueConstraint
from sqlalchemy.schema import SchemaItem

from scanner_dictionary.schema.facts import (
    column_description,
    declare,
    identity,
    may,
    maybe,
    must,
    ordinal,
    parent,
)


def _digest(table: str) -> tuple[SchemaItem, ...]:
    return (
        must("digest", String, "hash of its natural name"),
        UniqueConstraint("digest", name=f"uq_{table}_digest"),
    )


def _spanned() -> tuple[SchemaItem, ...]:
    return (
        must("first_time", String, "time of the earliest event that names it"),
        must("last_time", String, "time of the latest event that names it"),
        must("producer", Text, "who sent the latest, a URI"),
    )


lineage_job = declare(
    "lineage_job",
    "A job that OpenLineage events name.",
    identity(),
    *_digest("lineage_job"),
    must("namespace", Text, "as the events write it"),
    must("name", Text, "its name"),
    *_spanned(),
)

lineage_run = declare(
    "lineage_run",
    "A run of a job; half of its events may be missing.",
    identity(),
    *_digest("lineage_run"),
    parent("job_id", "lineage_job", "the job"),
    must("run_id", Text, "the producer's id of it"),
    must("state", String, "a terminal state if one was reported, else the latest: START, RUNNING, …; may be empty"),
    must("state_time", String, "time of the event that reported it"),
    may("started", String, "time of its START; empty if that was not received"),
    may("ended", String, "time of its COMPLETE, FAIL or ABORT; empty while it runs"),
    Index("ix_lineage_run_job", "job_id"),
)

lineage_dataset = declare(
    "lineage_dataset",
    "A dataset that OpenLineage events name.",
    identity(),
    *_digest("lineage_dataset"),
    must("namespace", Text, "as the events write it, without credentials"),
    must("name", Text, "its name"),
    *_spanned(),
)

lineage_use = declare(
    "lineage_use",
    "A dataset that a job reads or writes; it stays when a later event does not name it.",
    identity(),
    *_digest("lineage_use"),
    parent("job_id", "lineage_job", "the job"),
    parent("dataset_id", "lineage_dataset", "the dataset"),
    must("side", String, "input or output"),
    *_spanned(),
    Index("ix_lineage_use_job", "job_id"),
    Index("ix_lineage_use_dataset", "dataset_id"),
)

lineage_facet = declare(
    "lineage_facet",
    "The latest content of one facet.",
    identity(),
    *_digest("lineage_facet"),
    must("scope", String, "what it describes: job, run (of the job's latest), dataset, or input or output of a job"),
    maybe("job_id", "lineage_job", "the job; empty if it is true for every job"),
    maybe("dataset_id", "lineage_dataset", "the dataset, where it describes one"),
    must("name", Text, "its name: schema, columnLineage, …"),
    must("has_content", Boolean, "it has content; an empty schema never replaces one with columns"),
    must("event_time", String, "time of the event that reported it"),
    must("body", Text, "JSON object as received, secrets hidden"),
    must("removed", Boolean, "the producer took it back"),
    must("producer", Text, "who sent the event, a URI"),
    Index("ix_lineage_facet_job", "job_id"),
    Index("ix_lineage_facet_dataset", "dataset_id"),
)

lineage_column = declare(
    "lineage_column",
    "A column of a schema facet.",
    parent("facet_id", "lineage_facet", "the facet", key=True),
    ordinal("place in the facet, from 0"),
    *column_description(),
)

lineage_flow = declare(
    "lineage_flow",
    "A flow between columns of a columnLineage or lineage facet.",
    parent("facet_id", "lineage_facet", "the facet", key=True),
    ordinal("place in the facet, from 0"),
    must("origin_namespace", Text, "the dataset it comes from, as the event writes it"),
    must("origin_name", Text, "its name"),
    may("origin_path", Text, "JSON array: the column; empty for the whole dataset"),
    may("target_namespace", Text, "empty if it is the dataset of the facet"),
    may("target_name", Text, "empty if it is the dataset of the facet"),
    may("target_path", Text, "JSON array: the column; empty for the whole dataset"),
    must("flow_type", String, "DIRECT or INDIRECT; empty if the event does not report it"),
    must("subtype", String, "IDENTITY, TRANSFORMATION, AGGREGATION, JOIN, …; may be empty"),
    must("description", Text, "for people, may be empty"),
    must("masking", Boolean, "the value is hidden on its way"),
)

lineage_symlink = declare(
    "lineage_symlink",
    "Another name of a dataset, of a symlinks facet.",
    parent("facet_id", "lineage_facet", "the facet", key=True),
    ordinal("place in the facet, from 0"),
    must("namespace", Text, "as the event writes it"),
    must("name", Text, "its name"),
    must("kind", String, "TABLE or LOCATION"),
)

lineage_event = declare(
    "lineage_event",
    "An event that was received, so that a repetition is known; the oldest are forgotten.",
    identity(),
    must("digest", String, "hash of its content"),
    must("kind", String, "run, job or dataset"),
    must("event_time", String, "when it happened, as its producer says"),
    must("state", String, "its eventType, may be empty"),
    maybe("job_id", "lineage_job", "its job; empty for an event of a dataset"),
    must("producer", Text, "who sent it, a URI"),
    UniqueConstraint("digest", name="uq_lineage_event_digest"),
)
