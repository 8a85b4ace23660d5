"""Clients of Kafka: which calls write a record, and which of their arguments are what."""

from __future__ import annotations

from collections.abc import Mapping

from scanner_programs.libraries.rows import Client, Signature, plain


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_RECORD: Mapping[int, Signature] = {
    1: "record",
    2: "topic value",
    3: "topic key value",
    4: "topic partition key value",
    5: "topic partition timestamp key value",
    6: "topic partition timestamp key value headers",
}
_SERIALIZERS = "keyserializer valueserializer"
_JVM = frozenset(("java", "kotlin", "scala"))

CLIENTS: tuple[Client, ...] = (
    Client(
        "Serializers",
        (
            *("org.apache.kafka.common.serialization", "org.apache.flink.api.common.serialization", "Confluent.Kafka"),
            *("org.apache.flink.connector.kafka", "org.apache.flink.streaming.connectors.kafka"),
        ),
        implements=_words(
            "Serializer SerializationSchema KafkaRecordSerializationSchema KafkaSerializationSchema ISerializer"
            " IAsyncSerializer"
        ),
        receives=_words("Deserializer DeserializationSchema IDeserializer"),
        languages=_JVM | {"csharp"},
    ),
    # --- JVM
    Client(
        "Kafka's own client",
        ("org.apache.kafka.clients", "io.vertx.kafka", "reactor.kafka", "io.confluent.parallelconsumer"),
        sends={
            "send": {1: "record", 2: "record -"},
            "write": {1: "record", 2: "record -"},
            "produce": {1: "record", 2: "record -"},
            "createOutbound": {0: "record"},
        },
        records={
            "ProducerRecord": _RECORD,
            "KafkaProducerRecord.create": {2: "topic value", 3: "topic key value", 4: "topic key value partition"},
            "SenderRecord.create": {
                2: "record -",
                6: "topic partition timestamp key value -",
            },
        },
        types=_words("KafkaProducer Producer ProducerRecord KafkaSender SenderRecord KafkaProducerRecord"),
        receives=_words(
            "KafkaConsumer Consumer ConsumerRecord ConsumerRecords ConsumerConfig KafkaReceiver ReceiverOptions"
        ),
        subscribes={"subscribe": {0: "topic"}, "assign": {0: "topic"}, "subscription": {0: "topic"}},
        languages=_JVM,
    ),
    Client(
        "Spring Kafka",
        ("org.springframework.kafka",),
        sends={
            "send": {
                1: "record",
                2: "topic value",
                3: "topic key value",
                4: "topic partition key value",
                5: "topic partition timestamp key value",
            },
            "sendDefault": {1: "value", 2: "key value", 3: "partition key value", 4: "partition timestamp key value"},
            "sendAndReceive": {1: "record", 2: "record -"},
        },
        types=_words("KafkaTemplate KafkaOperations ReplyingKafkaTemplate ReactiveKafkaProducerTemplate"),
        receives=_words(
            "KafkaListener KafkaHandler Acknowledgment ConsumerFactory ConcurrentKafkaListenerContainerFactory"
        ),
        result={"SendTo": ("value", "")},
        defaults=("setDefaultTopic", "spring.kafka.template.default-topic"),
        listens={"KafkaListener": ("topics", "value", "topicPattern", "")},
        languages=_JVM,
    ),
    Client(
        "Spring Cloud Stream",
        ("org.springframework.cloud.stream",),
        sends={"send": {2: "binding value", 3: "binding value -", 4: "binding - value -"}},
        types=_words("StreamBridge"),
        languages=_JVM,
    ),
    Client(
        "Eventuate Tram",
        ("io.eventuate.tram",),
        sends={
            "publish": {3: "topic key value", 4: "topic key headers value"},
            "send": {2: "topic value", 4: "topic value - headers", 5: "topic - value - headers"},
        },
        types=_words("DomainEventPublisher MessageProducer CommandProducer"),
        languages=_JVM,
    ),
    Client(
        "MicroProfile Reactive Messaging",
        ("org.eclipse.microprofile.reactive.messaging", "io.smallrye.reactive.messaging"),
        sends={
            "send": {1: "value"},
            "sendAndAwait": {1: "value"},
            "sendAndForget": {1: "value"},
            "sendMessage": {1: "value"},
        },
        types=_words("Emitter MutinyEmitter"),
        receives=_words("Incoming"),
        result={"Outgoing": ("value", "")},
        listens={"Incoming": ("value", "")},
        languages=_JVM,
    ),
    Client(
        "Micronaut Kafka",
        ("io.micronaut.configuration.kafka",),
        declared=_words("Topic"),
        types=_words("KafkaClient"),
        receives=_words("KafkaListener"),
        result={"SendTo": ("value", "")},
        listens={"Topic": ("value", "")},
        languages=_JVM,
    ),
    Client(
        "Kafka Streams",
        ("org.apache.kafka.streams",),
        sends={
            "to": {1: "topic", 2: "topic options"},
            "through": {1: "topic", 2: "topic options"},
            "addSink": {0: "- topic"},
        },
        types=_words("StreamsBuilder KStream KTable Topology KGroupedStream"),
        applications=_words("KafkaStreams"),
        whole=_words("to through"),
        subscribes={
            **{name: {0: "topic"} for name in ("stream", "table", "globalTable")},
            "through": {0: "topic -"},
            "addSource": {0: "name topic"},
        },
        languages=_JVM,
    ),
    Client(
        "Flink",
        ("org.apache.flink.connector.kafka", "org.apache.flink.streaming.connectors.kafka"),
        sends={"sinkTo": {1: "sink"}, "addSink": {1: "sink"}},
        types=_words("KafkaSink FlinkKafkaProducer"),
        receives=_words("KafkaSource FlinkKafkaConsumer"),
        whole=_words("sinkTo addSink"),
        subscribes={"setTopics": {0: "topic"}, "setTopicPattern": {0: "topic"}, "FlinkKafkaConsumer": {0: "topic"}},
        languages=_JVM,
    ),
    Client(
        "fs2-kafka",
        ("fs2.kafka",),
        sends={
            "produce": {1: "record"},
            "produceOne": {1: "record", 3: "topic key value"},
            "produceOne_": {1: "record", 3: "topic key value"},
            "send": {1: "record"},
            "through": {1: "sink"},
        },
        records={
            "ProducerRecord": {3: "topic key value", 2: "topic value"},
            "ProducerRecords.one": {1: "record"},
            "ProducerRecords": {1: "record", 2: "record -"},
        },
        types=_words("KafkaProducer ProducerRecord ProducerRecords ProducerSettings"),
        whole=_words("through"),
        receives=_words("KafkaConsumer ConsumerSettings ConsumerRecord CommittableConsumerRecord"),
        subscribes={"subscribeTo": {0: "topic"}, "subscribe": {0: "topic"}},
        languages=_JVM,
    ),
    Client(
        "ZIO Kafka",
        ("zio.kafka",),
        sends={
            "produce": {
                1: "record",
                2: "record -",
                3: f"record {_SERIALIZERS}",
                4: "topic key value -",
                5: f"topic key value {_SERIALIZERS}",
            },
            "produceAsync": {1: "record", 3: f"record {_SERIALIZERS}", 5: f"topic key value {_SERIALIZERS}"},
        },
        types=_words("Producer"),
        receives=_words("Consumer Subscription CommittableRecord"),
        subscribes={
            **{name: {0: "topic"} for name in ("topics", "plainStream", "partitionedStream", "consumeWith")},
        },
        languages=_JVM,
    ),
    Client(
        "Alpakka Kafka",
        ("akka.kafka", "org.apache.pekko.kafka"),
        sends={
            "send": {1: "record"},
            "sendEnvelope": {1: "record"},
            "runWith": {1: "sink", 2: "sink -"},
            "to": {1: "sink"},
            "toMat": {1: "sink", 2: "sink -"},
            "via": {1: "sink"},
            "viaMat": {1: "sink", 2: "sink -"},
        },
        records={
            "ProducerRecord": _RECORD,
            "ProducerMessage.single": {1: "record", 2: "record -"},
            "ProducerMessage.Message": {2: "record -"},
            "ProducerMessage.multi": {1: "record", 2: "record -"},
        },
        whole=_words("runWith to toMat via viaMat"),
        types=_words("Producer ProducerSettings ProducerMessage"),
        receives=_words("Consumer Subscriptions CommittableMessage"),
        subscribes={
            **{name: {0: "topic"} for name in ("topics", "topicPattern")},
            **{
                name: {0: "- topic"}
                for name in ("plainSource", "committableSource", "atMostOnceSource", "sourceWithOffsetContext")
            },
        },
        languages=_JVM,
    ),
    # --- Python
    Client(
        "kafka-python",
        ("kafka",),
        sends={"send": {0: "topic value key headers partition timestamp_ms"}},
        subscribes={"KafkaConsumer": {0: "topic"}, "subscribe": {0: "topic"}, "assign": {0: "topic"}},
        languages=_words("python"),
        types=_words("KafkaProducer"),
        receives=_words("KafkaConsumer TopicPartition"),
    ),
    Client(
        "confluent-kafka for Python",
        ("confluent_kafka",),
        sends={"produce": {0: "topic value key partition on_delivery timestamp headers"}},
        types=_words("Producer SerializingProducer"),
        receives=_words("Consumer DeserializingConsumer TopicPartition"),
        subscribes={"subscribe": {0: "topic"}, "assign": {0: "topic"}},
        languages=_words("python"),
    ),
    Client(
        "aiokafka",
        ("aiokafka",),
        sends={
            "send": {0: "topic value key partition timestamp_ms headers"},
            "send_and_wait": {0: "topic value key partition timestamp_ms headers"},
            "send_batch": {0: "value topic"},
        },
        types=_words("AIOKafkaProducer"),
        receives=_words("AIOKafkaConsumer ConsumerRecord"),
        subscribes={"AIOKafkaConsumer": {0: "topic"}, "subscribe": {0: "topic"}},
        languages=_words("python"),
    ),
    Client(
        "Faust",
        ("faust",),
        sends={"send": {0: "key value partition"}, "send_soon": {0: "key value partition"}, "cast": {0: "value"}},
        result={"agent": ("sink",)},
        listens={"agent": ("channel", "")},
        languages=_words("python"),
    ),
    Client(
        "FastStream",
        ("faststream", "propan"),
        sends={"publish": {0: "value topic"}},
        result={"publisher": ("topic", "")},
        listens={"subscriber": ("",)},
        languages=_words("python"),
    ),
    Client(
        "Quix Streams",
        ("quixstreams", "quixstreaming"),
        sends={"to_topic": {0: "topic key"}, "produce": {0: "topic value key headers"}},
        whole=_words("to_topic"),
        subscribes={"dataframe": {0: "topic"}},
        languages=_words("python"),
    ),
    Client(
        "Bytewax and Beam",
        ("bytewax.connectors.kafka", "apache_beam.io.kafka"),
        sends={"output": {0: "- value sink"}},
        subscribes={"input": {0: "topic"}},
        languages=_words("python"),
    ),
    # --- JavaScript and TypeScript
    Client(
        "KafkaJS",
        ("kafkajs", "@confluentinc/kafka-javascript", "@platformatic/kafka", "@nestjs/kafka"),
        sends={"send": {1: "record"}, "sendBatch": {1: "record"}},
        types=_words("Producer Kafka"),
        receives=_words("Consumer consumer EachMessagePayload KafkaMessage"),
        subscribes={"subscribe": {0: "topic"}},
        languages=_words("typescript javascript"),
    ),
    Client(
        "node-rdkafka",
        ("node-rdkafka",),
        receives=_words("KafkaConsumer createReadStream"),
        sends={"produce": {0: "topic partition value key timestamp - headers"}},
        subscribes={"subscribe": {0: "topic"}},
        languages=_words("typescript javascript"),
    ),
    Client(
        "kafka-node",
        ("kafka-node",),
        sends={"send": {0: "record"}},
        languages=_words("typescript javascript"),
    ),
    Client(
        "NestJS microservices",
        ("@nestjs/microservices",),
        sends={"emit": {2: "topic form"}, "send": {2: "topic form"}},
        types=_words("ClientKafka ClientProxy"),
        choice=("Transport", "KAFKA"),
        receives=_words("MessagePattern EventPattern Payload Ctx KafkaContext MicroserviceOptions"),
        listens={"EventPattern": ("",), "MessagePattern": ("",)},
        languages=_words("typescript javascript"),
    ),
    # --- Go
    Client(
        "kafka-go",
        ("github.com/segmentio/kafka-go",),
        sends={"WriteMessages": {0: "- record"}},
        receives=_words("NewReader Reader ReaderConfig"),
        subscribes={"NewReader": {0: "topic"}},
        languages=_words("go"),
    ),
    Client(
        "confluent-kafka-go",
        ("github.com/confluentinc/confluent-kafka-go", "gopkg.in/confluentinc/confluent-kafka-go.v1"),
        sends={"Produce": {0: "record -"}, "ProduceBatch": {0: "topic record"}, "<-": {1: "record"}},
        receives=_words("NewConsumer Consumer"),
        subscribes={"SubscribeTopics": {0: "topic"}, "Subscribe": {0: "topic"}, "Assign": {0: "topic"}},
        languages=_words("go"),
    ),
    Client(
        "Sarama",
        ("github.com/IBM/sarama", "github.com/Shopify/sarama", "gopkg.in/Shopify/sarama.v1"),
        sends={"SendMessage": {1: "record"}, "SendMessages": {1: "record"}, "<-": {1: "record"}},
        receives=_words("NewConsumerGroup ConsumerGroup ConsumerMessage NewConsumer ConsumerGroupSession"),
        subscribes={"Consume": {3: "- topic -"}, "ConsumePartition": {0: "topic"}},
        handles={"ConsumeClaim": 1},
        languages=_words("go"),
    ),
    Client(
        "franz-go",
        ("github.com/twmb/franz-go",),
        sends={"Produce": {0: "- record -"}, "ProduceSync": {0: "- record"}, "TryProduce": {0: "- record -"}},
        records={
            "StringRecord": {1: "value"},
            "KeyStringRecord": {2: "key value"},
            "SliceRecord": {1: "value"},
            "KeySliceRecord": {2: "key value"},
        },
        subscribes={"ConsumeTopics": {0: "topic"}},
        languages=_words("go"),
    ),
    Client(
        "Watermill",
        ("github.com/ThreeDotsLabs/watermill", "github.com/ThreeDotsLabs/watermill-kafka"),
        sends={"Publish": {0: "topic record"}},
        records={"NewMessage": {2: "- value"}},
        subscribes={
            "Subscribe": {2: "- topic"},
            "AddHandler": {0: "- topic -"},
            "AddNoPublisherHandler": {0: "- topic -"},
        },
        connects={
            "AddHandler": "- received - topic - function",
            "AddNoPublisherHandler": "- received - function",
            "AddConsumerHandler": "- received - function",
        },
        languages=_words("go"),
    ),
    Client(
        "goka",
        ("github.com/lovoo/goka",),
        sends={"EmitSync": {2: "key value"}, "Emit": {2: "key value", 3: "topic key value"}},
        languages=_words("go"),
    ),
    # --- .NET
    Client(
        "Confluent.Kafka",
        ("Confluent.Kafka",),
        sends={
            "ProduceAsync": {2: "topic record", 3: "topic record -"},
            "Produce": {2: "topic record", 3: "topic record -"},
        },
        types=_words("IProducer ProducerBuilder Message ProducerConfig TopicPartition DependentProducerBuilder"),
        receives=_words("IConsumer ConsumerBuilder ConsumerConfig ConsumeResult Message TopicPartition"),  # also sent
        subscribes={"Subscribe": {0: "topic"}, "Assign": {0: "topic"}},
        languages=_words("csharp"),
    ),
    Client(
        "MassTransit",
        ("MassTransit",),
        sends={"Produce": {1: "value", 2: "key value", 3: "key value -"}},
        types=_words("ITopicProducer ITopicProducerProvider"),
        receives=_words("IConsumer ConsumeContext"),
        subscribes={"TopicEndpoint": {0: "topic -"}},
        handles={"Consume": 0},
        style="camelCase",
        languages=_words("csharp"),
    ),
    Client(
        "Dafda",
        ("Dafda",),
        registers={"Register": "topic - -"},
        types=_words("ConsumerOptions OutboxOptions ProducerOptions"),
        receives=_words("IMessageHandler MessageHandlerContext"),
        subscribes={"RegisterMessageHandler": {0: "topic -"}},
        handles={"Handle": 0},
        style="camelCase",
        languages=_words("csharp"),
    ),
    Client(
        "Wolverine, KafkaFlow and CAP",
        ("Wolverine", "KafkaFlow", "DotNetCore.CAP"),
        sends={
            "PublishAsync": {1: "value", 2: "topic value", 3: "topic value -"},
            "Publish": {2: "topic value", 3: "topic value -"},
            "ProduceAsync": {2: "key value", 3: "topic key value"},
            "SendAsync": {1: "value"},
        },
        types=_words("IMessageBus IMessageProducer ICapPublisher"),
        listens={"CapSubscribe": ("",)},
        languages=_words("csharp"),
    ),
    # --- Rust
    Client(
        "rdkafka",
        ("rdkafka",),
        sends={"send": {1: "record", 2: "record -"}, "send_result": {1: "record"}},
        types=_words("FutureProducer ThreadedProducer BaseProducer FutureRecord BaseRecord"),
        receives=_words("StreamConsumer BaseConsumer Consumer BorrowedMessage OwnedMessage Message"),
        subscribes={"subscribe": {0: "topic"}},
        languages=_words("rust"),
    ),
    Client(
        "kafka-rust",
        ("kafka",),
        sends={"send": {1: "record"}, "send_all": {1: "record"}},
        records={"from_value": {2: "topic value"}, "from_key_value": {3: "topic key value"}},
        types=_words("Producer Record"),
        receives=_words("Consumer MessageSets"),
        subscribes={"with_topic": {0: "topic"}},
        languages=_words("rust"),
    ),
)
"""The clients, each by the packages of its names."""

SOURCES = frozenset(name for row in CLIENTS for name in row.subscribes)
"""The calls that name the topics which are read."""


_READERS = frozenset(name for row in CLIENTS for name in row.receives)


def reads(kind: str) -> bool:
    """Return whether a class is one that records come from, by its full name."""
    return kind.replace("::", ".").partition("<")[0].rpartition(".")[2].rpartition("/")[2] in _READERS


def is_source(name: str) -> bool:
    """Return whether calls of a name may name the topics which are read."""
    return plain(name) in SOURCES
