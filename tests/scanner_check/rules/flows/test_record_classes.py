"""A field of a record class that changes while the topic's schema stays is a finding."""

from __future__ import annotations

import json

import pytest

from scanner_check.model import Verdict

pytestmark = pytest.mark.slow

PRODUCER = """\
package main

import (
	"encoding/json"

	"github.com/segmentio/kafka-go"
)

type Order struct {
	Id    string  `json:"id"`
	Total float64 `json:"total"`
}

func main() {
	writer := &kafka.Writer{}
	publish(writer, Order{Id: "1", Total: 2})
}

func publish(writer *kafka.Writer, order Order) {
	body, _ := json.Marshal(order)
	writer.WriteMessages(ctx, kafka.Message{Topic: "orders", Value: body})
}
"""
CONSUMER = """\
import json
from dataclasses import dataclass

from kafka import KafkaConsumer


@dataclass
class Invoice:
    id: str
    total: float


consumer = KafkaConsumer("orders", group_id="billing")
for message in consumer:
    invoice = Invoice(**json.loads(message.value))
    charge(invoice.id, invoice.total)
"""
FILES = {
    "shop/go.mod": "module example.com/shop\n",
    "shop/main.go": PRODUCER,
    "billing/setup.py": "setup(name='billing')\n",
    "billing/billing.py": CONSUMER,
}


def found(report, rule):
    return {finding.item: finding for finding in report.findings if finding.rule == rule}


def test_a_field_that_a_written_class_loses_names_its_readers(check):
    change = PRODUCER.replace('\tTotal float64 `json:"total"`\n', "").replace(", Total: 2", "")
    finding = found(check({"shop/main.go": change}, FILES), "record-field-removed")["total"]

    assert finding.verdict is Verdict.IMPACT
    assert finding.place.file == "shop/main.go"
    assert "billing reads it: billing/billing.py:16" in finding.why


def test_a_field_with_another_type_is_a_finding(check):
    report = check({"shop/main.go": PRODUCER.replace("Total float64", "Total string ")}, FILES)

    assert "which was float64 and is string" in found(report, "record-field-retyped")["total"].what


def test_a_field_that_is_renamed_is_said_to_be(check):
    change = PRODUCER.replace('`json:"total"`', '`json:"amount"`')

    assert (
        "perhaps renamed to amount"
        in found(check({"shop/main.go": change}, FILES), "record-field-removed")["total"].what
    )


def test_a_reader_that_expects_a_field_that_nothing_writes_is_unknown(check):
    report = check({"billing/billing.py": CONSUMER.replace("    total: float", "    sum: float")}, FILES)
    finding = found(report, "record-field-expected")["sum"]

    assert (finding.verdict, finding.place.file) == (Verdict.UNKNOWN, "billing/billing.py")


@pytest.mark.parametrize(
    "change",
    [
        {"shop/main.go": PRODUCER.replace("\tTotal float64", '\tNote  string  `json:"note"`\n\tTotal float64')},
        {"shop/main.go": PRODUCER.replace("Order", "Purchase")},
        {
            "billing/billing.py": CONSUMER.replace("    total: float\n", "    total: float\n    ").replace(
                "    \n", "\n"
            )
        },
    ],
)
def test_an_added_field_and_a_renamed_class_are_none(check, change):
    report = check(change, FILES)

    assert not any(finding.rule.startswith("record-field") for finding in report.findings)


READER = """\
import json
from kafka import KafkaConsumer
consumer = KafkaConsumer("orders", group_id="billing")
for message in consumer:
    order = json.loads(message.value)
    print(order["customer_email"], order["address"]["street"])
"""
ORDER = (
    '{"type": "record", "name": "Order", "fields": [{"name": "customer_email", "type": "string"}, {"name": "address",'
    ' "type": {"type": "record", "name": "A", "fields": [{"name": "street", "type": "string"}]}}]}'
)
READ = {"billing/setup.py": "setup(name='billing')\n", "billing/a.py": READER, "orders-value.avsc": ORDER}


@pytest.mark.parametrize(
    ("old", "new", "similar"),
    [
        ("customer_email", "customer_mail", "did you mean customer_email?"),
        ('["street"]', '["stret"]', "did you mean address.street?"),
        ("customer_email", "customerEmail", "did you mean customer_email?"),
        ("customer_email", "CUSTOMER_EMAIL", "did you mean customer_email?"),
        ('["street"]', '["Street"]', "did you mean address.street?"),
        ("customer_email", "phone", ""),
    ],
)
def test_a_field_that_is_newly_read_and_in_no_schema_is_found(check, old, new, similar) -> None:
    """Both facts are known: what the program reads, and what the topic has."""
    (finding,) = found(check({"billing/a.py": READER.replace(old, new)}, READ), "record-field-expected").values()

    assert finding.verdict is (Verdict.IMPACT if similar else Verdict.UNKNOWN)
    assert similar in finding.why or not similar
    assert (finding.place.file, finding.place.line) == ("billing/a.py", 6)


