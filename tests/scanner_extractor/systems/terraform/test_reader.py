"""Terraform configurations: what each provider's resources declare, and what stays a placeholder."""

from __future__ import annotations

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.systems.terraform.reader import TerraformReading, read_terraform
from scanner_model.names import SourceId


def read(text: str = "", /, variables: dict[str, str] | None = None, **files: str) -> TerraformReading:
    named = {name.replace("__", "/").replace("_tf", ".tf"): content for name, content in files.items()}
    return read_terraform({"main.tf": text, **named}, SourceId("repository"), variables)


def names(reading: TerraformReading) -> dict[str, str]:
    """Return the names of what is declared, with its place."""
    return {declaration.name: declaration.place for declaration, _ in reading.declarations}


TOPIC = 'resource "kafka_topic" "t" {{\n  name = {}\n}}\n'


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ('"orders"', "orders"),
        ('"${var.prefix}-orders"', "eu-orders"),
        ("local.name", "eu.paid"),
        ('format("%s-%s", var.prefix, "x")', "eu-x"),
        ('join(".", [var.prefix, "a", upper("b")])', "eu.a.B"),
        ('var.prefix == "eu" ? "yes" : "no"', "yes"),
        ('var.missing == "eu" ? "yes" : var.prefix', None),
        ("local.table.orders.name", "from-map"),
        ('local.table["orders"].name', "from-map"),
        ("local.list[1]", "second"),
        ('lookup(local.flat, "k", "d")', "v"),
        ('try(local.flat["none"], "fallback")', "fallback"),
        ('coalesce("", "c")', "c"),
        ("kafka_topic.other.name", "other"),
        ("module.none.name", None),
        ("data.http.x.body", None),
        ("local.circle", None),
        ('replace("a_b", "_", "-")', "a-b"),
        ('trimspace(" t ")', "t"),
        ("local.list[9]", None),
        ("sensitive(var.prefix)", None),
    ],
)
def test_names_are_evaluated_as_far_as_the_files_decide_them(expression: str, name: str | None):
    reading = read(
        """
        variable "prefix" { default = "eu" }
        variable "missing" {}
        locals {
          name = "${var.prefix}.paid"
          table = { orders = { name = "from-map" } }
          flat = { k = "v" }
          list = ["first", "second"]
          circle = "${local.circled}x"
          circled = local.circle
        }
        resource "kafka_topic" "other" { name = "other" }
        """
        + TOPIC.format(expression)
    )
    found = names(reading).keys() - ({"other"} if name != "other" else set())
    assert found == ({name} if name else set())
    assert bool(reading.problems) == (name is None)


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ('for_each = toset(["a", "b"])\n topic_name = each.key', {"a", "b"}),
        ('for_each = { a = { n = "x" }, b = { n = "y" } }\n topic_name = each.value.n', {"x", "y"}),
        ('count = 2\n topic_name = "t-${count.index}"', {"t-0", "t-1"}),
        ('count = 0\n topic_name = "t"', set()),
        ("for_each = local.filtered\n topic_name = each.value", {"k-1"}),
        ("for_each = var.unknown\n topic_name = each.key", set()),
    ],
)
def test_a_resource_is_as_many_as_its_loop_has_items(loop: str, expected: set[str]):
    reading = read(
        'locals { filtered = { for k, v in { k = 1, l = 2 } : k => "${k}-${v}" if v == 1 } }\n'
        f'resource "confluent_kafka_topic" "t" {{\n {loop}\n }}'
    )
    assert names(reading).keys() == expected


def test_variables_come_from_the_user_then_from_tfvars_then_from_defaults():
    text = 'variable "p" { default = "d" }\n' + TOPIC.format('"${var.p}-t"')
    assert names(read(text)) == {"d-t": "main.tf:2"}
    files = {"main.tf": text, "terraform.tfvars": 'p = "f"'}
    assert names(read_terraform(files, SourceId("r"))).keys() == {"f-t"}
    assert names(read_terraform(files, SourceId("r"), {"p": "u"})).keys() == {"u-t"}


def test_a_module_is_read_with_the_values_of_each_call_and_not_alone():
    called = 'variable "name" {}\n' + TOPIC.format("var.name") + 'output "topic" { value = var.name }\n'
    caller = """
        module "a" {
          source = "./modules/topic"
          name   = "orders"
        }
        module "b" {
          source = "./modules/topic"
          name   = "${module.a.topic}-dlq"
        }
    """
    files = {"main.tf": caller, "modules/topic/main.tf": called}
    reading = read_terraform(files, SourceId("r"))
    assert names(reading) == {"orders": "modules/topic/main.tf:2", "orders-dlq": "modules/topic/main.tf:2"}
    assert not reading.problems


