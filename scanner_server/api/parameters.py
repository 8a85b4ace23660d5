"""Parameters that several operations have: their types with limits and descriptions."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

Limit = Annotated[int, Field(ge=1, le=1000, description="How many items a page has at most.")]
Cursor = Annotated[str | None, Field(description="next_cursor of the page before.")]
ClusterName = Annotated[str | None, Field(description="Only this cluster, by its name.")]
Pattern = Annotated[str | None, Field(description="A glob where it holds `*`, `?` or `[`, else a part of the name.")]
Deleted = Annotated[bool, Field(description="Also what its source no longer has.")]
Cluster = Annotated[str, Field(description="The cluster's name, or one of its broker addresses.")]
Topic = Annotated[str, Field(description="The topic's name.")]
Scan = Annotated[int, Field(ge=1, le=2**31 - 1, description="A scan number.")]
NodeName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=2000,
        description="A node: the name of a topic, dataset, job, consumer group or column (`orders.customer.id`), "
        "`NAMESPACE/NAME`, or an id of the graph.",
    ),
]
AsOf = Annotated[
    str | None,
    Field(
        max_length=64,
        description="Instead of the newest graph that of a scan, by its number, or of a date or time (ISO 8601; a date "
        "is its end). A scan has a graph where it was generated before the next scan.",
    ),
]
