"""Confluent's Oracle CDC source: tables by a regular expression, topics by a template of the table's names."""

from __future__ import annotations

from collections.abc import Iterator

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import host_server, identifiers, table_of, topic
from dataflow_generator.connectors.jdbc_urls import JdbcServer
from dataflow_generator.connectors.model import Connector, ConnectorFlows, Dataset, DatasetKind, Direction, SideTopic
from dataflow_generator.connectors.sources import SourceRead, SourceReads, source
from dataflow_generator.connectors.topics import candidate_topics, cluster_of, selection
from dataflow_generator.connectors.transforms.topic_templates import quoted
from scanner_model.errors import Problem

_CHOSEN, _LEFT_OUT = "table.inclusion.regex", "table.exclusion.regex"
_TEMPLATE = "table.topic.name.template"
_WHOLE = "${fullyQualifiedTableName}"
_PARTS = "${databaseName}.${schemaName}.${tableName}"
_SIDE = {
    "redo.log.topic.name": ("redo-log", "${connectorName}-${databaseName}-redo-log"),
    "redo.log.corruption.topic": ("corrupted-redo-log", ""),
}


def oracle_cdc(connector: Connector) -> ConnectorFlows:
    """Read the tables; an empty template writes no topics except the redo log's."""
    config = connector.config
    server = _server(config)
    form = _filled(connector, server, _template(config))
    selected = selection(connector, (_CHOSEN,), (_LEFT_OUT,), _tables_in_topics(connector, form))
    reads = [_read(server, form, name) for name in selected.names]
    reads += [_many(server, form, pattern) for pattern in selected.patterns]
    if not (reads or selected.configured):
        reads = [SourceRead(source=None, because=_TEMPLATE, unknown=f"{_CHOSEN} is not set: the tables are unknown")]
    return source(
        connector,
        SourceReads(
            reads=tuple(reads) if form else (),
            side=tuple(_side_topics(connector, server)),
            problems=tuple(Problem(selected.key, what) for what in selected.unclear),
            keyed=True,
        ),
    )


def _server(config: Config) -> JdbcServer:
    database = config.text("oracle.pdb.name", "oracle.service.name", "oracle.sid")
    return host_server("oracle", config.text("oracle.server"), config.text("oracle.port", default="1521"), database)


def _template(config: Config) -> str:
    """Return the template; only a setting that is present and empty means none."""
    return dict(config.pairs).get(_TEMPLATE, _WHOLE).strip()


def _filled(connector: Connector, server: JdbcServer, form: str) -> str:
    """Fill in what is the same for all tables; the rest is written as the qualified name where that is equivalent."""
    whole = form.replace(_PARTS, _WHOLE).replace("${connectorName}", connector.name)
    return whole.replace("${databaseName}", server.database)


def _read(server: JdbcServer, form: str, name: str) -> SourceRead:
    parts = identifiers(name)
    values = {_WHOLE: ".".join(parts), "${tableName}": parts[-1], "${schemaName}": parts[-2] if len(parts) > 1 else ""}
    topic = form
    for variable, value in values.items():
        topic = topic.replace(variable, value)
    return SourceRead(source=table_of(server, name), topic=topic, because=f"{_CHOSEN}, {_TEMPLATE}")


def _many(server: JdbcServer, form: str, pattern: str) -> SourceRead:
    """Read a pattern that matches no known table: the topics begin as the template does."""
    start, sign, _ = form.partition("${")
    topics = f"{quoted(start)}{pattern if form == start + _WHOLE else '.*'}" if sign else quoted(start)
    many = Dataset(server.namespace, f"regex:{pattern}", DatasetKind.PATTERN)
    return SourceRead(source=many, pattern=topics, because=f"{_CHOSEN}, {_TEMPLATE}")


def _tables_in_topics(connector: Connector, form: str) -> Iterator[str]:
    """Find tables in topic names where the template ends with the qualified name and no transform changes it."""
    start = form.removesuffix(_WHOLE)
    if start == form or "${" in start or connector.config.text("transforms"):
        return
    for name in candidate_topics(connector, start)[0]:
        if name.count(".", len(start)) > 1:
            yield name[len(start) :]


def _side_topics(connector: Connector, server: JdbcServer) -> Iterator[SideTopic]:
    namespace = cluster_of(connector, Direction.SOURCE)
    for key, (role, default) in _SIDE.items():
        form = connector.config.text(key, default=default)
        if name := _filled(connector, server, form):
            yield SideTopic(topic(namespace, name), role, key)
