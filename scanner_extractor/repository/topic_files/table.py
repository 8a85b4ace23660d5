"""The table of well-known forms: rows as `.scanner.yaml` has them, each with the source of its members.

Order matters where a document fits several forms: all of them are read, and of two declarations of one name the first
is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from scanner_extractor.repository.settings import TopicFiles

Values = Mapping[str, str | tuple[str, ...]]


class Form(NamedTuple):
    """A well-known form; *grants*: only programs that a file lists may use its topic.

    *describes*: each document describes topics of other files, so that the meaning of its members counts.
    *is_pipeline*: each document is one pipeline, so that what is beside its entries changes their records, too.
    """

    name: str
    rows: tuple[TopicFiles, ...]
    grants: bool = False
    describes: bool = False
    is_pipeline: bool = False


def row(when: Values, **members: str | tuple[str, ...]) -> TopicFiles:
    """Return a row of the table; one text stands for a list of one."""
    listed = {name: _listed(value) for name, value in members.items() if name not in ("files", "each")}
    texts = {name: value for name, value in members.items() if name in ("files", "each")}
    return TopicFiles(when={path: _listed(value) for path, value in when.items()}, **texts, **listed)  # type: ignore[arg-type]


def _listed(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def resource(api: str | tuple[str, ...], *kinds: str, **more: str) -> Values:
    """Return the values of a resource of a group of APIs."""
    return {"$.apiVersion": api, "$.kind": kinds, **more}


_NAME = "$.metadata.name"
_OWNER = ("$.metadata.labels.owner", "$.metadata.labels.team", "$.metadata.annotations.owner")
_JSON_TEXT = ("{*", "[*", '"*"')
"""A schema as a text, of Avro or JSON Schema."""
_SCHEMA_TEXT = (*_JSON_TEXT, " *{*", "\n*{*", "*message *{*", "*syntax*=*")

_KAFKA_APIS = ("*kafka*/*", "*confluent*/*", "*redpanda*/*", "*aiven*/*", "*jikkou*/*", "*strimzi*/*")
_SCHEMA_APIS = ("*schema*/*", "*registry*/*", "*glue*/*")
"""Groups of APIs of Kafka and of registries: operators use any group and any kind that ends in what it is of."""
_OF_KAFKA = ((_KAFKA_APIS, "*"), ("*/*", "Kafka*"))
"""Where a kind is of Kafka: in such a group, or, in any group, if it begins with the name.

