"""Libraries around a Kafka client: their calls read and write by their names, and topics come from settings structs."""

from __future__ import annotations

import textwrap

import pytest

from scanner_extractor.repository.applications.reader import ApplicationsReading, read_applications
from scanner_extractor.repository.applications.wrappers import is_topic_name
from scanner_model.names import SourceId

MODULE = "module example.org/shop/orders\nrequire example.org/house/kafka v1.0.0\n"
CONFIG = """
    package config

    type Kafka struct {
        Addr         []string `envconfig:"KAFKA_ADDR"`
        OrdersTopic  string   `envconfig:"ORDERS_TOPIC"`
        PaidTopic    string   `envconfig:"PAID_TOPIC" default:"paid"`
        ShippedTopic string   `env:"SHIPPED_TOPIC" envDefault:"shipped"`
        OrdersGroup  string   `envconfig:"ORDERS_GROUP"`
    }

    type Config struct {
        Kafka
    }

    func Get() (*Config, error) {
        cfg := &Config{Kafka: Kafka{OrdersTopic: "orders", OrdersGroup: "shop"}}
        return cfg, envconfig.Process("", cfg)
    }
"""
GO = 'package service\nimport "example.org/house/kafka"\n'


def read(files: dict[str, str]) -> ApplicationsReading:
    return read_applications({path: textwrap.dedent(text) for path, text in files.items()}, SourceId("repository"))


def flows(files: dict[str, str]) -> set[str]:
    """Return the flows as `job: origin > target`."""
    return {f"{flow.job}: {flow.origin.name} > {flow.target.name}" for flow in read(files).flows}


def go_flows(code: str, **others: str) -> set[str]:
    return flows({"go.mod": MODULE, "config/config.go": CONFIG, "service/service.go": GO + code, **others})


def test_a_call_reads_or_writes_by_its_name():
    code = """
    func Run(ctx context.Context, cfg *config.Config) {
        kafka.NewConsumerGroup(ctx, cfg.Kafka.Addr, cfg.OrdersTopic, cfg.OrdersGroup)
        kafka.NewProducer(ctx, cfg.Kafka.Addr, cfg.Kafka.PaidTopic)
    }
    """
    assert go_flows(code) == {"orders: orders > ", "orders:  > paid"}


def test_the_environment_of_a_deployment_replaces_the_default_of_a_struct():
    compose = """
        services:
          orders:
            build: .
            environment: {ORDERS_TOPIC: orders-v2, SHIPPED_TOPIC: shipped-v2}
    """
    code = """
    func Run(cfg *config.Config) {
        kafka.NewConsumer(cfg.OrdersTopic)
        kafka.NewPublisher(cfg.ShippedTopic)
    }
    """
    assert go_flows(code, **{"compose.yaml": compose}) == {"orders: orders-v2 > ", "orders:  > shipped-v2"}


def test_a_settings_literal_of_a_library_names_the_topic():
    code = """
    var newConsumer = func(ctx context.Context, cfg *config.Kafka, topic string) (kafka.Consumer, error) {
        settings := &kafka.ConsumerGroupConfig{Brokers: cfg.Addr, Topic: topic}
        return kafka.NewConsumerGroup(ctx, settings)
    }

    func (s *Service) Run(ctx context.Context) error {
        if s.consumer, err = newConsumer(ctx, s.cfg.Kafka, s.cfg.Kafka.OrdersTopic); err != nil {
            return err
        }
        return nil
    }
    """
    assert go_flows(code) == {"orders: orders > "}


def test_a_call_through_an_interface_reaches_its_methods():
    code = """
    type Starter interface { StartConsumer(ctx context.Context, topic, group string) error }
    type Real struct{}
    type Mock struct{}

    func (r *Real) StartConsumer(ctx context.Context, topic, group string) error {
        return kafka.NewConsumer(ctx, topic, group)
    }
    func (m *Mock) StartConsumer(ctx context.Context, topic, group string) error { return nil }
    func (s *Service) Run(ctx context.Context) { s.starter.StartConsumer(ctx, s.cfg.OrdersTopic, s.cfg.OrdersGroup) }
    """
    assert go_flows(code) == {"orders: orders > "}


def test_a_function_that_looks_up_the_environment_is_read_for_each_call():
    """The variable is that of the call, not one of another call of the same function."""
    code = """
    func lookup(name string, fallback string) string {
        value, ok := os.LookupEnv(name)
        if !ok {
            return fallback
        }
        return value
    }
    func Run() {
        kafka.NewConsumer(lookup("BROKERS", "localhost:9092"), Settings{Topic: lookup("TOPIC", "orders")}.Topic)
    }
    """
    assert go_flows(code) == {"orders: orders > "}


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("a.py", 'import house_kafka\nhouse_kafka.create_consumer(topic="orders", group="g")', {"orders > "}),
        ("a.py", "import house_kafka\nTOPIC = 'orders'\nbus.publish_message(TOPIC, body)", {" > orders"}),
        ("a.py", "import house_kafka\nTOPIC = 'orders'\nbus.publish(TOPIC, body)", {" > orders"}),
        ("a.py", 'import house_kafka\nkafka_publisher.publish("orders", body)', {" > orders"}),
        ("a.py", 'import house_kafka\ncommand_bus.publish("orders", body)', set()),
        ("a.py", 'import house_kafka\nkafka_publisher.publish("orders")', set()),
        ("a.ts", "import { bus } from '@house/kafka'\nbus.createPublisher({ topicName: 'orders' })", {" > orders"}),
        (
            "a.ts",
            "import { bus } from '@house/kafka'\nbus.addListener(process.env.ORDERS_TOPIC ?? 'orders', f)",
            {"orders > "},
        ),
        (
            "A.java",
            "import house.kafka.*; class A { void f() { EventPublishers.create(Topics.ORDERS); } }",
            {" > orders"},
        ),
    ],
)
def test_wrappers_in_other_languages(path: str, source: str, expected: set[str]):
    constants = 'package house; class Topics { static final String ORDERS = "orders"; }'

    found = {flow.partition(": ")[2] for flow in flows({path: source, "Topics.java": constants})}

    assert found == expected