def test_a_topic_has_its_partitions_and_settings():
    reading = read(
        """
        resource "aiven_kafka_topic" "t" {
          topic_name  = "orders"
          partitions  = 6
          replication = 3
          config { cleanup_policy = "compact" }
        }
        """
    )
    ((declaration, found),) = reading.declarations
    assert (declaration.partitions, declaration.replication) == (6, 3)
    assert found == {"cleanup.policy": "compact"}


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (
            "confluent_connector",
            'config_nonsensitive = { "connector.class" = "PostgresSource", "name" = "c", "kafka.topic" = T }',
        ),
        (
            "aiven_kafka_connector",
            'connector_name = "c"\nconfig = { "connector.class" = "PostgresSource", "kafka.topic" = T }',
        ),
        (
            "aws_mskconnect_connector",
            'name = "c"\nconnector_configuration = { "connector.class" = "PostgresSource", "kafka.topic" = T }',
        ),
        ("kafka-connect_connector", 'name = "c"\nconfig = { "connector.class" = "PostgresSource", "kafka.topic" = T }'),
    ],
)
def test_a_connector_of_each_provider_is_declared_with_its_settings(kind: str, body: str):
    topic = 'resource "kafka_topic" "t" { name = "orders" }\n'
    reading = read(topic + f'resource "{kind}" "x" {{\n{body.replace("T }", "kafka_topic.t.name }")}\n}}')
    ((connector, found),) = (row for row in reading.declarations if row[0].kind == "connector")
    assert connector.name == "c"
    assert found["connector.class"] == "PostgresSource"
    assert found["kafka.topic"] == "orders"


def test_a_statement_is_that_of_the_current_database_where_its_cluster_is_not_decided():
    reading = read(
        """
        resource "confluent_flink_statement" "s" {
          statement_name = "to-b"
          statement      = <<-EOT
            INSERT INTO `${data.env.name}`.`${var.cluster}`.`b`
              SELECT * FROM a;
          EOT
        }
        """
    )
    (statement,) = reading.statements
    assert (statement.name, statement.engine, statement.place) == ("to-b", "confluent", "main.tf:2")
    assert statement.statement.split() == ["INSERT", "INTO", "`b`", "SELECT", "*", "FROM", "a;"]


@pytest.mark.parametrize(("source", "sink"), [("source", "sink"), ("sources", "sinks")])
def test_the_tables_of_a_flink_application_of_aiven_precede_its_statement(source: str, sink: str):
    """The plural is that of versions of the provider before 4.1."""
    text = f"""
resource "aiven_flink_application_version" "big" {{
  statement = "INSERT INTO big SELECT id FROM orders"
  {sink} {{
    create_table = "CREATE TABLE big (id INT) WITH ('connector' = 'kafka', 'topic' = 'big')"
  }}
  {source} {{
    create_table = "CREATE TABLE orders (id INT) WITH ('connector' = 'kafka', 'topic' = 'orders')"
  }}
}}
"""
    (statement,) = read(text).statements

    assert statement.statement.count("CREATE TABLE") == 2
    assert statement.statement.endswith("INSERT INTO big SELECT id FROM orders")


def test_schemas_are_versions_of_their_subject_and_files_are_named():
    text = """
        resource "confluent_schema" "one" {
          subject_name = "orders-value"
          format       = "AVRO"
          schema       = file("${path.module}/schemas/one.avsc")
        }
        resource "confluent_schema" "two" {
          subject_name = "paid-value"
          format       = "AVRO"
          schema       = jsonencode("int")
          schema_reference {
            name         = "x.Y"
            subject_name = "y"
            version      = 3
          }
        }
        resource "aiven_kafka_schema" "again" {
          subject_name = "paid-value"
          schema       = <<EOT
"long"
EOT
        }
        resource "redpanda_schema" "three" {
          subject = "none-value"
          schema  = file("absent.avsc")
        }
    """
    files = {"infra/main.tf": text, "infra/schemas/one.avsc": '"string"'}
    reading = read_terraform(files, SourceId("r"))
    assert reading.schema_files == (("orders-value", "infra/schemas/one.avsc"),)
    assert [(str(row.subject), row.version, row.text) for row in reading.schemas] == [
        ("paid-value", 1, '"int"'),
        ("paid-value", 2, '"long"'),
    ]
    (reference,) = reading.schemas[0].references
    assert (reference.name, reference.subject, reference.version) == ("x.Y", "y", 3)
    assert [problem.what for problem in reading.problems] == ["the text of the schema of 'none-value' is in no file"]


def test_a_right_is_a_use_by_the_account_and_states_no_flow_between_topics():
    reading = read(
        """
        resource "confluent_service_account" "app" { display_name = "shop-app" }
        resource "confluent_kafka_acl" "r" {
          resource_type = "TOPIC"
          resource_name = "orders"
          pattern_type  = "LITERAL"
          principal     = "User:${confluent_service_account.app.id}"
          operation     = "READ"
          permission    = "ALLOW"
        }
        resource "kafka_acl" "w" {
          resource_name       = "paid"
          resource_type       = "Topic"
          acl_principal       = "User:shop-app"
          acl_operation       = "Write"
          acl_permission_type = "Allow"
        }
        resource "kafka_acl" "all" {
          resource_name = "*"
          resource_type = "Topic"
          acl_principal = "User:shop-app"
          acl_operation = "Write"
        }
        """
    )
    assert [(flow.job, flow.origin.name, flow.target.name) for flow in reading.flows] == [
        ("shop-app", "orders", ""),
        ("shop-app", "", "paid"),
    ]
    assert all(flow.suggested for flow in reading.flows)