Source: IBM Event Streams, `eventstreams.ibm.com`; Koperator, `kafka.banzaicloud.io`.
"""
_COUNT = tuple(f"{digit}*" for digit in range(1, 10))
_REPLICATION = "@.replicationFactor | @.replication_factor | @['replication-factor'] | @.replication | @.replicas"
_WITH_PARTITIONS = (
    "$..[?@.partitions || @.partitionCount || @.partition_count || @.numPartitions || @.num_partitions"
    " || @['num-partitions']]"
)
_LISTED_NAME = "@.topic | @.topicName | @.topic_name | @.name"
_PARTITIONS = (
    "@.partitions | @.partitionCount | @.partition_count | @.numPartitions | @.num_partitions | @['num-partitions']"
)

RESOURCES: tuple[Form, ...] = (
    # Source: Confluent for Kubernetes, API reference: the text of a schema is the member `schema` of a ConfigMap.
    Form(
        "ConfigMap",
        (row({"$.kind": "ConfigMap", "$.data.schema": "*"}, text="{$.metadata.name}/schema", schema="$.data.schema"),),
    ),
    Form(
        "Confluent for Kubernetes",
        (
            row(
                resource("*platform.confluent.io/*", "ClusterLink"),
                program=_NAME,
                reads="$.spec.mirrorTopics[*].name",
            ),
            row(
                {**resource("*platform.confluent.io/*", "ConfluentRolebinding"), "@.resourceType": "Topic"},
                each="$.spec.resourcePatterns[*]",
                principal="{$.spec.principal.type}:{$.spec.principal.name}",
                topic="@.name",
                pattern="@.patternType",
                operations="$.spec.role",
            ),
        ),
    ),
    # Source: Strimzi, AclRule; jikkou, KafkaPrincipalAuthorization; Redpanda operator, ACLRule; Koperator, KafkaUser;
    # Aiven's provider of jikkou, KafkaTopicAclEntry.
    Form(
        "rights of a user",
        (
            *(
                row(
                    {**resource(apis, *kinds), "@.resource.type": ("topic", "TOPIC")},
                    each="$.spec.authorization.acls[*] | $.spec.acls[*]",
                    principal=_NAME,
                    topic="@.resource.name | @.resource.pattern",
                    pattern="@.resource.patternType",
                    permission="@.type",
                    host="@.host",
                    operations=("@.operations[*]", "@.operation"),
                )
                for apis, kinds in (
                    (_KAFKA_APIS, ("User", "RedpandaRole")),
                    ("*/*", ("Kafka*User", "Kafka*Authorization")),
                )
            ),
            row(
                resource("*/*", "KafkaUser"),
                each="$.spec.topicGrants[*]",
                principal=_NAME,
                topic="@.topicName",
                operations="@.accessType",
            ),
            row(
                resource("kafka.aiven.io/*", "KafkaTopicAclEntry"),
                principal="$.spec.username",
                topic="$.spec.topic",
                operations="$.spec.permission",
            ),
        ),
    ),
    # Source: ns4kafka (Michelin), user guide; Conduktor, Console and Gateway resources.
    Form(
        "ns4kafka or Conduktor",
        (
            row(
                resource(("v1", "kafka/*"), "Topic"),
                topic=_NAME,
                partitions="$.spec.partitions",
                replication="$.spec.replicationFactor",
                config="$.spec.configs",
                description=("$.metadata.description", "$.spec.description"),
                owner=(*_OWNER, "$.metadata.namespace"),
                tags="$.spec.tags[*]",
            ),
            row(
                resource(("v1", "kafka/*"), "Schema", "Subject"),
                subject=_NAME,
                schema="$.spec.schema",
                schema_file="$.spec.schemaFile",
                format=("$.spec.schemaType", "$.spec.format"),
                compatibility="$.spec.compatibility",
                references="$.spec.references[*]",
            ),
            row(
                resource(("v1", "kafka/*"), "Connector"),
                connector=_NAME,
                settings="$.spec.config",
            ),
            row(
                {**resource("v1", "AccessControlEntry"), "$.spec.resourceType": "TOPIC"},
                principal="User:{$.spec.grantedTo}",
                topic="$.spec.resource",
                pattern="$.spec.resourcePatternType",
                operations="$.spec.permission",
            ),
            row(
                {**resource(("kafka/*", "v1"), "ServiceAccount"), "@.type": "TOPIC"},
                each="$.spec.authorization.acls[*]",
                principal="User:{$.metadata.name}",
                topic="@.name",
                pattern="@.patternType",
                permission="@.permission",
                host="@.host",
                operations="@.operations[*]",
            ),
            row(
                {
                    **resource("self-serve/*", "ApplicationInstancePermission"),
                    "$.spec.resource.type": "TOPIC",
                    "$.spec.serviceAccountPermission | $.spec.permission": ("READ", "WRITE"),
                },
                principal="User:{$.spec.grantedTo}",
                topic="$.spec.resource.name",
                pattern="$.spec.resource.patternType",
                operations="$.spec.serviceAccountPermission | $.spec.permission",
            ),
            row(
                resource("gateway/*", "AliasTopic"), topic="$.spec.physicalName", description="alias {$.metadata.name}"
            ),
        ),
    ),
    # Source: NAIS documentation, "Kafka topic reference": the full name of a topic is `namespace.name`.
    Form(
        "NAIS topic",
        (
            row(
                resource("kafka.nais.io/*", "Topic"),
                topic=("{$.metadata.namespace}.{$.metadata.name}", "{$.metadata.labels.team}.{$.metadata.name}"),
                readers="$.spec.acl[?@.access == 'read' || @.access == 'readwrite'].application",
                writers="$.spec.acl[?@.access == 'write' || @.access == 'readwrite'].application",
                owner=("$.metadata.labels.team", "$.metadata.namespace"),
                description="$.metadata.annotations['dcat.data.nav.no/description']",
            ),
        ),
        grants=True,
        describes=True,
    ),
    # The topics that an application requests; only names of variables show who reads them.
    # Source: Clowder's API reference, KafkaTopicSpec.
    Form(
        "ClowdApp",
        (
            row(resource("cloud.redhat.com/*", "ClowdApp"), each="$.spec.kafkaTopics[*]", topic="@.topicName"),
            row(
                resource("cloud.redhat.com/*", "ClowdApp"),
                each="$.spec.deployments[*]",
                program="{$.metadata.name}-{@.name}",
                reads="@.podSpec.env[?search(@.name, 'CONSUM.*TOPICS?$')].value",
                writes="@.podSpec.env[?search(@.name, 'PRODUCE.*TOPICS?$')].value",
            ),
        ),
        describes=True,
    ),
    # Source: AWS Controllers for Kubernetes and Crossplane's provider, EventSourceMapping of Lambda; Numaflow, Kafka
    # source and sink; Argo Events, API of EventSource and Sensor; Knative Eventing, API of its Kafka extensions; Dapr,
    # component schemas; KEDA, scaler "Apache Kafka"; Camel K, bindings of Kamelets of Kafka and of Strimzi's topics;
    # jikkou, consumer groups.
    Form(
        "event source or sink",
        (
            row(
                resource("argoproj.io/*", "EventSource"),
                each="$.spec.kafka.*",
                program="{$.metadata.name}",
                reads="@.topic",
            ),
            row(
                resource("eventing.knative.dev/*", "Broker"),
                program=_NAME,
                **dict.fromkeys(
                    ("reads", "writes"), "$.metadata.annotations['kafka.eventing.knative.dev/external.topic']"
                ),
            ),
            row(
                resource("numaflow.numaproj.io/*", "Pipeline"),
                each="$.spec.vertices[*]",
                program="{$.metadata.name}-{@.name}",
                reads="@.source.kafka.topic",
                writes="@.sink.kafka.topic",
            ),
            row(
                resource("argoproj.io/*", "Sensor"),
                each="$.spec.triggers[*].template.kafka",
                program="{$.metadata.name}",
                writes="@.topic",
            ),
            row(
                resource("argoproj.io/*", "EventBus"),
                program="{$.metadata.name}",
                reads="$.spec.kafka.topic",
                writes="$.spec.kafka.topic",
            ),
            row(
                resource("*lambda*/*", "EventSourceMapping"),
                program=(
                    "$.spec.functionName",
                    "$.spec.forProvider.functionName",
                    "$.spec.functionRef.from.name",
                    "$.spec.forProvider.functionNameRef.name",
                    _NAME,
                ),
                reads="$.spec.topics[*] | $.spec.forProvider.topics[*]",
            ),
            row(
                resource("sources.knative.dev/*", "KafkaSource"),
                program=("$.spec.sink.ref.name", _NAME),
                reads="$.spec.topics[*]",
            ),
            row(resource("eventing.knative.dev/*", "KafkaSink"), program=_NAME, writes="$.spec.topic"),
            row(
                resource("dapr.io/*", "Subscription"),
                program=("$.scopes[*]", _NAME),
                reads="$.spec.topic",
            ),
            row(
                {**resource("dapr.io/*", "Component"), "$.spec.type": "bindings.kafka"},
                program=("$.scopes[*]", _NAME),
                reads="$.spec.metadata[?@.name == 'topics'].value",
                writes="$.spec.metadata[?@.name == 'publishTopic'].value",
            ),
            *(
                row(
                    {**resource("camel.apache.org/*", "KameletBinding", "Pipe"), f"$.spec.{end}.ref.{member}": value},
                    program=_NAME,
                    **{use: f"$.spec.{end}.{path}"},
                )
                for end, use in (("source", "reads"), ("sink", "writes"))
                for member, value, path in (
                    ("name", "kafka*", "properties.topic"),
                    ("kind", "KafkaTopic", "ref.name"),
                )
            ),
            row(
                {
                    **resource(("logging.openshift.io/*", "observability.openshift.io/*"), "ClusterLogForwarder"),
                    "@.type": "kafka",
                },
                each="$.spec.outputs[*]",
                program="{$.metadata.name}-{@.name}",
                writes=("@.kafka.topic", "{last @.kafka.url}", "{last @.url}"),
            ),
            row(
                resource("*jikkou*/*", "KafkaConsumerGroup"),
                each="$.status.offsets[*]",
                program=_NAME,
                reads="@.topic",
            ),
            row(resource("*jikkou*/*", "KafkaTableRecord"), program=(_NAME, "jikkou:{file}"), writes="$.spec.topic"),
            row(
                {**resource("keda.sh/*", "ScaledObject", "ScaledJob"), "@.type": ("kafka", "apache-kafka")},
                each="$.spec.triggers[*]",
                program=("$.spec.scaleTargetRef.name", _NAME),
                reads="@.metadata.topic",
            ),
        ),
    ),
    # Operators have the name in `metadata` or `spec`, or in `spec.forProvider` as Crossplane does. Source:
    # references of Confluent for Kubernetes, jikkou, Redpanda, Aiven, Crossplane, Koperator, and operators of schemas.
    Form(
        "resource of Kafka",
        (
            *(
                row(
                    resource(apis, f"{start}Topic"),
                    topic=(
                        "$.spec.topicName",
                        "$.spec.overwriteTopicName",
                        "$.spec.forProvider.topicName",
                        "$.spec.forProvider.name",
                        "$.metadata.annotations['crossplane.io/external-name']",
                        "$.spec.name",
                        _NAME,
                    ),
                    partitions="$.spec.partitions | $.spec.partitionCount | $.spec.parameters.partitions"
                    " | $.spec.forProvider.partitions | $.spec.forProvider.partitionsCount",
                    replication="$.spec.replication | $.spec.replicationFactor | $.spec.parameters.replicationFactor"
                    " | $.spec.forProvider.replicationFactor | $.spec.replicas",
                    config="$.spec.config | $.spec.configs | $.spec.parameters.configs | $.spec.additionalConfig"
                    " | $.spec.forProvider.config",
                    owner=_OWNER,
                )
                for apis, start in _OF_KAFKA
            ),
            row(
                resource((*_KAFKA_APIS, *_SCHEMA_APIS), "*Schema", "*Subject", "*SchemaVersion"),
                absent="$.metadata.annotations['jikkou.io/delete']",
                subject=(
                    "$.spec.subjectName",
                    "$.spec.subject",
                    "$.spec.forProvider.subjectName",
                    "$.spec.forProvider.subject",
                    "$.spec.forProvider.name",
                    "{$.spec.topicName}-value",
                    "$.spec.name",
                    _NAME,
                ),
                schema=(
                    "$.spec.schema",
                    "$.spec.data.schema",
                    "$.spec.forProvider.schema",
                    "$.spec.schemaDefinition",
                    "$.spec.forProvider.schemaDefinition",
                    "$.spec.definition",
                    "$.spec.text",
                ),
                schema_in="{$.spec.data.configRef}/schema",
                schema_file=("$.spec.schema['$ref']", "$.spec.schemaFile"),
                format="$.spec.schemaType | $.spec.format | $.spec.data.format | $.spec.dataFormat"
                " | $.spec.forProvider.schemaType | $.spec.forProvider.format | $.spec.forProvider.dataFormat",
                compatibility="$.spec.compatibilityLevel | $.spec.compatibility | $.spec.data.compatibility"
                " | $.spec.forProvider.compatibilityLevel | $.spec.forProvider.compatibility",
                references="$.spec.references[*] | $.spec.schemaReferences[*]",
            ),
            *(
                row(
                    resource(apis, f"{start}Connector"),
                    connector=("$.spec.name", _NAME),
                    connector_class="$.spec.connectorClass | $.spec.class | $.spec.connectorConfigs.class"
                    " | $.spec.forProvider.connectorClass",
                    settings="$.spec.userConfig | $.spec.config | $.spec.configs | $.spec.connectorConfigs.configs"
                    " | $.spec.forProvider.config | $.spec.forProvider.connectorConfiguration",
                )
                for apis, start in _OF_KAFKA
            ),
            row(
                resource("aiven.io/*", "ServiceIntegration"),
                each="$.spec.clickhouseKafka.tables[*]",
                program=("{$.spec.destinationServiceName}.{@.name}", "@.name"),
                reads="@.topics[*].name",
            ),
            row(
                resource("aiven.io/*", "ServiceIntegration"),
                program=("$.spec.sourceServiceName", _NAME),
                writes="$.spec.kafkaLogs.kafka_topic",
            ),
            row(
                resource("aiven.io/*", "KafkaACL"),
                principal="User:{$.spec.username}",
                topic="$.spec.topic",
                operations="$.spec.permission",
            ),
            row(
                {**resource("aiven.io/*", "KafkaNativeACL"), "$.spec.resourceType": "Topic"},
                principal="$.spec.principal",
                topic="$.spec.resourceName",
                pattern="$.spec.patternType",
                permission="$.spec.permissionType",
                host="$.spec.host",
                operations="$.spec.operation",
            ),
            row(
                {**resource("*kafka*/*", "AccessControlList", "ACL"), "$.spec.forProvider.resourceType": "Topic"},
                principal="$.spec.forProvider.resourcePrincipal",
                topic="$.spec.forProvider.resourceName",
                pattern="$.spec.forProvider.resourcePatternTypeFilter",
                permission="$.spec.forProvider.resourcePermissionType",
                host="$.spec.forProvider.resourceHost",
                operations="$.spec.forProvider.resourceOperation",
            ),
        ),
    ),
)

_SINGLE = "$ | $[*]"


def _registered(each: str, when: Values, subject: tuple[str, ...] = ("@.subject",), files: str = "") -> TopicFiles:
    """Return a row of schemas as a registry takes and gives them."""
    return row(
        when,
        files=files,
        each=each,
        subject=subject,
        schema="@.schema",
        format="@.schemaType",
        version="@.version",
        references="@.references[*]",
        absent="@.deleted",
    )


_LISTS = "$[*] | $.schemas[*] | $.subjects[*] | $.*[*]"

EXPORTS: tuple[Form, ...] = (
    # Source: Schema Registry API reference, POST /subjects/(subject)/versions and GET /schemas; AWS Glue,
    # CreateSchema; Apicurio Registry, REST API v3; xRegistry, schema registry.
    Form(
        "request or answer of a registry",
        (
            _registered("$", {"@.schema": _SCHEMA_TEXT, "@.subject": "*"}),
            _registered("$", {"@.schema.type": "*", "@.subject": "*"}),
            _registered(_LISTS, {"@.schema": _SCHEMA_TEXT, "@.subject": "*"}),
            _registered("$", {"@.schema": _SCHEMA_TEXT}, (), "**/*.json"),
            row(
                {"@.SchemaName": "*", "@.SchemaDefinition": "*"},
                each=_SINGLE,
                subject="@.SchemaName",
                schema="@.SchemaDefinition",
                format="@.DataFormat",
                compatibility="@.Compatibility",
            ),
            row(
                {"@.artifactId": "*"},
                each=_SINGLE,
                subject="@.artifactId",
                schema="@.firstVersion.content.content | @.content",
                format="@.artifactType",
            ),
            row(
                {"$.schemagroups": "*", "@.schema": "*"},
                each="$.schemagroups.*.schemas.*.versions.*",
                subject="{key.3}",
                schema="@.schema",
                format="@.format",
            ),
        ),
    ),
    Form(
        "export of a registry by subject",
        (
            _registered("$.*", {"@.schema": _SCHEMA_TEXT}, ("@.subject", "{key}"), "**/*.json"),
            _registered("$.*[*]", {"@.schema": _SCHEMA_TEXT, "@.version": "*"}, ("@.subject", "{key.0}"), "**/*.json"),
        ),
    ),
    # Source: schema-registry-gitops (domnikl), README.
    Form(
        "schema-registry-gitops",
        (
            row({"$.subjects[*].name": "*", "$.compatibility": "*"}, compatibility="$.compatibility"),
            row(
                {"$.subjects[*].name": "*"},
                each="$.subjects[*]",
                subject="@.name",
                schema="@.schema",
                schema_file="@.file",
                format="@.type",
                compatibility="@.compatibility",
                references="@.references[*]",
            ),
        ),
    ),
)

_FUNCTION = "$.functions.*.events[*]"


def _stack(type_: str, **members: str | tuple[str, ...]) -> TopicFiles:
    """Return a row of a resource in a stack of CloudFormation."""
    return row({"@.Type": type_}, each="$.Resources.*", **members)


def _pulumi(types: str | tuple[str, ...], **members: str | tuple[str, ...]) -> TopicFiles:
    """Return a row of a resource in a program of Pulumi in YAML."""
    return row({"$.runtime": "yaml", "@.type": types}, each="$.resources.*", **members)


STACKS: tuple[Form, ...] = (
    # Source: AWS CloudFormation template reference, and AWS SAM: event sources MSK and SelfManagedKafka.
    Form(
        "CloudFormation",
        (
            _stack(
                "AWS::Glue::Schema",
                subject="@.Properties.Name",
                schema="@.Properties.SchemaDefinition",
                format="@.Properties.DataFormat",
                compatibility="@.Properties.Compatibility",
            ),
            _stack(
                "AWS::Glue::SchemaVersion",
                subject=("@.Properties.Schema.SchemaName", "{key}"),
                schema="@.Properties.SchemaDefinition",
            ),
            _stack(
                "AWS::MSK::Topic",
                topic="@.Properties.TopicName",
                partitions="@.Properties.PartitionCount",
                replication="@.Properties.ReplicationFactor",
            ),
            _stack(
                "AWS::KafkaConnect::Connector",
                connector=("@.Properties.ConnectorName", "{key}"),
                settings="@.Properties.ConnectorConfiguration",
            ),
            _stack(
                "AWS::Lambda::EventSourceMapping",
                program=("@.Properties.FunctionName", "@.Properties.FunctionName.Ref", "{key}"),
                reads="@.Properties.Topics[*]",
            ),
            _stack(
                "AWS::KinesisFirehose::DeliveryStream",
                program=("@.Properties.DeliveryStreamName", "{key}"),
                reads="@.Properties.MSKSourceConfiguration.TopicName",
            ),
            _stack(
                "AWS::Pipes::Pipe",
                program=("@.Properties.Name", "{key}"),
                reads="@.Properties.SourceParameters.ManagedStreamingKafkaParameters.TopicName"
                " | @.Properties.SourceParameters.SelfManagedKafkaParameters.TopicName",
            ),
            _stack(
                "AWS::IoT::TopicRule",
                program=("@.Properties.RuleName", "{key}"),
                writes="@.Properties.TopicRulePayload.Actions[*].Kafka.Topic",
            ),
            _stack(
                "AWS::DMS::Endpoint",
                program=("@.Properties.EndpointIdentifier", "{key}"),
                writes="@.Properties.KafkaSettings.Topic",
            ),
            _stack(
                "AWS::MSK::Replicator",
                program=("@.Properties.ReplicatorName", "{key}"),
                reads="@.Properties.ReplicationInfoList[*].TopicReplication.TopicsToReplicate[*]",
            ),
            row(
                {"@.Type": ("MSK", "SelfManagedKafka"), "@.Properties.Topics": "*"},
                each="$.Resources.*.Properties.Events.*",
                program="{key.1}",
                reads="@.Properties.Topics[*]",
            ),
        ),
    ),
    # Source: Serverless Framework, events `msk` and `kafka`.
    Form(
        "Serverless Framework",
        (
            row({"@.msk.topic": "*"}, each=_FUNCTION, program="{key.1}", reads="@.msk.topic"),
            row({"@.kafka.topic": "*"}, each=_FUNCTION, program="{key.1}", reads="@.kafka.topic"),
        ),
    ),
    # Source: Pulumi YAML reference; packages kafka, confluentcloud, aiven, aws.
    Form(
        "Pulumi YAML",
        (
            _pulumi(
                ("kafka:*opic", "confluentcloud:*opic", "aiven:*opic", "redpanda:*opic"),
                topic=("@.properties.topicName", "@.properties.name", "{key}"),
                partitions="@.properties.partitions | @.properties.partitionsCount",
                replication="@.properties.replicationFactor | @.properties.replication",
                config="@.properties.config",
            ),
            _pulumi(
                ("confluentcloud:*chema", "aiven:*chema", "aws:glue*chema"),
                subject=("@.properties.subjectName", "@.properties.schemaName", "{key}"),
                schema="@.properties.schema | @.properties.schemaDefinition",
                format="@.properties.format | @.properties.schemaType | @.properties.dataFormat",
                compatibility="@.properties.compatibility | @.properties.compatibilityLevel",
            ),
            _pulumi(
                ("confluentcloud:*onnector", "aws:mskconnect*onnector", "aiven:*onnector"),
                connector=(
                    "@.properties.connectorName",
                    "@.properties.configNonsensitive.name",
                    "@.properties.name",
                    "{key}",
                ),
                settings="@.properties.configNonsensitive | @.properties.connectorConfiguration | @.properties.config",
            ),
            _pulumi(
                "kafka:*cl",
                principal="@.properties.aclPrincipal",
                topic="@.properties.aclResourceName",
                pattern="@.properties.resourcePatternTypeFilter",
                permission="@.properties.aclPermissionType",
                host="@.properties.aclHost",
                operations="@.properties.aclOperation",
            ),
        ),
    ),
    # Source: topicctl (Segment), README: topic configurations.
    Form(
        "topicctl",
        (
            row(
                {"$.meta.name": "*", "$.meta.cluster": "*", "$.spec.partitions": "*"},
                topic="$.meta.name",
                partitions="$.spec.partitions",
                replication="$.spec.replicationFactor",
                config="$.spec.settings",
                description="$.meta.description",
                owner=("$.meta.labels.owner", "$.meta.labels.team"),
            ),
            row(
                {"$.meta.name": "*", "$.meta.cluster": "*", "@.resource.type": "topic"},
                each="$.spec.acls[*]",
                principal="@.resource.principal",
                topic="@.resource.name",
                pattern="@.resource.patternType",
                permission="@.resource.permission",
                host="@.resource.host",
                operations="@.operations[*]",
            ),
        ),
    ),
)

_CONF = "**/*.conf"
_OF_SIGNALS = " | ".join(
    f"@{signal}.{member}"
    for signal in ("", ".traces", ".logs", ".metrics", ".profiles")
    for member in ("topic", "topics[*]")
)

PIPELINES: tuple[Form, ...] = (
    # Source: Redpanda, `rpk transform`: transform.yaml.
    Form(
        "Redpanda transform",
        (
            row(
                {"$.input-topic": "*", "$.language": "*"},
                program="$.name",
                reads="$.input-topic",
                writes=("$.output-topics[*]", "$.output-topic"),
            ),
        ),
    ),
    # Source: Apache Druid, Kafka ingestion: supervisor spec, with or without `spec` around it.
    Form(
        "Druid supervisor",
        (
            row(
                {"$.type": "kafka", "$.spec.ioConfig": "*"},
                program="druid:{$.spec.dataSchema.dataSource}",
                reads="$.spec.ioConfig.topic",
            ),
            row(
                {"$.type": "kafka", "$.ioConfig": "*"},
                program="druid:{$.dataSchema.dataSource}",
                reads="$.ioConfig.topic",
            ),
        ),
    ),
    # Source: Apache Pinot, stream ingestion; `realtime` is around a table of the API.
    Form(
        "Pinot table",
        tuple(
            row(
                {f"{root}.tableType": "REALTIME", f"{root}..['stream.kafka.topic.name']": "*"},
                program=f"pinot:{{{root}.tableName}}",
                reads=f"{root}.tableIndexConfig.streamConfigs['stream.kafka.topic.name']"
                f" | {root}.ingestionConfig.streamIngestionConfig.streamConfigMaps[*]['stream.kafka.topic.name']",
            )
            for root in ("$", "$.realtime")
        ),
    ),
    # Source: Apache Beam, YAML API reference: Kafka transforms, at any depth.
    Form(
        "Beam YAML",
        (
            row(
                {"$.pipeline.transforms": "*"},
                program="{file}",
                reads="$..[?@.type == 'ReadFromKafka'].config.topic",
                writes="$..[?@.type == 'WriteToKafka'].config.topic",
            ),
        ),
    ),
    # Source: Vector, `kafka` source and sink; Telegraf, plug-ins `kafka_consumer` and `kafka`; Filebeat, input and
    # output Kafka; Fluent Bit and Logstash, plug-ins Kafka; rsyslog, modules omkafka and imkafka; Grafana Alloy,
    # components of Loki and of OpenTelemetry for Kafka; OpenTelemetry Collector, Kafka receiver and exporter, with
    # a topic of the component or of each signal.
    Form(
        "agent",
        (
            row({"@.type": "kafka"}, each="$.sources.*", program="vector:{key}", reads="@.topics[*]"),
            row({"@.type": "kafka"}, each="$.sinks.*", program="vector:{key}", writes="@.topic"),
            row({}, each="$.inputs.kafka_consumer[*]", program="telegraf:{file}", reads="@.topics[*]"),
            row({}, each="$.outputs.kafka[*]", program="telegraf:{file}", writes="@.topic"),
            row({"@.type": "kafka"}, each="$['filebeat.inputs'][*]", program="filebeat:{file}", reads="@.topics[*]"),
            row({"@.hosts": "*"}, each="$['output.kafka']", program="{file}", writes="@.topic"),
            row({"@.name": "kafka"}, each="$.pipeline.inputs[*]", program="fluent-bit:{file}", reads="@.topics"),
            row({"@.name": "kafka"}, each="$.pipeline.outputs[*]", program="fluent-bit:{file}", writes="@.topics"),
            *(
                row(
                    {"@.Name | @.name": ("kafka", "Kafka")},
                    files=_CONF,
                    each=f"$.{section}[*]",
                    program="fluent-bit:{file}",
                    **{use: "@.Topics | @.topics"},
                )
                for section, use in (("INPUT", "reads"), ("OUTPUT", "writes"))
            ),
            row({"@.type": "omkafka"}, files=_CONF, each="$.action[*]", program="rsyslog:{file}", writes="@.topic"),
            row({"@.type": "imkafka"}, files=_CONF, each="$.input[*]", program="rsyslog:{file}", reads="@.topic"),
            *(
                row({}, files="**/*.alloy", each=f"$['{name}'][*]", program="alloy:{file}", **{use: topics})
                for name, use, topics in (
                    ("loki.source.kafka", "reads", "@.topics[*]"),
                    ("otelcol.receiver.kafka", "reads", "@.topic"),
                    ("otelcol.exporter.kafka", "writes", "@.topic"),
                )
            ),
            row(
                {}, files=_CONF, each="$.input..kafka[*]", program="logstash:{file}", reads=("@.topics[*]", "@.topics")
            ),
            row({}, files=_CONF, each="$.output..kafka[*]", program="logstash:{file}", writes="@.topic_id"),
            *(
                row(
                    resource("opentelemetry.io/*", "OpenTelemetryCollector"),
                    each=f"$.spec.config.{part}[?match(#, 'kafka(/.*)?')]",
                    program="{$.metadata.name}:{key}",
                    **{use: _OF_SIGNALS},
                )
                for part, use in (("receivers", "reads"), ("exporters", "writes"))
            ),
            *(
                row(
                    {"@.brokers": "*"},
                    each=f"$.{part}[?match(#, 'kafka(/.*)?')]",
                    program="otelcol:{key}",
                    **{use: _OF_SIGNALS},
                )
                for part, use in (("receivers", "reads"), ("exporters", "writes"))
            ),
        ),
        is_pipeline=True,
    ),
    # Source: Tinybird, datasource files; Quickwit, source config; OpenSearch Data Prepper, Kafka source and sink.
    Form(
        "ingestion",
        (
            row({"$.KAFKA_TOPIC": "*"}, files="**/*.datasource", program="tinybird:{file}", reads="$.KAFKA_TOPIC"),
            row({"$.source_type": "kafka"}, program=("$.source_id", "{file}"), reads="$.params.topic"),
            row({"@.topics": "*"}, each="$.*.source.kafka", program="{key.0}", reads="@.topics[*].name"),
            row({"@.topic": "*"}, each="$.*.sink[*].kafka", program="{key.0}", writes="@.topic.name | @.topic"),
        ),
        is_pipeline=True,
    ),
    # Source: xRegistry, endpoint registry: who offers an endpoint as a producer writes to its topic.
    Form(
        "endpoint of a registry",
        tuple(
            row(
                {"$.endpoints": "*", "@.protocol": ("KAFKA*", "Kafka*", "kafka*"), "@.usage | @.usage[*]": usages},
                each="$.endpoints.*",
                program="{key}",
                **{use: "@.protocoloptions.options.topic | @.protocoloptions.topic"},
            )
            for use, usages in (("writes", "producer"), ("reads", ("consumer", "subscriber")))
        ),
    ),
    # Source: SeaTunnel, connectors Kafka; NiFi, processors ConsumeKafka and PublishKafka, with or without a version.
    Form(
        "flow",
        (
            *(
                row(
                    {"$.env": "*"},
                    files=_CONF,
                    each=f"$.{section}..{name}[*]",
                    program=("$.env[*]['job.name']", "seatunnel:{file}"),
                    **{use: "@.topic"},
                )
                for section, use in (("source", "reads"), ("sink", "writes"))
                for name in ("Kafka", "kafka")
            ),
            *(
                row(
                    {"@.properties": "*"},
                    each=f"$..processors[?search(@.type, '[.]{does}Kafka')]",
                    program="nifi:{@.name}",
                    description="@.comments | @.position.*",
                    **{use: "@.properties.topic | @.properties.Topics | @.properties['Topic Name']"},
                )
                for does, use in (("Consume", "reads"), ("Publish", "writes"))
            ),
        ),
        is_pipeline=True,
    ),
    # Source: Trino and Presto, Kafka connector: table definition files.
    Form(
        "Trino table",
        (
            row(
                {"$.tableName": "*", "$.topicName": "*", "$.*.dataFormat": "*"},
                program=("trino:{$.schemaName}.{$.tableName}", "trino:{$.tableName}"),
                reads="$.topicName",
            ),
        ),
    ),
    # Source: Zilla, bindings of Kafka and those that map another protocol to it: what is not produced is fetched.
    Form(
        "Zilla",
        (
            row(
                {"@.type": "*kafka*", "@.kind": "*"},
                each="$.bindings.*",
                program="zilla:{key}",
                reads="@.routes[?@.with.capability != 'produce'].with.topic",
                writes="@.routes[?@.with.capability == 'produce'].with.topic",
            ),
        ),
        is_pipeline=True,
    ),
    # Source: Quix, project descriptor `quix.yaml`.
    Form(
        "Quix project",
        (
            row(
                {"$.deployments[*].application": "*"},
                each="$.topics[*]",
                topic="@.name",
                partitions="@.configuration.partitions",
                replication="@.configuration.replicationFactor",
            ),
            row(
                {"@.application": "*"},
                each="$.deployments[*]",
                program="@.application",
                reads="@.variables[?@.inputType == 'InputTopic'].value",
                writes="@.variables[?@.inputType == 'OutputTopic'].value",
                description="@.variables[*].description",
            ),
        ),
    ),
    # Source: Apache Camel, YAML DSL and Kafka component: an endpoint is `kafka:topic?options`, or has parameters.
    Form(
        "Camel route",
        tuple(
            row(
                {path: f"{start}*"},
                each=each,
                program="{file}",
                description="$..description",
                **{use: topic},
            )
            for each, use in (("$..from", "reads"), ("$..steps[*].to", "writes"), ("$..steps[*].toD", "writes"))
            for path, start, topic in (
                ("@.uri", "kafka:", "{path @.uri}"),
                ("@", "kafka:", "{path @}"),
                ("@.uri", "kafka", "@.parameters.topic"),
                ("@.uri", "kamelet:kafka-", "@.parameters.topic"),
            )
        )
        + tuple(
            row({"@.uri": "kafka:*"}, files="**/*.xml", each=f"$..{name}[*]", program="{file}", **{use: "{path @.uri}"})
            for name, use in (("from", "reads"), ("to", "writes"), ("toD", "writes"))
        ),
        is_pipeline=True,
    ),
    # Lists of topics that tools and scripts of a house create: what has a name, partitions and replicas, or is in a
    # list `topics` and has partitions; it may list the programs that use it.
    Form(
        "list of topics",
        tuple(
            row(
                {_PARTITIONS: _COUNT, **more},
                each=each,
                topic=_LISTED_NAME,
                partitions=_PARTITIONS,
                replication=_REPLICATION,
                config="@.config | @.configs | @.configuration | @.settings",
                owner="@.owner | @.team",
                description="@.description",
                readers="@.consumers[*]",
                writers="@.producers[*]",
            )
            for each, more in ((_WITH_PARTITIONS, {_REPLICATION: _COUNT}), ("$..topics[*]", {}))
        ),
    ),
    # Source: wurstmeister/kafka-docker, README: `KAFKA_CREATE_TOPICS` lists topics with their partitions.
    Form(
        "topics of an image",
        (
            row(
                {"@.KAFKA_CREATE_TOPICS": "*"},
                each="$.services.*.environment",
                topic="@.KAFKA_CREATE_TOPICS",
            ),
            row({"@": "KAFKA_CREATE_TOPICS=*"}, each="$.services.*.environment[*]", topic="@"),
            row({"$.kind": "*", "@.name": "KAFKA_CREATE_TOPICS"}, each="$.spec..env[*]", topic="@.value"),
        ),
    ),
    # A list `topics` of names, or of what has a name, in a file that says it has topics of Kafka.
    # Source: kafka-topic-admin, README.
    Form(
        "file of topics",
        tuple(
            row(
                {name: "*"},
                files=files,
                each="$.topics[*]",
                topic=name,
                owner="@.owner | @.team",
                description="@.description",
                readers="@.consumers[*]",
                writers=("@.producers[*]", "@.producer"),
            )
            for files in ("**/*kafka*topics*.y*ml", "**/kafka/**/topics.y*ml")
            for name in ("@", _LISTED_NAME)
        ),
    ),
    # Source: Flink CDC, pipeline connector Kafka: without `topic` each table has one of its own.
    Form(
        "Flink CDC pipeline",
        (
            row(
                {"$.source.type": "*", "$.sink.type": ("kafka", "upsert-kafka")},
                program=("$.pipeline.name", "{file}"),
                writes="$.sink.topic",
            ),
        ),
    ),
)

_SCHEMA_FILES = " | ".join(
    f"$.{member}{part}"
    for member in ("schemas[*]", "schema")
    for part in (".resource", ".file", ".path", ".schema", "")
)
DESCRIPTIONS = row(
    {},
    topic=("$.topic", "{file}"),
    readers="$.services.consumers[*] | $.consumers[*]",
    writers="$.services.producers[*] | $.producers[*]",
    owner=("$.owner", "$.team"),
    description="$.description",
    tags="$.pipeline",
    schemas=_SCHEMA_FILES,
)
"""A file that describes one topic: its users, or the files of its schemas."""

FORMS = (*RESOURCES, *EXPORTS, *STACKS, *PIPELINES)
