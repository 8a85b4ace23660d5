"""Settings of connectors that are known: those that readers follow, and those that change no names or columns.

A class may have more settings than these, and newer versions of it have. So a setting that is in neither list, and
whose name says that it is about topics, datasets or columns, makes that end unknown.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.model import Direction
from dataflow_generator.connectors.run_settings import fits, only_runs
from dataflow_generator.connectors.settings import UNINTERPRETED, Affected

INTERPRETED: Mapping[str, tuple[str, ...]] = {
    "": (
        *("config.storage.topic", "confluent.topic", "connect.topic", "database.history.kafka.topic"),
        *("dataset.names", "dataset.namespace", "errors.deadletterqueue.topic.name", "field.exclude.list"),
        *("field.include.list", "field.renamer.mapping", "field.renamer.regexp", "fields.included"),
        *("fields.whitelist", "heartbeat.topic.name", "internal.kafka.reporter.topic", "kafka.key.field.name"),
        *("kafka.topic", "kafka.topics", "kafkaKeyFieldName", "message.key.columns"),
        *("mongo.errors.deadletterqueue.topic.name", "mqtt.kafka.topic", "notification.sink.topic.name"),
        *("offset.storage.topic", "offsets.storage.topic", "pk.fields", "post.processor.chain"),
        *("primary.key.fields", "reporter.error.topic.name", "reporter.result.topic.name", "sanitize.field.names"),
        *("sanitizeFieldNames", "schema.history.internal.kafka.topic", "signal.kafka.topic", "state.topic.name"),
        *("status.storage.topic", "tasks.file.status.storage.topic", "topic.name", "topic.name.pattern"),
        *("topic.override.*", "topic.prefix", "topics.regex", "value.projection.list", "value.projection.type"),
    ),
    "debezium": (
        *("collection.blacklist", "collection.exclude.list", "collection.include.list", "collection.whitelist"),
        *("column.blacklist", "column.exclude.list", "column.include.list", "column.mask.hash.*"),
        *("column.mask.with.*", "column.truncate.to.*", "column.whitelist", "database.dbname"),
        *("database.exclude.list", "database.hostname", "database.include.list", "database.names"),
        *("database.pdb.name", "database.port", "database.server.name", "database.whitelist"),
        *("gcp.spanner.database.id", "heartbeat.topics.prefix", "message.key.columns", "schema.exclude.list"),
        *("table.blacklist", "table.exclude.list", "table.include.list", "table.whitelist", "topic.delimiter"),
        *("topic.heartbeat.prefix", "topic.naming.strategy", "topic.prefix", "topic.regex", "topic.replacement"),
        *("topic.transaction", "vitess.keyspace"),
    ),
    "jdbc": (
        *("collection.name.format", "database", "database.dbname", "database.hostname", "database.name"),
        *("database.port", "kudu.database", "query.masked", "schema.pattern", "snowflake.database.name"),
        *("table.blacklist", "table.exclude.list", "table.include.list", "table.name.format"),
        *("table.name.normalize", "table.whitelist", "tables", "tables.include", "topic.prefix"),
        *("topic2table.map", "topics.to.tables.mapping"),
    ),
    "mirror": (
        *("source.cluster.alias", "target.cluster.alias", "topic.blacklist", "topic.regex", "topic.rename.format"),
        *("topic.whitelist", "topics.blacklist", "topics.exclude", "topics.whitelist"),
    ),
    "nosql": (
        *("azure.cosmos.sink.database.name", "azure.cosmos.source.database.name", "cassandra.keyspace"),
        *("collection", "collection.name.format", "connect.cosmos.containers.topicmap", "data.stream.dataset"),
        *("data.stream.namespace", "data.stream.prefix", "database", "keyspace", "namespace.mapper"),
        *("sink.database", "table", "topic.*.*.*.mapping", "topic.index.map", "topic.namespace.map"),
        *("topic.override.*", "topic.prefix", "topic.separator", "topic.suffix"),
        *("topic.to.existing.resource.mapping", "topic.to.external.resource.mapping", "topic.to.resource.mapping"),
    ),
    "object_stores": (
        *("aws.s3.bucket.name", "aws.s3.bucket.prefix", "aws.s3.prefix", "azblob.container.name"),
        *("azure.container.name", "azure.datalake.gen2.container.name", "azure.storage.blob.prefix"),
        *("azure.storage.container.name", "directory.path", "file.name.prefix", "file.name.template"),
        *("fs.listing.directory.path", "fs.scan.directory.path", "gcs.blobs.filter.prefix", "gcs.bucket"),
        *("gcs.bucket.name", "gcs.prefix", "s3.bucket", "s3.bucket.name", "s3.prefix"),
        *("*.working.dir", "sftp.listing.directory.path", "topic", "topic.regex.list", "topics.dir"),
    ),
    "oracle_cdc": (
        *("redo.log.corruption.topic", "redo.log.topic.name", "table.exclusion.regex", "table.inclusion.regex"),
        *("table.topic.name.template",),
    ),
    "services": (
        *("api*.topics", "api.topics", "aws.dynamodb.table", "aws.lambda.topic2function.map"),
        *("azure.eventhubs.namespace", "azure.servicebus.namespace", "bucket", "connect.topic"),
        *("connection.bucket", "connection.database", "couchbase.bucket", "couchbase.collections"),
        *("couchbase.topic", "cps.topic", "database", "dynamodb.table.includelist", "dynamodb.table.name"),
        *("gcp.pubsub.topic.id", "gcp.spanner.database.id", "github.tables", "hbase.table.name"),
        *("influxdb.bucket", "influxdb.database", "java.naming.provider.url", "jira.tables", "kafka.topic.table"),
        *("kafka.topics", "kudu.database", "kudu.sink.table", "kudu.table.default.name", "kusto.tables.topics.mapping"),
        *(
            "mqtt.kafka.topic",
            "mqtt.topic",
            "mqtt.topics",
            "neo4j.database",
            "neo4j.query.topic",
            "redis.database",
            "servicenow.table",
        ),
        *("table", "table*.name", "table*.topic", "table.name.format", "topic", "topic.mapper", "topic.name"),
        *("topic.name.pattern", "topic.prefix", "zendesk.tables"),
    ),
    "warehouses": (
        *("aws.redshift.database", "database", "datasets", "dbTopicSplitChar", "defaultDataset"),
        *("delta.lake.database", "delta.lake.table.format", "delta.lake.topic2table.map", "doris.database"),
        *("doris.topic2table.map", "enableDbTopicSplit", "iceberg.catalog.*", "iceberg.tables"),
        "iceberg.tables.route-field",
        *("iceberg.tables.dynamic-enabled", "record.tablename.field", "sanitize.topics", "sanitizeTopics"),
        *("snowflake.database.name", "snowflake.topic2table.map", "starrocks.database.name"),
        *("starrocks.topic2table.map", "table.name.format", "topic2TableMap", "topic2table.map", "topicsToTables"),
    ),
}
"""Settings about names and columns that the readers of a module follow; under the empty name those of all readers."""

HARMLESS: Mapping[str, tuple[str, ...]] = {
    "": (
        *("*auto.create*", "*autocreate*", "connection.*", "*.location", "*.timezone", "*time_zone", "*.driver"),
        *("*.cache*", "*validation*", "*.acls.*", "*.metrics*", "*behavior.on*", "*.ttl*", "*.types", "*.tags"),
    ),
    "debezium": (
        *("schema.name.adjustment.mode", "field.name.adjustment.mode", "column.propagate.source.type", "converters"),
        *("database.initial.statements", "database.protocol", "database.server.id*", "database.instance"),
        *("database.connection.*", "database.out.server.name", "database.url", "database.ssl*", "database.encrypt"),
        *("database.tcpkeepalive", "database.trustservercertificate", "database.applicationintent", "database.query.*"),
        *("signal.*", "snapshot.*", "incremental.*", "table.ignore.builtin", "message.prefix.*", "publication.*"),
        *("log.mining.*", "cdc.*", "database.allowpublickeyretrieval", "publish.via.partition.root", "lob.*"),
        *("database.useSSL", "database.serverTimezone", "database.connectionTimeZone", "topic.cache.size"),
    ),
    "debezium sink": ("data.type.mapping", "dialect.*", "schema.evolution"),
    "jdbc source": (
        *("incrementing.*", "timestamp.*", "catalog.pattern", "numeric.*", "query.suffix", "table.names.qualify"),
        *("table.monitoring.*", "tables.fetched", "dialect.name", "table.poll.*", "db.timezone"),
    ),
    "jdbc sink": ("timestamp.fields.list", "dialect.name"),
    "mirror": (
        *("add.source.alias.to.metrics", "offset-syncs.topic.*", "refresh.topics.*", "sync.topic.*", "*.partitions"),
        *("replication.policy.internal.topic.separator.enabled", "heartbeats.topic.*", "checkpoints.topic.*"),
        *("emit.*", "topic.config.sync", "topic.auto.create", "topic.preserve.partitions", "topic.timestamp.type"),
        *("topic.poll.*", "config.propert*", "*.replication.factor", "topic.create.*"),
    ),
    "mongodb source": (
        *("copy.existing.namespace.regex", "startup.mode.copy.existing.namespace.regex", "collation"),
        *("heartbeat.topic.name", "offset.partition.name", "topic.creation*"),
    ),
    "mongodb sink": (
        *("writemodel.strategy", "timeseries.*", "document.id.strategy*", "namespace.mapper.error.if.invalid"),
        *("key.projection.list", "delete.writemodel.strategy", "csfle.*", "namespace.mapper.*.field"),
    ),
    "object store": (
        *("path.format", "partition.field.name", "file.delim", "directory.delim", "partitioner.max.open.files"),
        *("timestamp.field", "hive.*", "s3.schema.partition.affix.type", "allow.optional.map.keys", "*.bucket.region"),
        *("s3.bucket.check", "*.bucket.encryption*", "partition.field.format.path", "file.compression.*"),
        *("aws.s3.bucket.check", "*.directory.*cleanup*", "cleanup.*", "finished.path", "error.path"),
    ),
    "search": (
        *("type.name", "external.resource.usage", "existing.resource.type", "compact.map.entries", "routing.*"),
        *("data.stream.timestamp.field", "data.streams.existing.index.template.name", "index.write.method"),
        *("max.external.resource.mappings", "*.key.ignore", "*.schema.ignore"),
    ),
    "clickhouse": (
        *("bypassfieldcleanup", "suppresstableexistenceexception", "tablerefreshinterval", "zkdatabase", "zkpath"),
    ),
    "snowflake": (
        "snowflake.autocreate.*",
        "snowflake.iceberg.create.*",
        "snowflake.jdbc.map",
        "snowflake.metadata.*",
        "snowflake.streaming.client.*",
    ),
    "bigquery": (
        *("allbqfieldsnullable", "allow*", "clusteringpartitionfieldnames", "gcsbucketname", "gcsfoldername"),
        *("intermediatetablesuffix", "kafkadatafieldname", "kafka.data.field.name", "timestamppartitionfieldname"),
        *("timestamp.partition.field.name", "clustering.partition.field.names", "bigquerypartitiondecorator"),
    ),
    "iceberg": (
        *("iceberg.table.*", "iceberg.control.*", "iceberg.coordinator.*", "iceberg.hadoop*", "iceberg.kafka.*"),
        *("iceberg.tables.default-*", "iceberg.tables.auto-*", "iceberg.tables.schema-*", "iceberg.tables.cdc-*"),
        *("iceberg.tables.evolve-*", "iceberg.tables.upsert-*", "iceberg.tables.write-*"),
    ),
    "doris": ("label.prefix", "sink.properties.partial_columns"),
    "starrocks": ("sink.properties.partial_update*",),
    "cassandra": (
        *("topic.*.consistencylevel", "topic.*.ttl*", "topic.*.timestamp*", "topic.*.nulltounset"),
        *("topic.*.deletesenabled", "topic.*.codec.*", "datastax-java-driver.*"),
        *("cassandra.table.manage.enabled", "cassandra.table.create.*", "cassandra.offset.storage.table"),
    ),
    "http": ("batch.prefix", "batch.suffix", "*.header*", "header*", "reporter.*"),
    "splunk": ("splunk.header.*", "splunk.sources", "splunk.sourcetypes", "timestamp.regex"),
    "neo4j": ("neo4j.pattern.bind-*", "neo4j.pattern.merge-*"),
}
"""Settings by family whose names suggest a change of names or columns, and that change neither."""

_FRAMEWORK = (
    *("connector.*", "tasks.*", "topics", "topics.regex", "key.converter*", "value.converter*", "header.converter*"),
    *("transforms*", "predicates*", "errors.*", "consumer.*", "producer.*", "admin.*", "topic.creation.*", "config.*"),
    *("offsets.*", "exactly.once.*", "transaction.boundary*", "confluent.*", "schema.registry.*", "openlineage.*"),
    *("*.subject.name.strategy", "input.*format", "output.*format", "kafka.*", "internal.*", "csfle.*"),
)
"""Settings of Connect itself, of its clients and converters, and of managed workers."""

_WORDS = re.compile(r"(?:[A-Z](?![a-z]))++|[A-Z]?[a-z]++")
_COLUMN_WORDS = frozenset(
    {"field", "fields", "column", "columns", "projection", "projector", "rename", "renames", "renaming", "renamer"}
    | {"processor", "processors", "pipeline"}
)
_TOPIC_WORDS = frozenset({"topic", "topics"})
_DATASET_WORDS = frozenset(
    {"table", "tables", "tablename", "collection", "collections", "index", "indices", "bucket", "container"}
    | {"containers", "keyspace", "database", "databases", "dataset", "datasets", "namespace", "dir", "directory"}
    | {"folder"}
)
_NAME_WORDS = frozenset(
    {"prefix", "suffix", "naming", "mapper", "router", "route", "routing", "mapping", "map", "template", "pattern"}
    | {"regex", "resource", "alias", "replacement", "partitioner"}
)
"""Words for how names are made, of topics if a source has them, else of datasets."""
_PLAIN = re.compile(r"(?i)|false|none|default|-?\d+(?:\.\d+)?[a-z]{0,2}")
"""Values that say that a setting is not used, and numbers, which name nothing."""


def unread_ends(
    config: Config, module: str, families: Collection[str], direction: Direction
) -> Iterator[tuple[str, Affected]]:
    """Yield the settings about names or columns that no list knows, each with the ends that its name is about.

    *module* has the reader of the class.
    """
    known = (*INTERPRETED[""], *INTERPRETED.get(module, ()), *_FRAMEWORK)
    known += tuple(row for family in ("", *families) for row in HARMLESS.get(family, ()))
    known += tuple(setting.key for family in families for setting in UNINTERPRETED[family])
    for key, value in config.pairs:
        ends = _ends(key, direction)
        if ends and not (_PLAIN.fullmatch(value.strip()) or only_runs(key, families)):
            name = key.lower()
            if not any(fits(row.lower(), name) for row in known):
                yield from ((key, affected) for affected in ends)


@lru_cache(maxsize=8192)
def _ends(key: str, direction: Direction) -> tuple[Affected, ...]:
    """Return the ends that a setting is about, by the words of its name; none for any other setting."""
    words = {word.lower() for word in _WORDS.findall(key[:200])}
    is_sink = direction is Direction.SINK
    ends = []
    if words & _COLUMN_WORDS:
        ends.append(Affected.COLUMNS)
    if words & _TOPIC_WORDS:
        ends.append(Affected.DATASETS if is_sink else Affected.TOPICS)
    elif words & _DATASET_WORDS:
        ends.append(Affected.DATASETS)
    elif not ends and words & _NAME_WORDS:
        ends.append(Affected.DATASETS if is_sink else Affected.TOPICS)
    return tuple(ends)
