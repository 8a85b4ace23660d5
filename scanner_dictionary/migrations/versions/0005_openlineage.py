"""What OpenLineage events add up to: jobs, runs, datasets, facets, columns and flows."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Build the tables; what is stored stays as it is."""
    _named("lineage_job")
    op.create_table(
        "lineage_run",
        *_keys("lineage_run"),
        _ref("job_id", "lineage_job"),
        *_must(sa.Text, "run_id"),
        *_must(sa.String, "state", "state_time"),
        *_may(sa.String, "started", "ended"),
    )
    op.create_index("ix_lineage_run_job", "lineage_run", ["job_id"])
    _named("lineage_dataset")
    _use()
    _facet()
    _read_of_facets()
    op.create_table(
        "lineage_event",
        *_keys("lineage_event"),
        *_must(sa.String, "kind", "event_time", "state"),
        _ref("job_id", "lineage_job", nullable=True),
        *_must(sa.Text, "producer"),
    )


def _named(table: str) -> None:
    op.create_table(table, *_keys(table), *_must(sa.Text, "namespace", "name"), *_spanned())


def _use() -> None:
    op.create_table(
        "lineage_use",
        *_keys("lineage_use"),
        _ref("job_id", "lineage_job"),
        _ref("dataset_id", "lineage_dataset"),
        *_must(sa.String, "side"),
        *_spanned(),
    )
    op.create_index("ix_lineage_use_job", "lineage_use", ["job_id"])
    op.create_index("ix_lineage_use_dataset", "lineage_use", ["dataset_id"])


def _facet() -> None:
    op.create_table(
        "lineage_facet",
        *_keys("lineage_facet"),
        *_must(sa.String, "home"),
        _ref("job_id", "lineage_job", nullable=True),
        _ref("dataset_id", "lineage_dataset", nullable=True),
        *_must(sa.Text, "name"),
        *_must(sa.Boolean, "tells"),
        *_must(sa.String, "told"),
        *_must(sa.Text, "body"),
        *_must(sa.Boolean, "removed"),
        *_must(sa.Text, "producer"),
    )
    op.create_index("ix_lineage_facet_job", "lineage_facet", ["job_id"])
    op.create_index("ix_lineage_facet_dataset", "lineage_facet", ["dataset_id"])


def _read_of_facets() -> None:
    op.create_table(
        "lineage_column",
        *_place(),
        *_must(sa.Integer, "depth"),
        *_must(sa.Text, "path", "name", "data_type"),
        *_may(sa.Text, "logical_type"),
        *_must(sa.Boolean, "nullable"),
        *_may(sa.Text, "default_value", "doc", "tags", "recursion_of", "branches"),
        *_may(sa.BigInteger, "field_number"),
    )
    op.create_table(
        "lineage_flow",
        *_place(),
        *_must(sa.Text, "origin_namespace", "origin_name"),
        *_may(sa.Text, "origin_path", "target_namespace", "target_name", "target_path"),
        *_must(sa.String, "flow_type", "subtype"),
        *_must(sa.Text, "description"),
        *_must(sa.Boolean, "masking"),
    )
    op.create_table("lineage_symlink", *_place(), *_must(sa.Text, "namespace", "name"), *_must(sa.String, "kind"))


def _keys(table: str) -> list[sa.schema.SchemaItem]:
    key = sa.Column("id", sa.Integer, primary_key=True, autoincrement=False, nullable=False)
    unique = sa.UniqueConstraint("digest", name=f"uq_{table}_digest")
    return [key, *_must(sa.String, "digest"), unique]


def _place() -> list[sa.Column[int]]:
    facet = sa.ForeignKey("lineage_facet.id")
    return [
        sa.Column("facet_id", sa.Integer, facet, primary_key=True, autoincrement=False, nullable=False),
        sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False, nullable=False),
    ]


def _spanned() -> list[sa.Column[Any]]:
    return [*_must(sa.String, "first_time", "last_time"), *_must(sa.Text, "producer")]


def _ref(name: str, target: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, sa.ForeignKey(f"{target}.id"), nullable=nullable)


def _must(type_: type[sa.types.TypeEngine[Any]], *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, type_, nullable=False) for name in names]


def _may(type_: type[sa.types.TypeEngine[Any]], *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, type_, nullable=True) for name in names]