@pytest.mark.parametrize(
    "call",
    [
        "mqtt.NewPublisher(cfg.OrdersTopic)",
        "metrics.ConsumerLag(cfg.OrdersTopic)",
        "producer.Send(cfg.OrdersTopic)",
        "kafka.NewConsumer(cfg.OrdersGroup)",
        "admin.DeleteConsumerOffsets(cfg.OrdersTopic)",
    ],
)
def test_calls_that_neither_read_nor_write_a_topic_of_kafka(call: str):
    assert go_flows(f"func Run(cfg *config.Config) {{ {call} }}") == set()


def test_a_library_of_the_repository_is_followed_instead():
    """Its own calls say what it does: a type called like a producer may do anything."""
    code = """
    type ProducerConfig struct { Topic string }
    func Run(cfg *config.Config) { use(&ProducerConfig{Topic: cfg.OrdersTopic}) }
    """
    assert go_flows(code) == set()


def test_a_topic_that_is_not_resolved_is_said():
    reading = read(
        {"go.mod": MODULE, "service/service.go": GO + "func Run() { kafka.NewConsumer(remote.OrdersTopic()) }"}
    )
    assert [path for path, _ in reading.unresolved] == ["service/service.go"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("OrdersTopic", True),
        ("ORDERS_TOPIC", True),
        ("orders.topic", True),
        ("topicNames", True),
        ("topics", True),
        ("topicCount", False),
        ("name", False),
        ("TopicPartition", False),
        ("", False),
    ],
)
def test_names_of_topics(name: str, expected: bool):
    assert is_topic_name(name) is expected


def test_a_default_that_code_sets_is_the_value_of_a_setting():
    code = """
    func settings() *viper.Viper {
        options := viper.New()
        options.SetDefault("topic.orders", "orders")
        if clowder.IsEnabled() {
            options.SetDefault("topic.paid", clowder.KafkaTopics["paid"].Name)
        }
        return options
    }
    func Run() {
        kafka.NewConsumer(settings().GetString("topic.orders"))
        kafka.NewProducer(cfg.GetString("topic.paid"))
    }
    """
    assert go_flows(code) == {"orders: orders > ", "orders:  > paid"}


def test_a_member_is_what_the_module_assigns_to_it():
    code = """
    func load() { config.Settings.RefundsTopic = os.Getenv("REFUNDS_TOPIC") }
    func Run() { kafka.NewConsumer(config.Settings.RefundsTopic) }
    """
    compose = "services: {orders: {build: ., environment: {REFUNDS_TOPIC: refunds}}}"

    assert go_flows(code, **{"compose.yaml": compose}) == {"orders: refunds > "}


def test_a_variable_of_a_file_has_what_a_function_assigns():
    code = """
    var ( ordersTopic string )

    func load() { ordersTopic = "orders" }
    func other() { ordersTopic := "others"; use(ordersTopic) }
    func Run() { kafka.NewConsumer(ordersTopic) }
    """
    assert go_flows(code) == {"orders: orders > "}


def test_a_function_of_the_repository_that_reaches_no_client_reads_by_its_name():
    code = """
    func SpawnReader(topic string, build func(topic string) Reader) { go build(topic) }
    func Run(cfg *config.Config) { SpawnReader(cfg.OrdersTopic, build) }
    """
    assert go_flows(code) == {"orders: orders > "}


def test_a_typed_topic_of_the_settings_of_a_producer():
    source = """
    using House.Kafka;
    class Module {
        void Load(IConfiguration configuration) {
            var topic = configuration["Topic"] ?? throw new ArgumentException("Topic");
            var options = new ProducerOptions(new BootstrapServers("k"), new Topic(topic));
        }
    }
    """
    files = {
        "src/Orders/Orders.csproj": "",
        "src/Orders/Module.cs": source,
        "src/Orders/appsettings.json": '{"Topic": "orders"}',
    }

    assert flows(files) == {"Orders:  > orders"}


@pytest.mark.parametrize(
    ("imported", "body", "expected"),
    [
        ("github.com/segmentio/kafka-go", "kafka.NewReader(settings)", True),
        ("github.com/segmentio/kafka-go", "func handle(m kafka.Message) {}", True),
        ("github.com/confluentinc/confluent-kafka-go/v2/kafka", "kafka.NewProducer(settings)", True),
        ("example.org/shop/pkg/kafka", "kafka.NewGroup(settings)", False),
        ("example.org/libraries/kafka", "kafka.NewGroup(settings)", True),
    ],
)
def test_what_imports_a_client_is_not_followed(imported: str, body: str, expected: bool):
    """A package of the same module is read."""
    files = {"go.mod": "module example.org/shop\n", "main.go": f'package main\nimport "{imported}"\n{body}\n'}

    assert bool(read_applications(files, SourceId("repository")).unresolved) is expected


def test_a_platform_that_is_told_to_read_topics_reads_them():
    code = """
        import org.example.kafka.application.KafkaApplication
        data class Settings(val ordersTopic: String = "orders", val paidTopic: String = "paid")
        fun main() {
            val settings = Settings()
            KafkaApplication.build { kafkaConfig { readTopics(settings.ordersTopic, settings.paidTopic) } }
        }
        """

    assert {(flow.origin.name, flow.target.name) for flow in read({"Main.kt": code}).flows} == {
        ("orders", ""),
        ("paid", ""),
    }