@pytest.mark.parametrize(
    "change",
    [
        {
            "billing/a.py": READER.replace(
                'order["customer_email"]', 'order.get("customerEmail", order["customer_email"])'
            )
        },
        {"billing/a.py": READER.replace('order["address"]["street"]', 'order["address"]')},
        {
            "billing/a.py": READER.replace("customer_email", "phone"),
            "orders-value.avsc": ORDER.replace('fields": [', 'fields": [{"name": "phone", "type": "string"}, ', 1),
        },
    ],
)
def test_a_field_that_the_schema_of_either_commit_has_is_not_reported(check, change) -> None:
    assert not any(finding.rule == "record-field-expected" for finding in check(change, READ).findings)


LISTENER = """\
package a;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.springframework.kafka.annotation.KafkaListener;
class Listener {
  record Order(String customer_email) {}
  @KafkaListener(topics = "orders")
  void on(Order order) { System.out.println(order.customer_email()); }
}
"""
MEMBER = "String customer_email"
GO_LISTENER = """\
package main

import (
	"context"
	"encoding/json"

	"github.com/segmentio/kafka-go"
)

type Order struct {
	Email string `json:"customer_email"`
}

func main() {
	reader := kafka.NewReader(kafka.ReaderConfig{Topic: "orders"})
	message, _ := reader.ReadMessage(context.Background())
	var order Order
	json.Unmarshal(message.Value, &order)
	println(order.Email)
}
"""


@pytest.mark.parametrize(
    ("file", "text", "old", "new", "is_found"),
    [
        ("mail/Listener.java", LISTENER, MEMBER, "String customerEmail", True),
        ("mail/Listener.java", LISTENER, MEMBER, '@JsonProperty("customer_email") String customerEmail', False),
        ("mail/main.go", GO_LISTENER, "customer_email", "customerEmail", True),
        ("mail/main.go", GO_LISTENER, "customer_email", "Customer_Email", False),
    ],
)
def test_a_member_that_was_spelled_as_the_field_must_stay_so(check, file, text, old, new, is_found) -> None:
    """No library converts a name that fits: what converts it is an annotation, or Go, which ignores letter case."""
    changed = text.replace(old, new).replace("order.customer_email()", "order.customerEmail()")
    before = {file: text, "mail/go.mod": "module mail\n", "orders-value.avsc": ORDER}

    assert bool(found(check({file: changed}, before), "record-field-expected")) is is_found


SEARCH = """\
package a;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.springframework.kafka.annotation.KafkaListener;
public class Search {
  private final ObjectMapper mapper = new ObjectMapper();
  private final Index index;
  @KafkaListener(topics = "cdc.public.product", groupId = "search")
  public void on(String message) throws Exception {
    JsonNode payload = mapper.readTree(message).get("payload");
    JsonNode after = payload.get("after");
    index.put(payload.get("op").asText(), after.get("id").asInt(), after.get("name").asText());
  }
}
"""
SOURCE = {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "topic.prefix": "cdc",
    "database.hostname": "db",
    "database.dbname": "shop",
    "table.include.list": "public.product",
}
CAPTURED = {
    "search/pom.xml": "<project><artifactId>search</artifactId></project>",
    "search/src/main/java/a/Search.java": SEARCH,
    "shop.sql": "CREATE TABLE public.product (id INT, name TEXT);",
    "source.json": json.dumps({"name": "source", "config": SOURCE}),
}


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ('"name"', '"nam"', Verdict.IMPACT),
        ('"name"', '"title"', Verdict.UNKNOWN),
        ('"op"', '"ts_ms"', None),
        ('"name"', '"id"', None),
    ],
)
def test_field_that_no_captured_table_has_is_found(check, old, new, verdict) -> None:
    """The columns of the table are what the topic has; its envelope has fields of Debezium's own."""
    file = "search/src/main/java/a/Search.java"
    findings = found(check({file: SEARCH.replace(old, new)}, CAPTURED), "record-field-expected").values()

    assert [finding.verdict for finding in findings] == ([verdict] if verdict else [])


def test_field_of_a_table_that_is_not_declared_is_no_finding(check) -> None:
    files = {name: text for name, text in CAPTURED.items() if name != "shop.sql"}
    file = "search/src/main/java/a/Search.java"

    assert not found(check({file: SEARCH.replace('"name"', '"title"')}, files), "record-field-expected")
