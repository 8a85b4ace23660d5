"""What Java, Kotlin and Scala share: libraries, build files, and the methods of the standard library."""

from __future__ import annotations

import re
from collections.abc import Mapping

from scanner_extractor.repository.languages.language import (
    BINDING,
    CHANNEL_IN,
    CHANNEL_OUT,
    Access,
    Note,
    Rule,
    Values,
)
from scanner_extractor.repository.syntax_trees import words

_R, _W, _C = Access.READ, Access.WRITE, Access.CREATE
_STREAMS = r"StreamsBuilder|KStream|KTable|kstream|org\.apache\.kafka\.streams|Topology\b"
_FLINK = r"flink"
_SENDERS = r"KafkaTemplate|ReactiveKafkaProducerTemplate|KafkaOperations|kafka|Kafka"

CALLS: Mapping[str, tuple[Rule, ...]] = {
    # producers
    "ProducerRecord": (Rule(_W, names=("topic",)),),
    "send": (
        Rule(_W, names=("topic",), needs=_SENDERS, on=r"(?i)template|producer|kafka|client|operations"),
        Rule(_W, needs="StreamBridge", on=r"(?i)bridge"),
    ),
    "sendAsync": (Rule(_W, names=("topic",)),),
    "create": (Rule(_W, needs="KafkaProducerRecord", on="^KafkaProducerRecord$"),),
    "produce": (Rule(_W, names=("topic",), needs=r"(?i)kafka|confluent|producer"),),
    "setHeader": (Rule(_W, at=1, needs=r"KafkaHeaders"),),
    # consumers
    "subscribe": (Rule(_R, names=("topics", "topic")),),
    "assign": (Rule(_R),),
    "Subscribe": (Rule(_R, needs="ConsumerStrategies"),),
    "Assign": (Rule(_R, needs="ConsumerStrategies"),),
    "subscription": (Rule(_R, needs="ReceiverOptions"),),
    "subscribeTo": (Rule(_R, needs="fs2", several=True),),
    "topics": (Rule(_R, needs=r"Subscription", on=r"Subscription", several=True),),
    # stream processors
    "stream": (Rule(_R, needs=_STREAMS, streams=True),),
    "table": (Rule(_R, needs=_STREAMS, streams=True),),
    "globalTable": (Rule(_R, needs=_STREAMS, streams=True),),
    "to": (Rule(_W, needs=_STREAMS, streams=True),),
    "through": (Rule(_W, needs=_STREAMS, streams=True),),
    "addSource": (Rule(_R, at=1, needs=_STREAMS, several=True, streams=True),),
    "addGlobalStore": (Rule(_R, at=-3, needs=_STREAMS, streams=True),),
    "addSink": (Rule(_W, at=1, needs=_STREAMS, streams=True),),
    "setTopics": (Rule(_R, needs=_FLINK, several=True, streams=True),),
    "setTopic": (Rule(_W, needs=_FLINK, streams=True),),
    "FlinkKafkaConsumer": (Rule(_R, streams=True),),
    "FlinkKafkaProducer": (Rule(_W, streams=True),),
    # topics
    "NewTopic": (Rule(_C, names=("topic", "name")),),
    "name": (Rule(_C, needs="TopicBuilder", on="TopicBuilder"),),
}

NOTES: Mapping[str, Note] = {
    "KafkaListener": Note(_R, ("topics", "topicPartitions"), needs=r"springframework|KafkaListener"),
    "SendTo": Note(_W, ("value",), needs=r"springframework\.kafka|KafkaListener|StreamListener|micronaut"),
    "StreamListener": Note(_R, ("target", "value"), BINDING),
    "Input": Note(_R, ("value",), BINDING, r"cloud\.stream"),
    "Output": Note(_W, ("value",), BINDING, r"cloud\.stream"),
    "Incoming": Note(_R, ("value",), CHANNEL_IN),
    "Outgoing": Note(_W, ("value",), CHANNEL_OUT),
    "Channel": Note(_W, ("value",), CHANNEL_OUT, r"reactive\.messaging"),
    "Topic": Note(_R, ("value",), needs="micronaut"),
}

VALUES = Values(
    environment=words("getenv requireEnv"),
    environment_objects=words("System.getenv sys.env"),
    lookups=words("get [] getOrDefault getOrElse"),
    properties=words(
        """getProperty getString getOptional getRequiredProperty getConfig getConfigValue getValue get getOrDefault
        getOrThrow require config getOptionalValue"""
    ),
    sections=words("getConfig [] get"),
    lists=words(
        """singletonList singleton asList of listOf setOf mutableListOf arrayOf List Set Seq Array Vector ArrayList
        HashSet arrayListOf copyOf ofEntries Arrays toSet newArrayList newHashSet"""
    ),
    same=words(
        """trim strip toString asScala asJava toList toSet toSeq toArray get value getValue name topic valueOf of
        ofNullable some Some Option Optional orElseThrow resolve intern stripMargin toJavaList build partitions
        replicas compact config asMap apply requireNonNull checkNotNull cast defaultIfEmpty stream collect String"""
    ),
    defaults=words("orElse getOrElse orElseGet getOrDefault ifEmpty ifBlank"),
    lower=words("toLowerCase"),
    topics=words("NewTopic TopicBuilder TopicPartition Topic KafkaTopic"),
    elements=words("forEach foreach map flatMap forEachOrdered each"),
    settings_notes=words("ConfigurationProperties ConfigMapping"),
    injected={"Value": "", "Option": "", "Parameter": "", "ConfigProperty": "name", "Property": "name"},
)

WORDS = words(
    """kafka redpanda streamsbuilder reactive.messaging cloud.stream debezium.outbox execute_sql( executesql(
    execute_statement( executestatement("""
)
IMPORT = re.compile(r"(?m)^[^\S\n]*import\s[\w.{, ]*\bKafka(?:Consumer|Producer|Streams)\b")

_ROOT = re.compile(r"rootProject\.name\s*=\s*['\"](?P<name>[^'\"]+)")
BUILD_FILES: Mapping[str, re.Pattern[str] | None] = {
    "pom.xml": re.compile(r"<artifactId>\s*(?P<name>[^<\s]+)\s*</artifactId>"),
    "build.gradle": None,
    "build.gradle.kts": None,
    "settings.gradle": _ROOT,
    "settings.gradle.kts": _ROOT,
}
