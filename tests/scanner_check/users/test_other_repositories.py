"""A change of one service is checked against the other services of its company.

Four services of an invented company, and a library that one of them uses. The truth was written before the first run:
who reads which field of the topic `orders`, and where.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from committed_repository import commit_all, git

from scanner_api.dictionary import Dictionary
from scanner_api.graph.generate import generate
from scanner_api.scanning.run import scan
from scanner_check.commits import check_commits
from scanner_check.inputs.options import CheckOptions, read_judging
from scanner_check.model import ChangeReport, Verdict
from scanner_model.errors import InputInvalid

pytestmark = pytest.mark.slow

FIELDS = ("id", "total", "customer", "address", "coupon", "weight")
SCHEMA = {
    "type": "record",
    "name": "Order",
    "fields": [{"name": name, "type": "string"} for name in FIELDS],
}
SHOP = {
    "go.mod": "module example.com/shop\n",
    "schemas/orders-value.avsc": json.dumps(SCHEMA),
    "main.go": """\
package main

import "github.com/segmentio/kafka-go"

func main() {
	writer := &kafka.Writer{Topic: "orders"}
	writer.WriteMessages(ctx, kafka.Message{Value: body})
}
""",
}
BILLING = {
    "setup.py": "setup(name='billing')\n",
    "billing.py": """\
import json
from kafka import KafkaConsumer

consumer = KafkaConsumer("orders", group_id="billing")
for message in consumer:
    order = json.loads(message.value)
    charge(order["customer"], order["total"])
""",
}
SEARCH = {
    "package.json": '{"name": "search", "dependencies": {"kafkajs": "2"}}',
    "src/search.ts": """\
import { Kafka } from "kafkajs";

const kafka = new Kafka({ clientId: "search", brokers: [] });
const consumer = kafka.consumer({ groupId: "search" });
await consumer.subscribe({ topic: "orders" });
await consumer.run({
  eachMessage: async ({ message }) => {
    const { id, customer } = JSON.parse(message.value.toString());
    index(id, customer);
  },
});
""",
}
PLATFORM = {
    "go.mod": "module example.com/platform\n",
    "stream/stream.go": """\
package stream

import "github.com/segmentio/kafka-go"

type Settings struct {
	Source string
}

func Open(settings Settings) *kafka.Reader {
	return kafka.NewReader(kafka.ReaderConfig{Topic: settings.Source})
}
""",
}
SHIPPING = {
    "go.mod": "module example.com/shipping\n\nrequire example.com/platform v1.2.0\n",
    "main.go": """\
package main

import (
	"encoding/json"

	"example.com/platform/stream"
	"github.com/segmentio/kafka-go"
)

type Parcel struct {
	Address string `json:"address"`
	Weight  string `json:"weight"`
}

func main() {
	reader := stream.Open(stream.Settings{Source: "orders"})
	for {
		message, _ := reader.ReadMessage(ctx)
		ship(message)
	}
}

func ship(message kafka.Message) {
	var parcel Parcel
	json.Unmarshal(message.Value, &parcel)
	send(parcel.Address, parcel.Weight)
}
""",
}
COMPANY = {"billing": BILLING, "search": SEARCH, "shipping": SHIPPING, "platform": PLATFORM}
TRUTH = {
    "id": {"search reads it: search/src/search.ts:8"},
    "total": {"billing reads it: billing/billing.py:7"},
    "customer": {"billing reads it: billing/billing.py:7", "search reads it: search/src/search.ts:8"},
    "address": {"shipping reads it: shipping/main.go:26"},
    "weight": {"shipping reads it: shipping/main.go:26"},
    "coupon": {"no known program reads it"},
}


@pytest.fixture
def company(tmp_path: Path) -> Path:
    """Return the directory with the repositories of the company; `shop` has a commit."""
    for name, files in {"shop": SHOP, **COMPANY}.items():
        for path, text in files.items():
            file = tmp_path / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    git(tmp_path / "shop", "init", "-q")
    commit_all(tmp_path / "shop")
    return tmp_path


def without(company: Path, field: str) -> Path:
    """Commit the removal of a field of the schema; return the repository."""
    fields = [each for each in SCHEMA["fields"] if each["name"] != field]
    (company / "shop/schemas/orders-value.avsc").write_text(json.dumps({**SCHEMA, "fields": fields}), encoding="utf-8")
    commit_all(company / "shop")
    return company / "shop"


def check(shop: Path, **options: object) -> ChangeReport:
    return check_commits("HEAD~1..HEAD", CheckOptions(top=shop, **options), directory=shop)


def readers(report: ChangeReport) -> set[str]:
    """Return the sentences about readers of the removed field."""
    (finding,) = (finding for finding in report.findings if finding.rule == "column-removed")
    return {why for why in finding.why if " reads it" in why}


@pytest.mark.parametrize("field", FIELDS)
def test_a_removed_field_names_the_line_of_each_reader_in_other_repositories(company, field):
    report = check(without(company, field), beside=tuple(company / name for name in COMPANY))

    assert readers(report) == TRUTH[field]


def test_a_reader_in_another_repository_is_an_impact(company):
    (finding,) = (
        finding
        for finding in check(without(company, "total"), beside=(company / "billing",)).findings
        if finding.rule == "column-removed"
    )

    assert finding.verdict is Verdict.IMPACT
    assert {hit.place for hit in finding.affected if hit.name == "billing"} == {"billing/billing.py:7"}


def test_alone_a_repository_says_that_its_readers_are_elsewhere(company):
    (sentence,) = readers(check(without(company, "total")))

    assert sentence.startswith("no known program reads it; programs outside")


def test_a_library_is_followed_only_where_its_repository_is_read(company):
    """Without the library, nothing says that `Source` is a topic: the reader is not found, and that is said."""
    (sentence,) = readers(check(without(company, "address"), beside=(company / "shipping",)))

    assert sentence.startswith("no known program reads it; programs outside")


def test_a_dictionary_of_other_repositories_names_the_same_lines(company):
    """The nightly scan has the repository itself, too: each reader is named once."""
    dictionary = Dictionary(str(company / "nightly.db"))
    scan((), dictionary, directories=[company / name for name in ("shop", *COMPANY)])
    generate(dictionary)
    report = check(without(company, "customer"), others=(dictionary.url,))

    assert readers(report) == TRUTH["customer"]


def test_a_dictionary_without_a_graph_is_no_all_clear(company):
    dictionary = Dictionary(str(company / "nightly.db"))
    scan((), dictionary, directories=[company / "platform"])
    report = check(without(company, "coupon"), others=(dictionary.url,))

    assert "no-graph" in {finding.rule for finding in report.findings}


def test_settings_name_the_other_repositories(company):
    shop = company / "shop"
    (shop / ".scanner.yaml").write_text("repositories: [../billing, .]\n", encoding="utf-8")
    commit_all(shop)
    judging = read_judging(None, shop)

    assert [path.resolve() for path in judging.beside] == [(company / "billing").resolve()]


@pytest.mark.parametrize(("path", "what"), [("../absent", "is not a directory"), ("..", "contains the repository")])
def test_a_wrong_directory_is_an_error(company, path, what):
    (company / "shop/.scanner.yaml").write_text(f"repositories: ['{path}']\n", encoding="utf-8")

    with pytest.raises(InputInvalid, match=what):
        read_judging(None, company / "shop")
