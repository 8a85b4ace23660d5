"""Topics that programs name in settings of their own, as input or output."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.applications.reader import is_application_file, read_applications
from scanner_model.names import SourceId

STREAMS = """
service.name = order-totals
input.topics = ["orders", "refunds"]
output.topic = "totals"
output.topic = ${?TOTALS_TOPIC}
kafka.streams.config = { application.id = order-totals-job }
"""


def flows(files: dict[str, str]) -> set[str]:
    """Return the flows as `job: origin > target`."""
    reading = read_applications(files, SourceId("repository"))
    return {f"{flow.job}: {flow.origin.name} > {flow.target.name}" for flow in reading.flows}


def test_outputs_of_kafka_streams_are_made_of_its_inputs():
    """The framework that reads the settings may be another repository's."""
    assert flows({"totals/src/main/resources/application.conf": STREAMS}) == {
        "order-totals-job: orders > totals",
        "order-totals-job: refunds > totals",
    }


def test_settings_of_a_topology_are_used_also_beside_code_without_a_client():
    """A framework of another repository runs classes that name no client, as the settings say."""
    files = {
        "totals/build.gradle.kts": 'dependencies { implementation("c.acme:view-framework:1") }',
        "totals/src/main/java/Totals.java": "class Totals implements View { Total of(Order order) { return null; } }",
        "totals/src/main/resources/application.conf": STREAMS,
    }
    assert flows(files) == {"order-totals-job: orders > totals", "order-totals-job: refunds > totals"}


def test_each_settings_file_of_a_module_is_a_program():
    other = (
        STREAMS.replace("order-totals", "copies")
        .replace('["orders", "refunds"]', "totals")
        .replace('"totals"', "copies")
    )
    files = {"build.gradle": "", "configs/totals/application.conf": STREAMS, "configs/copies/application.conf": other}

    assert "copies-job: totals > copies" in flows(files)
    assert "order-totals-job: orders > totals" in flows(files)


def test_a_program_that_is_no_topology_passes_nothing_on():
    settings = "kafka.bootstrap.servers=k:9092\norders.consumer.topic=orders\nmail.producer.topic=mails\n"

    assert flows({"mailer/pom.xml": "<artifactId>mailer</artifactId>", "mailer/app.properties": settings}) == {
        "mailer: orders > ",
        "mailer:  > mails",
    }


def test_what_code_says_is_not_said_again():
    code = """
    import org.springframework.kafka.annotation.KafkaListener;
    class A { @KafkaListener(topics = "${input.topic}") void f(String s) {} }
    """
    files = {
        "shop/pom.xml": "<artifactId>shop</artifactId>",
        "shop/src/main/resources/application.yml": "kafka: {}\ninput:\n  topic: orders\nservice:\n  name: other\n",
        "shop/src/main/java/A.java": code,
    }
    assert flows(files) == {"shop: orders > "}


_PROJECT = '<Project Sdk="Microsoft.NET.Sdk.Web"><ItemGroup>{}</ItemGroup></Project>'
_WRITER = '{"KafkaProducer": {"ProducerConfig": {"BootstrapServers": "k:9092"}, "Topic": "orders"}}'
_CLIENT = "using Confluent.Kafka;\nnamespace Bus;\npublic class Sender {}\n"


@pytest.mark.parametrize(
    ("references", "used"),
    [
        ('<PackageReference Include="Marten" />', False),
        ('<PackageReference Include="Confluent.Kafka" />', True),
        ('<ProjectReference Include="..\\bus\\Bus.csproj" />', True),
    ],
)
def test_settings_left_over_in_a_program_without_a_client_are_no_use(references: str, used: bool):
    """Code that is here, and that neither has a client nor is built with one, uses none: it is said."""
    files = {
        "bus/Bus.csproj": _PROJECT.format(""),
        "bus/Sender.cs": _CLIENT,
        "shop/Shop.csproj": _PROJECT.format(references),
        "shop/Program.cs": "var app = WebApplication.CreateBuilder(args).Build();\napp.Run();\n",
        "shop/appsettings.json": _WRITER,
    }
    reading = read_applications(files, SourceId("repository"))

    assert [flow.job for flow in reading.flows] == (["Shop"] if used else [])
    assert ("shop/appsettings.json" in dict(reading.unresolved)) is not used


def test_a_boolean_is_no_topic():
    """As in JSON, where it is no text."""
    settings = (
        '{"kafka": {"consumer": {"allow.auto.create.topics": true}, "orders": {"consumer": {"topic": "orders"}}}}'
    )
    files = {"package.json": '{"name": "shop"}', "config/default.json": settings, "a.js": "require('kafkajs')"}

    assert flows(files) == {"shop: orders > "}


@pytest.mark.parametrize(
    "settings",
    [
        "input.topic=orders",  # another broker's
        "kafka=k\ninput.topic.count=3",
        "kafka=k\norders.topic=orders",
        "kafka=k\nprecreate.output.topics=false",
        "kafka=k\nconnector.class=X\noutput.topic=orders",
        "kafka=k\nsource.to.sink.topic=orders",
    ],
)
def test_settings_that_do_not_say_what_a_program_does(settings: str):
    assert not is_application_file("shop/app.properties", settings)
    assert flows({"shop/app.properties": settings}) == set()


_BINDINGS = "spring.cloud.stream.bindings."
_TWO = f"""
{_BINDINGS}bills-in-0.destination=orders
{_BINDINGS}bills-out-0.destination=bills
{_BINDINGS}audit-out-0.destination=audit
"""
_BILLS = "public class A {{ @Bean public Function<String, String> bills() {{ return x -> x; }} {more} }}"
_AUDIT = "@Component public class Audit implements Supplier<String> { public String get() { return null; } }"
_DEFINED = "spring.cloud.function.definition="


@pytest.mark.parametrize(
    ("settings", "code", "written"),
    [
        pytest.param(f"{_DEFINED}bills{_TWO}", "", {"bills"}, id="not listed"),
        pytest.param(_TWO, "", {"bills"}, id="no bean"),
        pytest.param(_TWO, _AUDIT, {"bills", "audit"}, id="the class is the bean"),
        pytest.param(f"{_DEFINED}bills;audit{_TWO}", "", {"bills", "audit"}, id="listed"),
        pytest.param(f"{_DEFINED}${{FUNCTIONS}}{_TWO}", "", {"bills", "audit"}, id="the list is unknown"),
        pytest.param(
            f"{_DEFINED}bills{_TWO}", "StreamBridge bridge;", {"bills", "audit"}, id="sent without a function"
        ),
        pytest.param(
            f"{_DEFINED}bills\nspring.cloud.stream.output-bindings=audit{_TWO}", "", {"bills", "audit"}, id="asked for"
        ),
        pytest.param(f"{_DEFINED}bills|mask{_TWO.replace('bills-', 'billsmask-')}", "", {"bills"}, id="composed"),
    ],
)
def test_a_binding_of_a_missing_function_writes_nothing(settings, code, written):
    files = {
        "pom.xml": "<artifactId>shop</artifactId><artifactId>spring-cloud-stream-binder-kafka</artifactId>",
        "src/main/resources/application.properties": settings,
        "src/main/java/A.java": _BILLS.format(more="" if code == _AUDIT else code),
        "src/main/java/Audit.java": code if code == _AUDIT else "",
    }
    reading = read_applications(files, SourceId("repository"))

    assert {flow.target.name for flow in reading.flows if flow.target.name} == written
