"""Clients that no row of the libraries knows: what says that they are some, and what of them is known all the same."""

from __future__ import annotations

import pytest

from scanner_programs.compare import compare
from scanner_programs.libraries.selection import owner_of, unknown_client

PROGRAMS = {
    # an interface of the house's library, whose object another module makes
    "python": {
        "mail/outbox.py": (
            "from acme_bus.ports import Publisher\n\n\nclass Outbox:\n"
            "    def __init__(self, publisher: Publisher):\n        self._publisher = publisher\n\n"
            "    async def sent(self, mail):\n        await self._publisher.publish(\n"
            "            topic='mails', key=mail.id, payload={'to': mail.to, 'size': mail.size}\n        )\n"
        ),
        "mail/main.py": (
            "from acme_bus.kafka import KafkaPublisher\nfrom mail.outbox import Outbox\n\n\n"
            "async def main(mail):\n    async with KafkaPublisher.start() as publisher:\n"
            "        await Outbox(publisher).sent(mail)\n"
        ),
    },
    # a class, given by a constructor, with arguments by their places
    "java": {
        "shop/Shipping.java": (
            "package shop;\nimport com.acme.platform.kafka.Topics;\nclass Shipping {\n  private final Topics topics;\n"
            "  Shipping(Topics topics) { this.topics = topics; }\n"
            "  void shipped(Order order) { topics.put(new Shipped(order.id(), order.size())); }\n}\n"
        ),
        "shop/Order.java": "package shop;\nrecord Order(String id, int size) {}\n",
        "shop/Shipped.java": "package shop;\nrecord Shipped(String id, int size) {}\n",
    },
    # a package whose functions make the client
    "go": {
        "main.go": (
            'package main\nimport "github.com/acme/kafkabox"\ntype Reading struct {\n  Id string `json:"id"`\n'
            '  Size int `json:"size"`\n}\nfunc main() {\n  box := kafkabox.Open("readings")\n'
            '  box.Put(Reading{Id: "a", Size: 3})\n}\n'
        )
    },
    # a package named for it, whose class is not
    "typescript": {
        "src/stock.ts": (
            'import { Outlet } from "@acme/kafka-outlet";\nexport class Stock {\n'
            "  constructor(private readonly outlet: Outlet) {}\n"
            "  async counted(item: string, size: number) { await this.outlet.emit({ item, size: size }); }\n}\n"
        ),
        "src/main.ts": (
            'import { Outlet } from "@acme/kafka-outlet";\nimport { Stock } from "./stock";\n'
            'new Stock(new Outlet({ brokers: "b" })).counted("a", 1);\n'
        ),
    },
    "csharp": {
        "Meter.cs": (
            "using Acme.Kafka.Streams;\nclass Meter {\n  private readonly Pipe pipe = new Acme.Kafka.Streams.Pipe();\n"
            "  public void Read(string id, int size) { pipe.Push(new Reading { Id = id, Size = size }); }\n}\n"
            "class Reading { public string Id { get; set; } public int Size { get; set; } }\n"
        )
    },
}
EDITS = {
    "python": ("'size': mail.size", "'size': None"),
    "java": ("order.size()", "0"),
    "go": ("Size: 3", "Size: 4"),
    "typescript": ("size: size", "size: 0"),
    "csharp": ("Size = size", "Size = 0"),
}


def changed(files, old, new):
    return {path: text.replace(old, new) for path, text in files.items()}


@pytest.mark.parametrize("language", PROGRAMS)
def test_what_an_unknown_client_is_given_counts(sends, language):
    before = sends(PROGRAMS[language])
    found = compare(before, sends(changed(PROGRAMS[language], *EDITS[language])))
    assert before.contracts
    assert [one.field for one in found if one.aspect in ("computed", "code")]


def test_another_name_of_a_parameter_does_not(sends):
    files = PROGRAMS["python"]
    renamed = changed(changed(changed(files, "mail)", "letter)"), "mail.", "letter."), "from letter.", "from mail.")
    assert compare(sends(files), sends(renamed)) == []


def test_names_of_arguments_that_the_protocol_has_say_what_they_are(sends):
    (one, *_) = sends(PROGRAMS["python"]).contracts
    assert one.topics == ("mails",)
    assert "key" in dict(one.parts)
    assert {path for path, _ in one.shape.fields} == {"to", "size"}


