"""Parameters that several questions have, under one name with one meaning."""

from __future__ import annotations

from typing import Annotated

from scanner_api.questions.question import Parameter

LARGEST_NUMBER = 2**31 - 1

Cluster = Annotated[str | None, Parameter("Only this cluster, by its name.")]
AnyCluster = Annotated[
    str | None,
    Parameter("The cluster's name, or one of its broker addresses; needed where several clusters have the topic."),
]
Pattern = Annotated[
    str | None,
    Parameter("A glob where it holds `*`, `?` or `[`, else a part of the name.", argument=True, metavar="PATTERN"),
]
Deleted = Annotated[bool, Parameter("Also what its source no longer has.", option="--all")]
Topic = Annotated[str, Parameter("The topic's exact name.")]
_MOMENT = "its number, or a date, time (ISO 8601), `yesterday`, `last week` or `7d`"
Scan = Annotated[
    str | int,
    Parameter(f"A scan: {_MOMENT}, for the newest that was finished then.", longest=64, metavar="SCAN|DATE"),
]
Since = Annotated[
    str | int,
    Parameter(
        f"Since a scan: {_MOMENT}, for the newest that was finished before that day or time.",
        longest=64,
        metavar="SCAN|DATE",
    ),
]
Limit = Annotated[int | None, Parameter("How many items a page has at most.", least=1, most=1000, option=None)]
Cursor = Annotated[str | None, Parameter("next_cursor of the page before.", option=None)]
Node = Annotated[
    str,
    Parameter(
        "A node: the name of a topic, dataset, job, consumer group or column (`orders.customer.id`), `NAMESPACE/NAME`, "
        "or an id of the graph.",
        longest=2000,
        argument=True,
        metavar="NODE",
    ),
]
AsOf = Annotated[
    str | None,
    Parameter(
        "Instead of the newest graph that of a scan (its number), or of a date or time (ISO 8601; a date is its end; "
        "also `yesterday`, `last week`, `7d`). "
        "A scan has a graph where it was generated before the next scan.",
        longest=64,
        metavar="SCAN|DATE",
    ),
]