def test_what_is_no_terraform_is_a_problem_and_the_rest_is_read():
    reading = read('resource "kafka_topic" "a" { name = "a" }\n}} ??? {{\nresource "kafka_topic" "b" { name = "b" }\n')
    assert "a" in names(reading)
    assert reading.problems


@pytest.mark.parametrize(
    "text",
    [
        "locals { a = " + "[" * 5_000 + "]" * 5_000 + " }\n" + TOPIC.format("local.a"),
        "locals { a = " + "(" * 3_000 + "1" + ")" * 3_000 + " }\n" + TOPIC.format("local.a"),
        "locals {\n" + "".join(f"a{i} = local.a{i + 1}\n" for i in range(2_000)) + "}\n" + TOPIC.format("local.a0"),
        "locals {\n a0 = [1, 2]\n"
        + "".join(f"a{i} = [local.a{i - 1}, local.a{i - 1}]\n" for i in range(1, 60))
        + "}\n"
        + TOPIC.format('join("", flatten(local.a59))'),
        'module "m" {\n source = "./"\n}\n' + TOPIC.format('"t"'),
        "a {" * 3_000,
        TOPIC.format("range(1000000000)[0]"),
        'locals {\n a0 = "xx"\n'
        + "".join(f'a{i} = replace(local.a{i - 1}, "x", local.a{i - 1})\n' for i in range(1, 20))
        + "}\n"
        + TOPIC.format("local.a19"),
        'resource "kafka_topic" "t" {\n count = 1000000000\n name = "t-${count.index}"\n}\n',
    ],
    ids=["lists", "brackets", "chain", "doubling", "itself", "blocks", "range", "replace", "count"],
)
def test_a_hostile_configuration_ends(text: str):
    assert len(read(text).declarations) <= 1_000


@examples(60)
@given(st.text(alphabet='{}[]()"$<-=\n.:?,az0*%\\', max_size=200))
def test_no_text_raises(text: str):
    read(text)
    read(TOPIC.format(text))


def test_compatibility_levels_of_subjects_and_of_the_registry_are_read():
    reading = read(
        """
        resource "kafka_topic" "t" { name = "orders" }
        resource "confluent_subject_config" "s" {
          subject_name = "${kafka_topic.t.name}-value"
          compatibility_level = "FULL"
        }
        resource "confluent_schema_registry_cluster_config" "all" { compatibility_level = "backward" }
        """
    )
    assert reading.levels == {"orders-value": "FULL", "": "BACKWARD"}


_TOPIC = 'resource "kafka_topic" "orders" {\n  name = "shop.orders"\n}\n'


def test_resource_that_no_row_reads_is_left_if_it_names_a_topic():
    """A bucket beside the topics is not about Kafka; a topic of Kafka need not be one of these files."""
    other = """
        resource "acme_route" "in" { label = kafka_topic.orders.name }
        resource "aws_dms_endpoint" "out" { kafka_settings { topic = "bills" } }
        resource "google_pubsub_subscription" "s" { topic = "notes" }
        resource "aws_s3_bucket" "b" { bucket = "orders" }
        """
    reading = read(_TOPIC, pipes_tf=other)

    assert reading.unread == (
        ("pipes.tf", "resource acme_route.in names topic shop.orders and is not read"),
        ("pipes.tf", "resource aws_dms_endpoint.out names topic bills and is not read"),
    )


@pytest.mark.parametrize(
    ("resource", "use"),
    [
        (
            'resource "clickhouse_clickpipe" "in" { source = { kafka = { topics = kafka_topic.orders.name } } }',
            ("clickhouse_clickpipe.in", "shop.orders", ""),
        ),
        (
            'resource "materialize_sink_kafka" "out" { topic = "shop.orders" }',
            ("materialize_sink_kafka.out", "", "shop.orders"),
        ),
        (
            'resource "aws_kinesis_firehose_delivery_stream" "s" { msk_source_configuration { topic_name = "notes" } }',
            ("aws_kinesis_firehose_delivery_stream.s", "notes", ""),
        ),
    ],
)
def test_parts_of_a_resource_say_what_it_does_with_a_topic_of_kafka(resource, use):
    reading = read(_TOPIC, pipes_tf=resource)

    assert [(flow.job, flow.origin.name, flow.target.name) for flow in reading.flows] == [use]
    assert reading.unread == ()


def test_function_that_topics_start_reads_them():
    reading = read(
        _TOPIC
        + """
        resource "aws_lambda_event_source_mapping" "m" {
          function_name = "mailer"
          topics        = [kafka_topic.orders.name]
        }
        resource "aiven_kafka_native_acl" "a" {
          resource_name   = "shop.orders"
          resource_type   = "Topic"
          pattern_type    = "LITERAL"
          principal       = "User:billing"
          operation       = "Write"
          permission_type = "ALLOW"
        }
        """
    )

    assert {(flow.job, flow.origin.name, flow.target.name) for flow in reading.flows} == {
        ("mailer", "shop.orders", ""),
        ("billing", "", "shop.orders"),
    }
    assert reading.unread == ()