@pytest.mark.parametrize("given", ["'mails', payload={'to': mail}", "payload={'to': mail}, message='mails'"])
def test_each_argument_counts(sends, given):
    files = {
        "a.py": "from acme_bus.kafka import Bus\n\n\ndef main(mail):\n    Bus('b').publish(%s)\n" % given  # noqa: UP031
    }
    assert compare(sends(files), sends(changed(files, "'mails'", "'letters'")))


def test_of_long_values_the_part_that_differs_is_shown(sends):
    members = ", ".join(f"'part{number}': mail.part{number}" for number in range(20))
    files = {
        "a.py": "from acme_bus.kafka import Bus\n\n\ndef main(mail):\n    Bus('b').put([made({" + members + "})])\n"
    }
    (found,) = compare(sends(files), sends(changed(files, "mail.part19", "mail.last")))
    assert "part19" in found.before
    assert "last" in found.after


def test_a_client_that_nothing_is_seen_to_call_may_send_anything(sends):
    files = {"a.py": "from acme_bus.kafka import start\n\n\ndef main(order):\n    start()\n"}
    assert sends(files).unresolved == [("a.py", 1)]


def test_a_function_that_a_platform_calls_with_records_only_reads(sends):
    files = {
        "a/Handler.java": (
            "package a;\nimport com.acme.runtime.events.KafkaEvent;\nclass Handler {\n"
            "  void handle(KafkaEvent event) { event.getRecords().forEach((key, listed) -> store(listed)); }\n}\n"
        )
    }
    assert sends(files).unresolved == []


def test_a_logger_is_one_wherever_it_writes(sends):
    """A class whose name is one of a library for records is declared as a logger by those that use it."""
    files = {
        "src/main.ts": (
            'import { KafkaLogger } from "@acme/logs";\nimport { ILogger } from "@acme/log-types";\n'
            "class Main {\n  private logger: ILogger;\n"
            '  start() { this.logger = new KafkaLogger("logs"); this.logger.info("started"); }\n}\n'
            "new Main().start();\n"
        )
    }
    assert sends(files).contracts == []


@pytest.mark.parametrize(
    ("imported", "language", "package"),
    [
        ("hexkit.providers.akafka.KafkaEventPublisher", "python", "hexkit.providers.akafka"),
        ("@acme/nodejs-kafka-lib.Producer", "typescript", "@acme/nodejs-kafka-lib"),
        ("com.acme.bus.KafkaBus", "kotlin", "com.acme.bus.KafkaBus"),
        ("github.com/acme/kit/kafka/producer", "go", "github.com/acme/kit/kafka"),
        ("Acme.Messaging.Kafka", "csharp", "Acme.Messaging.Kafka"),
        ("acme_kafka::Producer", "rust", "acme_kafka"),
    ],
)
def test_a_library_with_kafka_in_its_name_is_a_client(imported, language, package):
    found = unknown_client(imported, language)
    assert found is not None
    assert found.packages == (package,)


@pytest.mark.parametrize(
    ("imported", "language"),
    [
        ("org.apache.kafka.common.errors.TimeoutException", "java"),
        ("io.confluent.kafka.serializers.KafkaAvroSerializer", "kotlin"),
        ("io.micrometer.core.instrument.binder.kafka.KafkaClientMetrics", "java"),
        ("github.com/confluentinc/confluent-kafka-go/v2/kafka", "go"),
        ("kafkajs.Kafka", "typescript"),
        ("acme.bus", "python"),
    ],
)
def test_one_whose_publisher_is_known_or_that_has_another_name_is_none(imported, language):
    assert unknown_client(imported, language) is None


@pytest.mark.parametrize(
    ("imported", "language", "owner"),
    [("@acme/bus.Bus", "typescript", "@acme"), ("kafkajs.Kafka", "javascript", "kafkajs"), ("a.b.c", "java", "a.b")],
)
def test_whoever_publishes_a_library_is_what_its_imports_begin_with(imported, language, owner):
    assert owner_of(imported, language) == owner


def test_what_a_function_that_a_client_is_given_logs_is_no_difference(sends):
    """It is written out where it is given to a library; what it sends is seen where it is called."""
    files = {
        "src/main.ts": (
            'import { Reader } from "@acme/kafka-reader";\nconst reader = new Reader("b");\n'
            'reader.each(async (order) => { console.log("got one"); handle(order.id); });\n'
        )
    }
    before = sends(files)
    assert before.contracts
    assert compare(before, sends(changed(files, "got one", "got an order"))) == []
    assert compare(before, sends(changed(files, "order.id", "order.total")))
