"""The table of connectors: class → reader, short names, Confluent Cloud's names, and plug-ins."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from dataflow_generator.connectors.families import (
    debezium,
    jdbc,
    mirror,
    nosql,
    object_stores,
    oracle_cdc,
    services,
    warehouses,
)
from dataflow_generator.connectors.families import nosql as mongodb
from dataflow_generator.connectors.families import services as http
from dataflow_generator.connectors.model import Connector, ConnectorFlows, ConnectorReader
from scanner_model.plugins import CONNECTORS as PLUGIN_GROUP
from scanner_model.plugins import Plugin, plugins

_S3 = (object_stores.s3, object_stores.S3_KEYS)
_GCS = (object_stores.gcs, object_stores.GCS_KEYS)
_AZURE = (object_stores.azure, object_stores.AZURE_KEYS)
_HDFS = (object_stores.hdfs, object_stores.HDFS_KEYS)
_SFTP = (object_stores.transfer("sftp", "22"), ("sftp.host",))
_FTPS = (object_stores.transfer("ftps", "990"), ("ftps.host",))
_to, _from = services.to_service, services.from_service
_BIGQUERY = warehouses.bigquery_sink()
_OBJECTS = "salesforce.object|salesforce.cdc.name|salesforce.push.topic.name|salesforce.platform.event.name"
_SALESFORCE = services.salesforce(_OBJECTS)

CONNECTORS: Mapping[str, ConnectorReader] = {
    # JDBC
    "io.confluent.connect.jdbc.JdbcSourceConnector": jdbc.jdbc_source,
    "io.confluent.connect.jdbc.JdbcSinkConnector": jdbc.jdbc_sink,
    "io.aiven.connect.jdbc.JdbcSourceConnector": jdbc.jdbc_source,
    "io.aiven.connect.jdbc.JdbcSinkConnector": jdbc.jdbc_sink,
    "io.debezium.connector.jdbc.JdbcSinkConnector": jdbc.debezium_sink,
    "io.confluent.vertica.VerticaSinkConnector": jdbc.managed_sink("vertica"),
    # Debezium
    "io.debezium.connector.mysql.MySqlConnector": debezium.debezium(debezium.MYSQL),
    "io.debezium.connector.mariadb.MariaDbConnector": debezium.debezium(debezium.MARIADB),
    "io.debezium.connector.postgresql.PostgresConnector": debezium.debezium(debezium.POSTGRES),
    "io.debezium.connector.yugabytedb.YugabyteDBConnector": debezium.debezium(debezium.POSTGRES),
    "io.debezium.connector.yugabytedb.YugabyteDBgRPCConnector": debezium.debezium(debezium.POSTGRES),
    "io.debezium.connector.sqlserver.SqlServerConnector": debezium.debezium(debezium.SQLSERVER),
    "io.debezium.connector.oracle.OracleConnector": debezium.debezium(debezium.ORACLE),
    "io.debezium.connector.db2.Db2Connector": debezium.debezium(debezium.DB2),
    "io.debezium.connector.db2as400.As400RpcConnector": debezium.debezium(debezium.DB2_I),
    "io.debezium.connector.informix.InformixConnector": debezium.debezium(debezium.INFORMIX),
    "io.debezium.connector.vitess.VitessConnector": debezium.debezium(debezium.VITESS),
    "io.debezium.connector.mongodb.MongoDbConnector": debezium.debezium(debezium.MONGODB),
    "io.debezium.connector.spanner.SpannerConnector": debezium.spanner,
    "io.confluent.connect.oracle.xstream.cdc.OracleXStreamSourceConnector": debezium.debezium(debezium.ORACLE),
    "io.confluent.connect.oracle.cdc.OracleCdcSourceConnector": oracle_cdc.oracle_cdc,
    "io.debezium.connector.mongodb.MongoDbSinkConnector": mongodb.mongodb_sink,
    "io.debezium.connector.mongodb.sink.MongoDbSinkConnector": mongodb.mongodb_sink,
    # MongoDB
    "com.mongodb.kafka.connect.MongoSourceConnector": mongodb.mongodb_source,
    "com.mongodb.kafka.connect.MongoSinkConnector": mongodb.mongodb_sink,
    # Object stores, file systems, files
    "io.confluent.connect.s3.S3SinkConnector": object_stores.store_sink(*_S3),
    "io.confluent.connect.s3.source.S3SourceConnector": object_stores.store_source(*_S3),
    "io.aiven.kafka.connect.s3.AivenKafkaConnectS3SinkConnector": object_stores.store_sink(*_S3, default=""),
    "io.confluent.connect.gcs.GcsSinkConnector": object_stores.store_sink(*_GCS),
    "io.confluent.connect.gcs.GcsSourceConnector": object_stores.store_source(*_GCS),
    "io.aiven.kafka.connect.gcs.GcsSinkConnector": object_stores.store_sink(*_GCS, default=""),
    "io.confluent.connect.azure.blob.AzureBlobStorageSinkConnector": object_stores.store_sink(*_AZURE),
    "io.confluent.connect.azure.blob.storage.AzureBlobStorageSourceConnector": object_stores.store_source(*_AZURE),
    "io.confluent.connect.azblob.AzureBlobStorageSinkConnector": object_stores.store_sink(*_AZURE),
    "io.confluent.connect.azure.datalake.gen2.AzureDataLakeGen2SinkConnector": object_stores.store_sink(*_AZURE),
    "io.confluent.connect.hdfs.HdfsSinkConnector": object_stores.store_sink(*_HDFS),
    "io.confluent.connect.hdfs2.Hdfs2SinkConnector": object_stores.store_sink(*_HDFS),
    "io.confluent.connect.hdfs3.Hdfs3SinkConnector": object_stores.store_sink(*_HDFS),
    "io.confluent.connect.hdfs2.Hdfs2SourceConnector": object_stores.store_source(*_HDFS),
    "io.confluent.connect.hdfs3.Hdfs3SourceConnector": object_stores.store_source(*_HDFS),
    "org.apache.kafka.connect.file.FileStreamSourceConnector": object_stores.file_source,
    "org.apache.kafka.connect.file.FileStreamSinkConnector": object_stores.file_sink,
    "com.github.jcustenborder.kafka.connect.spooldir.SpoolDirCsvSourceConnector": object_stores.file_source,
    "com.github.jcustenborder.kafka.connect.spooldir.SpoolDirJsonSourceConnector": object_stores.file_source,
    "com.github.jcustenborder.kafka.connect.spooldir.SpoolDirAvroSourceConnector": object_stores.file_source,
    "com.github.jcustenborder.kafka.connect.spooldir.SpoolDirLineDelimitedSourceConnector": object_stores.file_source,
    "com.github.jcustenborder.kafka.connect.spooldir.SpoolDirSchemaLessJsonSourceConnector": object_stores.file_source,
    "io.confluent.connect.sftp.SftpCsvSourceConnector": object_stores.folder_source(*_SFTP),
    "io.confluent.connect.sftp.SftpJsonSourceConnector": object_stores.folder_source(*_SFTP),
    "io.confluent.connect.sftp.SftpSchemaLessJsonSourceConnector": object_stores.folder_source(*_SFTP),
    "io.confluent.connect.sftp.SftpBinaryFileSourceConnector": object_stores.folder_source(*_SFTP),
    "io.confluent.connect.sftp.SftpSinkConnector": object_stores.store_sink(*_SFTP),
    "io.confluent.connect.ftps.FtpsSourceConnector": object_stores.folder_source(*_FTPS),
    "io.confluent.connect.ftps.FtpsSinkConnector": object_stores.store_sink(*_FTPS),
    "io.streamthoughts.kafka.connect.filepulse.source.FilePulseSourceConnector": object_stores.file_source,
    # Search
    "io.confluent.connect.elasticsearch.ElasticsearchSinkConnector": nosql.search_sink("elasticsearch"),
    "io.aiven.connect.elasticsearch.ElasticsearchSinkConnector": nosql.search_sink("elasticsearch"),
    "io.aiven.kafka.connect.opensearch.OpensearchSinkConnector": nosql.search_sink("opensearch"),
    "io.confluent.connect.opensearch.OpenSearchSinkConnector": nosql.search_sink("opensearch"),
    # Warehouses and lakes
    "com.wepay.kafka.connect.bigquery.BigQuerySinkConnector": _BIGQUERY,
    "com.google.cloud.kafka.connect.bigquery.BigQuerySinkConnector": _BIGQUERY,
    "io.confluent.connect.bigquery.BigQuerySinkConnector": _BIGQUERY,
    "com.snowflake.kafka.connector.SnowflakeSinkConnector": warehouses.snowflake_sink,
    "com.snowflake.kafka.connector.SnowflakeStreamingSinkConnector": warehouses.snowflake_sink,
    "io.confluent.connect.aws.redshift.RedshiftSinkConnector": warehouses.redshift_sink,
    "io.confluent.connect.redshift.RedshiftSinkConnector": warehouses.redshift_sink,
    "com.clickhouse.kafka.connect.ClickHouseSinkConnector": warehouses.clickhouse_sink,
    "com.starrocks.connector.kafka.StarRocksSinkConnector": warehouses.starrocks_sink,
    "org.apache.doris.kafka.connector.DorisSinkConnector": warehouses.doris_sink,
    "io.confluent.connect.databricks.deltalake.DatabricksDeltaLakeSinkConnector": warehouses.databricks_sink,
    "org.apache.iceberg.connect.IcebergSinkConnector": warehouses.iceberg_sink,
    "io.tabular.iceberg.connect.IcebergSinkConnector": warehouses.iceberg_sink,
    # Cassandra
    "com.datastax.oss.kafka.sink.CassandraSinkConnector": nosql.datastax_cassandra_sink,
    "com.datastax.kafkaconnector.DseSinkConnector": nosql.datastax_cassandra_sink,
    "io.confluent.connect.cassandra.CassandraSinkConnector": nosql.confluent_cassandra_sink,
    # Kafka to Kafka
    "org.apache.kafka.connect.mirror.MirrorSourceConnector": mirror.mirror_source,
    "org.apache.kafka.connect.mirror.MirrorCheckpointConnector": mirror.checkpoints,
    "org.apache.kafka.connect.mirror.MirrorHeartbeatConnector": mirror.heartbeats,
    "io.confluent.connect.replicator.ReplicatorSourceConnector": mirror.replicator,
    # HTTP
    "io.confluent.connect.http.HttpSinkConnector": http.http_sink,
    "io.confluent.connect.http.HttpSinkV2Connector": http.http_sink_v2,
    "io.confluent.connect.http.sink.GenericHttpSinkConnector": http.http_sink_v2,
    "io.confluent.connect.http.source.GenericHttpSourceConnector": http.http_source,
    "io.confluent.connect.http.source.HttpSourceConnector": http.http_source,
    "io.confluent.connect.http.HttpSourceConnector": http.http_source,
    "io.aiven.kafka.connect.http.HttpSinkConnector": http.http_sink,
    "com.github.castorm.kafka.connect.http.HttpSourceConnector": http.http_source,
    "com.github.cjmatta.kafka.connect.sse.ServerSentEventsSourceConnector": http.http_source,
    # Services
    "io.confluent.connect.kinesis.KinesisSourceConnector": _from(services.KINESIS),
    "com.amazon.kinesis.kafka.AmazonKinesisSinkConnector": _to(services.KINESIS),
    "io.confluent.connect.sqs.source.SqsSourceConnector": services.sqs_source,
    "com.google.pubsub.kafka.source.CloudPubSubSourceConnector": _from(services.PUBSUB_SUBSCRIPTION),
    "com.google.pubsub.kafka.sink.CloudPubSubSinkConnector": _to(services.PUBSUB_TOPIC),
    "io.confluent.connect.gcp.pubsub.PubSubSourceConnector": _from(services.PUBSUB_SUBSCRIPTION),
    "io.confluent.connect.azure.eventhubs.EventHubsSourceConnector": _from(services.EVENT_HUBS),
    "io.confluent.connect.azure.servicebus.ServiceBusSourceConnector": _from(services.SERVICE_BUS),
    "io.confluent.connect.gcp.spanner.SpannerSinkConnector": _to(services.SPANNER),
    "io.confluent.connect.gcp.bigtable.BigtableSinkConnector": _to(services.BIGTABLE),
    "io.confluent.connect.aws.dynamodb.DynamoDbSinkConnector": services.dynamodb_sink,
    "io.confluent.connect.aws.lambda.AwsLambdaSinkConnector": services.lambda_sink,
    "com.azure.cosmos.kafka.connect.sink.CosmosDBSinkConnector": nosql.cosmos_sink,
    "com.azure.cosmos.kafka.connect.source.CosmosDBSourceConnector": nosql.cosmos_source,
    "com.microsoft.azure.kusto.kafka.connect.sink.KustoSinkConnector": services.kusto_sink,
    "com.github.jcustenborder.kafka.connect.redis.RedisSinkConnector": _to(services.REDIS),
    "com.redis.kafka.connect.RedisSinkConnector": _to(services.REDIS),
    "org.neo4j.connectors.kafka.sink.Neo4jConnector": _to(services.NEO4J),
    "org.neo4j.connectors.kafka.source.Neo4jConnector": _from(services.NEO4J),
    "streams.kafka.connect.sink.Neo4jSinkConnector": _to(services.NEO4J),
    "streams.kafka.connect.source.Neo4jSourceConnector": _from(services.NEO4J),
    "com.couchbase.connect.kafka.CouchbaseSinkConnector": _to(services.COUCHBASE),
    "com.couchbase.connect.kafka.CouchbaseSourceConnector": services.couchbase_source,
    "com.singlestore.kafka.SingleStoreSinkConnector": _to(services.SINGLESTORE),
    "io.confluent.salesforce.SalesforceBulkApiSourceConnector": _from(_SALESFORCE),
    "io.confluent.salesforce.SalesforceCdcSourceConnector": _from(_SALESFORCE),
    "io.confluent.salesforce.SalesforcePlatformEventSinkConnector": _to(_SALESFORCE),
    "io.confluent.salesforce.SalesforcePlatformEventSourceConnector": _from(_SALESFORCE),
    "io.confluent.salesforce.SalesforcePushTopicSourceConnector": _from(_SALESFORCE),
    "io.confluent.salesforce.SalesforceSObjectSinkConnector": _to(_SALESFORCE),
    "io.confluent.connect.servicenow.ServiceNowSourceConnector": _from(services.SERVICE_NOW),
    "io.confluent.connect.servicenow.ServiceNowSinkConnector": _to(services.SERVICE_NOW),
    "io.confluent.connect.jira.JiraSourceConnector": _from(services.JIRA),
    "io.confluent.connect.zendesk.ZendeskSourceConnector": _from(services.ZENDESK),
    "io.confluent.connect.github.GithubSourceConnector": _from(services.GITHUB),
    "io.confluent.connect.rabbitmq.RabbitMQSourceConnector": _from(services.RABBITMQ),
    "io.confluent.connect.rabbitmq.sink.RabbitMQSinkConnector": _to(services.RABBITMQ),
    "io.confluent.connect.mqtt.MqttSourceConnector": _from(services.MQTT),
    "io.confluent.connect.mqtt.MqttSinkConnector": _to(services.MQTT),
    "com.ibm.eventstreams.connect.mqsource.MQSourceConnector": _from(services.IBM_MQ),
    "com.ibm.eventstreams.connect.mqsink.MQSinkConnector": _to(services.IBM_MQ),
    "io.confluent.connect.ibm.mq.IbmMQSourceConnector": _from(services.IBM_MQ),
    "io.confluent.connect.jms.IbmMqSinkConnector": _to(services.IBM_MQ),
    "io.confluent.connect.activemq.ActiveMQSourceConnector": _from(services.ACTIVE_MQ),
    "io.confluent.connect.jms.JmsSourceConnector": _from(services.JMS),
    "io.confluent.connect.jms.JmsSinkConnector": _to(services.JMS),
    "io.confluent.influxdb.InfluxDBSinkConnector": _to(services.INFLUXDB),
    "io.confluent.influxdb.source.InfluxdbSourceConnector": _from(services.INFLUXDB),
    "io.confluent.influxdb.v2.sink.InfluxDB2SinkConnector": _to(services.INFLUXDB),
    "io.confluent.influxdb.v2.source.InfluxDB2SourceConnector": _from(services.INFLUXDB),
    "com.splunk.kafka.connect.SplunkSinkConnector": _to(services.SPLUNK),
    "io.confluent.connect.kudu.KuduSinkConnector": services.kudu_sink,
    "io.confluent.connect.kudu.KuduSourceConnector": jdbc.managed_source("impala"),
    "io.confluent.connect.hbase.HBaseSinkConnector": _to(services.HBASE),
    # Made-up data
    "io.confluent.kafka.connect.datagen.DatagenConnector": services.no_outside,
    "org.apache.kafka.connect.tools.MockSourceConnector": services.no_outside,
    "org.apache.kafka.connect.tools.VerifiableSourceConnector": services.no_outside,
}

MANAGED: Mapping[str, ConnectorReader] = {
    "AzureBlobSink": object_stores.store_sink(*_AZURE),
    "AzureBlobSource": object_stores.store_source(*_AZURE),
    "AzureDataLakeGen2Sink": object_stores.store_sink(*_AZURE),
    "AzureEventHubsSource": _from(services.EVENT_HUBS),
    "AzureServiceBusSource": _from(services.SERVICE_BUS),
    "BigQuerySink": warehouses.bigquery_sink(sanitizes=True),
    "BigQueryStorageSink": warehouses.bigquery_sink(sanitizes=True),
    "BigTableSink": _to(services.BIGTABLE),
    "ClickHouseSink": warehouses.clickhouse_sink,
    "CosmosDbSink": nosql.cosmos_sink,
    "CosmosDbSource": nosql.cosmos_source,
    "CouchbaseSink": _to(services.COUCHBASE),
    "CouchbaseSource": services.couchbase_source,
    "DatabricksDeltaLakeSink": warehouses.databricks_sink,
    "DatagenSource": services.no_outside,
    "DynamoDbCdcSource": _from(services.DYNAMODB_SOURCE),
    "DynamoDbSink": services.dynamodb_sink,
    "ElasticsearchSink": nosql.search_sink("elasticsearch"),
    "GcsSink": object_stores.store_sink(*_GCS),
    "GcsSource": object_stores.store_source(*_GCS),
    "GithubSource": _from(services.GITHUB),
    "HttpSink": http.http_sink,
    "HttpSinkV2": http.http_sink_v2,
    "HttpSource": http.http_source,
    "HttpSourceV2": http.http_source,
    "IbmMqSink": _to(services.IBM_MQ),
    "IbmMQSource": _from(services.IBM_MQ),
    "InfluxDB2Sink": _to(services.INFLUXDB),
    "InfluxDB2Source": _from(services.INFLUXDB),
    "JiraSource": _from(services.JIRA),
    "KinesisSource": _from(services.KINESIS),
    "LambdaSink": services.lambda_sink,
    "MariaDbCdcSource": debezium.debezium(debezium.MARIADB),
    "MariaDbSource": jdbc.managed_source("mariadb"),
    "MicrosoftSqlServerSink": jdbc.managed_sink("sqlserver"),
    "MicrosoftSqlServerSource": jdbc.managed_source("sqlserver"),
    "MongoDbAtlasSink": mongodb.mongodb_sink,
    "MongoDbAtlasSource": mongodb.mongodb_source,
    "MongoDbCdcSource": debezium.debezium(debezium.MONGODB),
    "MqttSink": _to(services.MQTT),
    "MqttSource": _from(services.MQTT),
    "MySqlCdcSource": debezium.debezium(debezium.MYSQL),
    "MySqlCdcSourceV2": debezium.debezium(debezium.MYSQL),
    "MySqlSink": jdbc.managed_sink("mysql"),
    "MySqlSource": jdbc.managed_source("mysql"),
    "Neo4jSink": _to(services.NEO4J),
    "OpenSearchSink": nosql.search_sink("opensearch"),
    "OracleCdcSource": oracle_cdc.oracle_cdc,
    "OracleDatabaseSink": jdbc.managed_sink("oracle"),
    "OracleDatabaseSource": jdbc.managed_source("oracle"),
    "OracleXStreamSource": debezium.debezium(debezium.ORACLE),
    "PostgresCdcSource": debezium.debezium(debezium.POSTGRES),
    "PostgresCdcSourceV2": debezium.debezium(debezium.POSTGRES),
    "PostgresSink": jdbc.managed_sink("postgres"),
    "PostgresSource": jdbc.managed_source("postgres"),
    "PubSubSource": _from(services.PUBSUB_SUBSCRIPTION),
    "RabbitMQSink": _to(services.RABBITMQ),
    "RabbitMQSource": _from(services.RABBITMQ),
    "RedisSink": _to(services.REDIS),
    "RedshiftSink": warehouses.redshift_sink,
    "S3_SINK": object_stores.store_sink(*_S3),
    "S3Sink": object_stores.store_sink(*_S3),
    "S3Source": object_stores.store_source(*_S3),
    "SalesforceBulkApiSource": _from(_SALESFORCE),
    "SalesforceBulkApiV2Sink": _to(_SALESFORCE),
    "SalesforceBulkApiV2Source": _from(_SALESFORCE),
    "SalesforceCdcSource": _from(_SALESFORCE),
    "SalesforcePlatformEventSink": _to(_SALESFORCE),
    "SalesforcePlatformEventSource": _from(_SALESFORCE),
    "SalesforcePushTopicSource": _from(_SALESFORCE),
    "SalesforceSObjectSink": _to(_SALESFORCE),
    "ServiceNowSink": _to(services.SERVICE_NOW),
    "ServiceNowSource": _from(services.SERVICE_NOW),
    "ServiceNowSourceV2": _from(services.SERVICE_NOW),
    "SftpSink": object_stores.store_sink(*_SFTP),
    "SftpSource": object_stores.folder_source(*_SFTP),
    "SnowflakeSink": warehouses.snowflake_sink,
    "SnowflakeSource": jdbc.managed_source("snowflake"),
    "SpannerSink": _to(services.SPANNER),
    "SqlServerCdcSource": debezium.debezium(debezium.SQLSERVER),
    "SqlServerCdcSourceV2": debezium.debezium(debezium.SQLSERVER),
    "SqsSource": services.sqs_source,
    "ZendeskSource": _from(services.ZENDESK),
}
"""Confluent Cloud's names, compared case-insensitively."""


