"""Names that answers show for what has another name in the graph: a message, a script, a subject, a table of DDL."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlalchemy import Connection, exists, select

from scanner_dictionary.graph.reader import GraphReader
from scanner_dictionary.graph.store import NodeRow
from scanner_dictionary.schema import tables as t
from scanner_model.columns import WHOLE_MESSAGE
from scanner_model.schemas import qualified_subject

_STATEMENT = re.compile(r":\d+")
_DDL = "ddl://"


def without_whole_message(text: str) -> str:
    """Return the topic or dataset of `orders.(whole message)`; any other text is empty."""
    ending = f".{WHOLE_MESSAGE}"
    return text.removesuffix(ending) if text.endswith(ending) else ""


def without_ddl(text: str) -> Iterator[str]:
    """Yield the names that a table of `ddl://FILES/shop.orders` may have elsewhere: what is behind each slash."""
    if text.startswith(_DDL):
        rest = text.removeprefix(_DDL)
        yield from (rest[at + 1 :] for at, mark in enumerate(rest) if mark == "/")


def statements_of_script(graph: GraphReader, text: str) -> Iterator[NodeRow]:
    """Yield the jobs of a script with several statements, `etl.sql:1` and `etl.sql:2` of `etl.sql`."""
    names = {name for name, _ in graph.names_near(f"{text}:1")}
    numbered = {name for name in names if name.startswith(text) and _STATEMENT.fullmatch(name[len(text) :])}
    yield from (node for node in graph.nodes_named(numbered) if node.kind == "job")


def topics_of_subject_name(conn: Connection, text: str) -> tuple[str, ...]:
    """Return the topics that a subject describes now, by its name or its context and name; none for another text."""
    link = t.topic_schema.c
    query = (
        select(link.context, link.subject, t.topic.c.name)
        .join(t.topic, t.topic.c.id == link.topic_id)
        .where(link.subject == text.rpartition(":")[2], link.gone.is_(None), link.is_current)
        .distinct()
    )
    rows = conn.execute(query)
    return tuple(sorted({topic for context, name, topic in rows if text in (name, qualified_subject(context, name))}))


def is_subject(conn: Connection, text: str) -> bool:
    """Return whether a registry has a subject of this name, or of this context and name."""
    subject = t.subject.c
    query = select(subject.context, subject.name).where(subject.name == text.rpartition(":")[2], subject.gone.is_(None))
    return any(text in (name, qualified_subject(context, name)) for context, name in conn.execute(query))


def is_job(conn: Connection, text: str) -> bool:
    """Return whether a connector, a statement or a query has this name."""
    return any(
        conn.scalar(select(exists().where(table.c.name == text, table.c.gone.is_(None))))
        for table in (t.connector, t.flink_statement, t.ksql_query)
    )