def find_reader(class_name: str) -> ConnectorReader | None:
    """Return the reader of a class, of Confluent Cloud's name or of a class's short name; None for an unknown class.

    A plug-in's entry point has the name of the connector class; its reader raises PluginError where it cannot be
    loaded, or fails.
    """
    name = class_name.strip()
    if "." in name:
        return CONNECTORS.get(name) or _plug_in(name)
    return _short_names().get(name.lower()) or _plug_in(name)


@cache
def _short_names() -> Mapping[str, ConnectorReader]:
    """Index the names without package that Connect's plug-in loader accepts, with and without `Connector`."""
    short: dict[str, ConnectorReader] = {}
    for name, reader in CONNECTORS.items():
        last = name.rpartition(".")[2].lower()
        short.setdefault(last, reader)
        short.setdefault(last.removesuffix("connector"), reader)
    return short | {name.lower(): reader for name, reader in MANAGED.items()}


def _plug_in(name: str) -> ConnectorReader | None:
    plugin = plugins(PLUGIN_GROUP).get(name)
    return _plugin_reader(plugin) if plugin else None


@cache
def _plugin_reader(plugin: Plugin) -> ConnectorReader:
    read = plugin.load_or_raise_later()

    def reader(connector: Connector) -> ConnectorFlows:
        flows = read(connector)
        if isinstance(flows, ConnectorFlows):
            return flows
        raise plugin.error(f"returned {type(flows).__name__}, which is not ConnectorFlows")

    return reader
