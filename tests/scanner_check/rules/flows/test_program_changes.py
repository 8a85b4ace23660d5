"""Whose code changes: programs, and modules that their build files name."""

from __future__ import annotations

import pytest
from committed_repository import BASE, KSQL

from scanner_check.model import Verdict

pytestmark = pytest.mark.slow


def test_code_that_programs_share_counts_and_code_of_others_is_fine(check):
    """The build files of programs name the module; what nothing names hits nobody."""
    java = "class Order {\n  int id;\n  int total;\n}\n"
    pom = "<project><artifactId>{}</artifactId>{}</project>"
    base = {
        **BASE,
        "common/pom.xml": pom.format("acme-common", ""),
        "common/Order.java": java,
        "pom.xml": pom.format("all", "<module>common</module><module>site</module><module>shop</module>"),
        "site/pom.xml": pom.format("site", "<parent><artifactId>all</artifactId></parent>"),
        "site/Page.java": java,
        "shop/pom.xml": pom.format(
            "shop", "<parent><artifactId>all</artifactId></parent><artifactId>acme-common</artifactId>"
        ),
        "shop/A.java": "import org.springframework.kafka.core.KafkaTemplate;\n"
        'class A { KafkaTemplate<String, Order> t; void send(Order o) { t.send("orders", o); } }\n',
    }
    less, comment = java.replace("  int total;\n", ""), {"a.ksql": KSQL + "-- more\n"}
    report = check({"common/Order.java": less, **comment}, base)
    assert {finding.rule for finding in report.findings if finding.counts} == {"record-field-removed"}
    assert check({"site/Page.java": less, **comment}, base).verdict is Verdict.FINE


def test_code_of_a_module_that_is_new_is_fine(check):
    """Nothing can name it yet."""
    base = {**BASE, "shop/pom.xml": "<project/>", "shop/A.java": "class A { KafkaTemplate<String, Order> t; }\n"}
    files = {"extra/pom.xml": "<project/>", "extra/B.java": "class B {\n  int id;\n}\n", "a.ksql": KSQL + "-- more\n"}
    assert "code-changed" not in {finding.rule for finding in check(files, base).findings}


def test_code_that_uses_kafka_and_names_no_topic_that_is_known_is_unknown(check):
    """Beside other files, too; where nothing of it is read, nobody can say whom it hits."""
    code = "from kafka import KafkaProducer\nfor name in listed():\n    KafkaProducer().send(name, {'total': 1})\n"
    base = {**BASE, "jobs/setup.py": "", "jobs/relay.py": code}
    files = {"jobs/relay.py": code.replace("total", "sum"), "a.ksql": KSQL + "-- more\n"}

    report = check(files, base)

    assert {(finding.rule, finding.target) for finding in report.findings if finding.counts} == {
        ("record-field-removed", "jobs/relay.py")
    }
    assert report.verdict is Verdict.UNKNOWN


def test_the_settings_of_a_client_in_code_are_unknown_without_an_import(check):
    """The name of the class is a text, and the platform that makes the consumer is not known."""
    code = (
        "import os\nCONSUMER = {'class': 'house.KafkaConsumer', 'topics': os.environ['INPUT_TOPICS']}\nLEVEL = 'info'\n"
    )
    base = {**BASE, "step/setup.py": "", "step/settings.py": code}
    comment = {"a.ksql": KSQL + "-- more\n"}

    renamed = check({"step/settings.py": code.replace("INPUT_TOPICS", "SOURCE_TOPICS"), **comment}, base)
    assert [(finding.rule, finding.target) for finding in renamed.findings if finding.counts] == [
        ("code-changed", "step/settings.py")
    ]
    assert renamed.verdict is Verdict.UNKNOWN
    assert check({"step/settings.py": code.replace("info", "debug"), **comment}, base).verdict is Verdict.FINE


def test_a_program_without_known_topics_beside_one_that_only_reads_is_unknown(check):
    """What the reader does says nothing of the other."""
    reader = "from kafka import KafkaConsumer\nKafkaConsumer('orders')\n"
    writer = """\
def publish(frame, topics):
    frame = frame.withColumn("at", seconds(frame["at"]))
    for topic in topics():
        frame.writeStream.format("kafka").option("topic", topic).start()
"""
    base = {**BASE, "jobs/setup.py": "", "jobs/read.py": reader, "jobs/write.py": writer}

    report = check({"jobs/write.py": writer.replace("seconds", "millis"), "a.ksql": KSQL + "-- more\n"}, base)

    assert report.verdict is Verdict.UNKNOWN
    assert "jobs/write.py" in {finding.target for finding in report.findings if finding.counts}


SHOP = {
    "shop/pom.xml": "<project><artifactId>shop</artifactId></project>",
    "shop/Order.java": "package shop;\nclass Order {\n  int id;\n  int total;\n}\n",
    "shop/Page.java": 'package shop;\nclass Page {\n  String title() { return "a"; }\n}\n',
    "shop/Sender.java": (
        "package shop;\nimport org.springframework.kafka.core.KafkaTemplate;\nclass Sender {\n"
        "  KafkaTemplate<String, Order> template;\n  void send(Order order) {\n"
        '    log.info("sent");\n    template.send("BIG", order);\n  }\n}\n'
    ),
}
READER = {
    "bill/pom.xml": "<project><artifactId>bill</artifactId></project>",
    "bill/Bills.java": (
        "package bill;\nimport org.springframework.kafka.annotation.KafkaListener;\nclass Bills {\n"
        '  @KafkaListener(topics = "BIG", groupId = "bill")\n  void on(String order) { store(order); }\n}\n'
    ),
}


def edited(path: str, old: str, new: str) -> dict[str, str]:
    return {path: {**SHOP, **READER}[path].replace(old, new)}


def test_a_field_that_leaves_a_record_names_the_topic_and_its_readers(check):
    report = check(edited("shop/Order.java", "  int total;\n", ""), {**BASE, **SHOP, **READER})

    (finding,) = (finding for finding in report.findings if finding.counts)
    assert (finding.rule, finding.target, finding.verdict) == ("record-field-removed", "job shop", Verdict.IMPACT)
    assert finding.what == "shop no longer sets total of BIG"
    assert {"s3", "bill"} <= {hit.name for hit in finding.readers}


def test_the_place_of_a_finding_is_the_changed_line(check):
    report = check(edited("shop/Sender.java", "BIG", "SMALL"), {**BASE, **SHOP, **READER})

    assert ("shop/Sender.java", 7) in {(one.place.file, one.place.line) for one in report.findings if one.counts}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("shop/Sender.java", '    log.info("sent");\n', ""),
        ("shop/Sender.java", "class Sender", "/** Sends. */\nclass Sender"),
        ("shop/Page.java", '"a"', '"b"'),
        ("shop/Order.java", "  int id;\n", "  int id;\n  int more;\n"),
        ("bill/Bills.java", "store(order)", "keep(order)"),
    ],
)
def test_logging_pages_further_fields_and_programs_that_only_read_hit_nobody(check, path, old, new):
    report = check(edited(path, old, new), {**BASE, **SHOP, **READER})

    assert report.verdict is Verdict.FINE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('template.send("BIG", order)', 'template.send("BIG", order.id, order)'),
        ("package shop;\n", "package shop;\nimport shop.v2.Order;\n"),
    ],
)
def test_a_key_and_the_import_of_another_record_hit_the_readers(check, old, new):
    base = {**BASE, **SHOP, **READER}
    base["shop/Sender.java"] = base["shop/Sender.java"].replace("package shop;", "package shop;\nimport shop.v1.Order;")
    text = base["shop/Sender.java"].replace(old, new).replace("import shop.v2.Order;\n\nimport shop.v1.Order;", "")
    text = text.replace("import shop.v2.Order;\nimport shop.v1.Order;\n", "import shop.v2.Order;\n")

    assert check({"shop/Sender.java": text}, base).verdict is Verdict.IMPACT


def test_a_renamed_topic_is_one_finding(check):
    """The writer, the readers and the declaration say the same."""
    report = check(edited("shop/Sender.java", "BIG", "LARGE"), {**SHOP, **READER})

    counting = [finding for finding in report.findings if finding.counts]
    assert [finding.rule for finding in counting] == ["topic-renamed"]
    assert counting[0].what.startswith("BIG → LARGE")
    assert "bill" in counting[0].what


def test_a_change_without_anything_of_kafka_says_so(check):
    report = check({"README.md": "more", "web/a.css": "a {}"}, {**BASE, "README.md": "", "web/a.css": ""})

    assert (report.verdict, report.scope) == (Verdict.FINE, "Nothing in this change concerns Kafka")


def test_files_that_scanner_does_not_claim_to_understand_are_listed(check):
    report = check({"lib/a.bin": "b", "a.ksql": KSQL + "-- more\n"}, {**BASE, "lib/a.bin": "a"})

    assert (report.verdict, report.scope) == (Verdict.FINE, "1 file examined; not examined: `lib/a.bin`")


def test_code_of_another_platform_reaches_no_record(check):
    """A page in JavaScript cannot be called by the Java that sends records, whatever its names are."""
    page = "export const Order = 3;\n"
    base = {**BASE, **SHOP, "shop/page.js": page}

    report = check({"shop/page.js": page.replace("3", "4")}, base)

    assert report.verdict is Verdict.FINE


def test_the_answer_says_what_changed_once(check):
    report = check(edited("shop/Sender.java", "order);\n  }", "halved(order));\n  }"), {**BASE, **SHOP})

    (finding,) = (finding for finding in report.findings if finding.counts)
    assert finding.what == "shop sends to BIG in another form"


def test_a_change_that_speaks_of_kafka_and_hits_nobody_does_not_deny_it(check):
    """A constant with the name of a topic that nothing uses yet."""
    settings = 'class Settings {\n  String page = "a";\n}\n'
    base = {**BASE, **SHOP, "shop/Settings.java": settings}

    report = check({"shop/Settings.java": settings.replace("  String", '  String smsTopic = "b";\n  String')}, base)

    assert report.verdict is Verdict.FINE
    assert report.concerns_kafka


def test_a_workflow_is_examined_by_its_commands(check):
    """Names of steps, and paths that start it, are not commands."""
    path, steps = ".github/workflows/ci.yaml", "on:\n  push:\n    paths:\n      - connectors/**\njobs: {}\n"
    base = {**BASE, path: steps}

    report = check({path: steps + "# more\n", "pom.xml": "<project/>"}, base)
    assert (report.verdict, report.concerns_kafka, report.not_examined) == (Verdict.FINE, False, ())
    report = check({path: steps.replace("connectors/**", "connectors/*.json")}, base)
    assert report.verdict is Verdict.FINE
    report = check({path: steps + "  - run: kafka-topics --delete --topic orders\n"}, base)
    assert report.verdict is Verdict.UNKNOWN


def test_a_function_that_answers_requests_reaches_no_record_by_its_route(check):
    """What starts the program sends records and sets up the routes; the answer to a request is no record."""
    sender = SHOP["shop/Sender.java"].replace('log.info("sent");', "Routes.initRoutes(server);")
    routes = 'package shop;\nclass Routes {\n  static void initRoutes(Server s) { s.get("/", Page::title); }\n}\n'
    base = {**BASE, **SHOP, "shop/Sender.java": sender, "shop/Routes.java": routes}

    report = check(edited("shop/Page.java", '"a"', '"b"'), base)

    assert report.verdict is Verdict.FINE


def test_a_value_that_a_serializer_uses_is_unknown_without_a_known_topic(check):
    """A library of events: the programs that write them resolve no topic."""
    serde = (
        "package shop;\nimport org.apache.kafka.common.serialization.Serializer;\n"
        "class Serde implements Serializer<Event> {\n"
        "  byte[] serialize(String t, Event e) { return e.of(Kinds.KIND); }\n}\n"
    )
    kinds = 'package shop;\nclass Kinds {\n  static final String KIND = "started";\n}\n'
    base = {**BASE, "shop/pom.xml": "<project/>", "shop/Serde.java": serde, "shop/Kinds.java": kinds}

    assert check({"shop/Kinds.java": kinds.replace("started", "begun")}, base).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("name", ["create", "metricOf"])
def test_what_makes_a_record_is_followed_whatever_it_is_called(check, name):
    """A common name is followed by its class; metrics are what the records are about."""
    maker = f"package shop;\nclass Maker {{\n  Order {name}(int id) {{ return new Order(id); }}\n}}\n"
    sender = (
        SHOP["shop/Sender.java"]
        .replace("  void", "  Maker maker;\n  void")
        .replace('"BIG", order', f'"BIG", maker.{name}(order.id)')
    )
    base = {**BASE, **SHOP, "shop/Maker.java": maker, "shop/Sender.java": sender}

    report = check({"shop/Maker.java": maker.replace("new Order(id)", "new Order(-id)")}, base)

    assert report.verdict is Verdict.IMPACT


def test_a_directory_of_features_is_not_one_of_tests(check):
    base = {**BASE, "shop/pom.xml": SHOP["shop/pom.xml"], "shop/features/Sender.java": SHOP["shop/Sender.java"]}

    report = check({"shop/features/Sender.java": SHOP["shop/Sender.java"].replace('"BIG", order', '"BIG", o')}, base)

    assert report.verdict is Verdict.IMPACT


@pytest.mark.parametrize(("key", "verdict"), [("producer", Verdict.UNKNOWN), ("swagger", Verdict.FINE)])
def test_a_setting_that_stops_a_producer_is_unknown(check, key, verdict):
    path, on = "shop/src/main/resources/application.yml", f"shop:\n  {key}:\n    enabled: true\n"

    assert check({path: on.replace("true", "false")}, {**BASE, **SHOP, path: on}).verdict is verdict


def test_a_script_without_an_ending_is_listed(check):
    script = "#!/usr/bin/env python\nfrom kafka import KafkaProducer\nKafkaProducer().send('BIG', b'1')\n"

    report = check({"bin/relay": script.replace("b'1'", "b'2'")}, {**BASE, "bin/relay": script})

    assert report.verdict is Verdict.UNKNOWN
    assert [finding.place.file for finding in report.findings if finding.rule == "not-read"] == ["bin/relay"]


BILL = '{"type": "record", "namespace": "bill", "name": "Bill", "fields": [{"name": "state", "type": "string"}]}'
MAKER = """package bill;
class Maker {
  static Bill make(Order order) {
    Bill bill = new Bill();
    bill.setState(state(order));
    return bill;
  }
  static String state(Order order) { return order.isPaid() ? "PAID" : "OPEN"; }
  static String title(Order order) { return "Order"; }
}
"""
OUTBOX = {
    "bill/pom.xml": "<project><artifactId>bill</artifactId></project>",
    "bill/bill.avsc": BILL,
    "bill/Maker.java": MAKER,
    "bill/Made.java": "package bill;\nclass Made {\n  Bill bill;\n}\n",
    "bill/Relay.java": (
        "package bill;\nimport org.springframework.kafka.core.KafkaTemplate;\nclass Relay {\n"
        "  KafkaTemplate<String, Bill> template;\n  void on(Made made) {\n"
        '    template.send("bills", made.getBill());\n  }\n}\n'
    ),
}


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ('"PAID"', '"SETTLED"', Verdict.UNKNOWN),
        ("    return bill;", '    bill.setState("LATE");\n    return bill;', Verdict.UNKNOWN),
        ("    return bill;", '    if (late) bill.setDue("now");\n    return bill;', Verdict.FINE),
        ("    return bill;", "    bill.setDue(order.due());\n    return bill;", Verdict.FINE),
        ('"Order"', '"An order"', Verdict.FINE),
    ],
)
def test_code_that_makes_a_record_of_a_schema_reaches_who_sends_it(check, old, new, verdict):
    """Also if an event or a table is between them, so that neither calls the other."""
    report = check({"bill/Maker.java": MAKER.replace(old, new)}, {**BASE, **OUTBOX})
    assert report.verdict is verdict
    assert [one.rule for one in report.findings if one.counts] == ["record-field-computed"] * (
        verdict is Verdict.UNKNOWN
    )


def test_the_place_of_a_topic_that_is_read_is_where_that_one_is_read(check):
    code = (
        "from kafka import KafkaConsumer\nfirst = KafkaConsumer('archive')\nsecond = KafkaConsumer('orders-a')\n"
        "third = KafkaConsumer('orders')\n"
    )
    report = check({"read.py": code.replace("orders-a", "orders-b")}, {**BASE, "read.py": code})
    (finding,) = (one for one in report.findings if one.rule == "input-without-writer")
    assert (finding.item, finding.place.file, finding.place.line) == ("orders-b", "read.py", 3)
    assert finding.what.startswith("reads orders-b")


def test_a_log_line_about_kafka_in_a_file_without_a_client_is_fine(check):
    """Also through a logger that another class has for all."""
    code = (
        "package shop;\nimport org.slf4j.Logger;\nimport org.slf4j.LoggerFactory;\nclass Settings {\n"
        "  static final Logger LOG = LoggerFactory.getLogger(Settings.class);\n  String kafkaBrokers;\n"
        '  void start() {\n    LOG.info("no kafka brokers {}", kafkaBrokers);\n    kafkaBrokers = find();\n  }\n}\n'
    )
    base = {**BASE, "step/pom.xml": "<project><artifactId>step</artifactId>kafka</project>"}
    base |= {"step/Settings.java": code}

    assert check({"step/Settings.java": code.replace("LOG.info", "LOG.warn")}, base).verdict is Verdict.FINE


UNKNOWN_CLIENTS = {
    "src/main.rs": (
        "use acme_stream::backends::kafka::producer::KafkaProducer;\n"
        "pub fn publish(producer: &KafkaProducer, order: &Order) {\n    producer.push(order.id, body(order));\n}\n"
        "fn body(order: &Order) -> Vec<u8> {\n    pack(order.total, order.lane)\n}\n"
        'fn title() -> String {\n    String::from("orders")\n}\n'
    ),
    "Out.cs": (
        "using Acme.Kafka.Outlets;\nnamespace A;\nclass Out {\n  private readonly Outlet outlet;\n"
        "  public void Publish(Order order) { outlet.push(order.id, Body(order)); }\n"
        "  byte[] Body(Order order) { return pack(order.total, order.lane); }\n"
        '  string Title() { return "orders"; }\n}\n'
    ),
    "Out.kt": (
        "package a\nimport io.acme.kafka.Outlet\nclass Out(private val outlet: Outlet) {\n"
        "  fun publish(order: Order) { outlet.push(order.id, body(order)) }\n"
        '  fun body(order: Order) = pack(order.total, order.lane)\n  fun title() = "orders"\n}\n'
    ),
    "src/main.py": (
        "from acme.kafka import Outlet\n\ndef publish(order):\n    Outlet('o').push(order.id, body(order))\n\n"
        "def body(order):\n    return pack(order.total, order.lane)\n\ndef title():\n    return 'orders'\n"
    ),
}


@pytest.mark.parametrize("path", UNKNOWN_CLIENTS)
@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("push(order.id", "push(order.lane", Verdict.UNKNOWN),
        ("pack(order.total, order.lane)", "pack(order.total)", Verdict.UNKNOWN),
        ("orders", "Orders", Verdict.FINE),
    ],
)
def test_code_around_a_client_that_is_not_known_is_unknown(check, path, old, new, verdict):
    """In every language: what uses the client, and what that calls in its file."""
    text = UNKNOWN_CLIENTS[path]

    assert check({path: text.replace(old, new)}, {**BASE, "Cargo.toml": "", path: text}).verdict is verdict


OUTLET = (
    "package a;\nimport io.acme.kafka.Outlet;\nclass Out {\n  Outlet outlet;\n"
    "  void publish(Order order) { outlet.push(order.id, body(order)); }\n"
    "  String body(Order order) { return pack(order.total, order.lane); }\n"
    "  void onOrder(Order order) { outlet.push(order.lane); }\n}\n"
)
MOVED = (
    OUTLET.replace("  String body(Order order) { return pack(order.total, order.lane); }\n", "").replace(
        "body(", "Bodies.made("
    ),
    "package a;\nclass Bodies {\n  static String made(Order order) { return pack(order.total, order.lane); }\n}\n",
)


def test_a_function_that_has_another_name_and_file_is_the_same(check):
    """What it does is compared, and what calls it does so by the new name."""
    base, (out, bodies) = {**BASE, "Out.java": OUTLET}, MOVED

    assert check({"Out.java": OUTLET.replace("body(", "made(")}, base).verdict is Verdict.FINE
    assert check({"Out.java": out, "Bodies.java": bodies}, base).verdict is Verdict.FINE


@pytest.mark.parametrize(
    ("out", "bodies"),
    [
        (MOVED[0], MOVED[1].replace("order.lane", "order.id")),
        (MOVED[0].replace("order.id", "order.lane"), MOVED[1]),
        (MOVED[0].replace("onOrder", "on"), MOVED[1]),
        (MOVED[0].replace("Bodies.made(", "Pages.made("), MOVED[1]),
    ],
    ids=["it does something else", "what calls it does", "one that nothing calls by its name", "another class"],
)
def test_a_function_with_another_name_hides_no_other_change(check, out, bodies):
    base = {**BASE, "Out.java": OUTLET}

    assert check({"Out.java": out, "Bodies.java": bodies}, base).verdict is Verdict.UNKNOWN


def test_statement_that_reads_other_columns_is_not_hit_by_a_lost_field(check):
    """Its columns are known: it does not use the field, however it uses the topic."""
    code = "from kafka import KafkaProducer\nKafkaProducer().send('orders', {'id': 1, 'currency': 'EUR'})\n"
    reader = (
        "import json\nfrom kafka import KafkaConsumer\n"
        "for one in KafkaConsumer('orders'):\n    print(json.loads(one.value)['currency'])\n"
    )
    files = {**BASE, "jobs/setup.py": "", "jobs/send.py": code, "mail/setup.py": "", "mail/read.py": reader}
    report = check({"jobs/send.py": code.replace(", 'currency': 'EUR'", "")}, files)

    (finding,) = (one for one in report.findings if one.rule == "record-field-removed")
    assert "read" in {hit.name for hit in finding.affected}
    assert not {hit.name for hit in finding.affected} & {"BIG", "s3"}


COUNTED = {
    "pay/go.mod": "module pay\n\nrequire github.com/segmentio/kafka-go v0.4.47\n",
    "pay/kafka/metrics.go": 'package kafka\n\nimport "github.com/prometheus/client_golang/prometheus/promauto"\n\n'
    'var (\n\tpaid = promauto.NewCounter(promauto.Opts{Name: "paid_kafka"})\n)\n',
    "pay/kafka/pay.go": 'package kafka\n\nimport "github.com/segmentio/kafka-go"\n\n'
    "type Pay struct {\n\tw *kafka.Writer\n}\n\n"
    "func (p *Pay) Handle(id string) error {\n\tpaid.Inc()\n"
    "\treturn p.w.WriteMessages(nil, kafka.Message{Value: []byte(id)})\n}\n\n"
    "func (p *Pay) Count(id string) int {\n\treturn len(id)\n}\n",
    "pay/main.go": 'package main\n\nimport (\n\t"pay/kafka"\n\tk "github.com/segmentio/kafka-go"\n)\n\nfunc main() {\n'
    '\tkafka.NewPay(&k.Writer{Topic: "payments"})\n}\n',
}


@pytest.mark.slow
def test_a_counter_of_another_file_of_the_package_changes_no_record(check) -> None:
    """In Go all files of a directory are one package."""
    counter = '\tfailed = promauto.NewCounter(promauto.Opts{Name: "failed_kafka"})\n)'
    head = {
        "pay/kafka/metrics.go": COUNTED["pay/kafka/metrics.go"].replace("\n)", f"\n{counter}"),
        "pay/kafka/pay.go": COUNTED["pay/kafka/pay.go"].replace("\treturn len", "\tfailed.Inc()\n\treturn len"),
    }

    assert check(head, COUNTED).verdict is Verdict.FINE


INTERCEPTED = {
    "pay/go.mod": "module pay\n\nrequire github.com/IBM/sarama v1.43.0\n",
    "pay/trace.go": 'package main\n\nimport "github.com/IBM/sarama"\n\ntype tracer struct{ spans int }\n\n'
    "func (t *tracer) OnConsume(m *sarama.ConsumerMessage) {\n\tt.spans = len(m.Value)\n}\n",
    "pay/main.go": 'package main\n\nimport "github.com/IBM/sarama"\n\ntype handler struct{}\n\n'
    "func (h *handler) ConsumeClaim(s sarama.ConsumerGroupSession, c sarama.ConsumerGroupClaim) error {\n"
    "\tfor m := range c.Messages() {\n\t\tprintln(string(m.Value))\n\t}\n\treturn nil\n}\n\nfunc main() {\n"
    '\tg, _ := sarama.NewConsumerGroup([]string{"k:9092"}, "pay", sarama.NewConfig())\n'
    '\tg.Consume(nil, []string{"orders"}, &handler{})\n}\n',
}


@pytest.mark.slow
def test_a_file_that_only_names_types_of_what_is_read_sends_nothing(check) -> None:
    text = INTERCEPTED["pay/trace.go"].replace("len(m.Value)", "len(m.Value) + 1")

    assert check({"pay/trace.go": text}, INTERCEPTED).verdict is Verdict.FINE


BUSES = {
    "bus.py": (
        "from superbus import Bus\n\nbus = Bus('kafka-1:9092,kafka-2:9092')\n\n\n"
        "def place(order):\n    bus.emit('orders', {'id': order.id, 'total': order.total})\n\n\n"
        "def page(name):\n    return f'hello {name}'\n"
    ),
    "main.go": (
        'package main\n\nimport (\n\t"acme.io/stream"\n)\n\n'
        'type Order struct {\n\tId    string\n\tTotal int `json:"total"`\n}\n\n'
        'func main() {\n\tclient := stream.Dial("broker-1:9092")\n\tclient.Put("orders", Order{Id: "1"})\n}\n\n'
        'func page(name string) string {\n\treturn "hello " + name\n}\n'
    ),
}


@pytest.mark.parametrize("name", BUSES)
def test_what_is_given_the_address_of_brokers_is_a_client(check, name):
    """Whatever the library is called; code beside it and another address are nothing of it."""
    code, build = BUSES[name], {"requirements.txt": "superbus\n", "go.mod": "module shop\n"}
    edit, beside = {name: code.replace("total", "sum")}, {name: code.replace("hello", "hi")}

    assert check(edit, {name: code, **build}).verdict is Verdict.UNKNOWN
    assert check(beside, {name: code, **build}).verdict is Verdict.FINE
    other = {
        path: text.replace("kafka-1:9092,kafka-2:9092", "db:5432").replace("broker-1:9092", "db:5432")
        for path, text in {**edit, name: code}.items()
    }
    assert check({name: other[name].replace("total", "sum")}, {**other, **build}).verdict is Verdict.FINE


def test_a_build_script_is_no_code_of_a_program(check):
    """Its libraries are compared; how a plug-in of the build is set reaches no record."""
    build = 'plugins { kotlin("jvm") version "1.8.20" }\n'
    build += 'dependencies { implementation("org.apache.kafka:kafka-clients:3.4.0") }\n'
    code = "import org.apache.kafka.clients.consumer.KafkaConsumer\n"
    code += "fun run(c: KafkaConsumer<String, String>, t: String) { c.subscribe(listOf(t)) }\n"
    base = {**BASE, "feed/build.gradle.kts": build, "feed/src/main/kotlin/Run.kt": code}
    edit = {"feed/build.gradle.kts": build.replace("{ kotlin", '{ id("swagger") version "5"; kotlin')}

    assert check({**edit, "a.ksql": KSQL + "-- more\n"}, base).verdict is Verdict.FINE


def test_an_event_of_a_library_that_hides_kafka_is_sent(check):
    """Eventuate Tram publishes domain events to the topic of their aggregate."""
    event = (
        "package shop;\n\npublic class OrderApproved implements DomainEvent {\n    Long orderId;\n    String state;\n"
    )
    event += "    OrderApproved(Long orderId, String state) { this.orderId = orderId; this.state = state; }\n}\n"
    service = (
        "package shop;\n\nimport io.eventuate.tram.events.publisher.DomainEventPublisher;\n\n"
        "class Orders {\n    DomainEventPublisher publisher;\n\n    void approve(Long id, String state) {\n"
        '        publisher.publish("shop.Order", id, List.of(new OrderApproved(id, state)));\n    }\n}\n'
    )
    base = {"pom.xml": "<project/>", "shop/OrderApproved.java": event, "shop/Orders.java": service}
    less = (
        event.replace("    Long orderId;\n", "").replace("Long orderId, ", "").replace("this.orderId = orderId; ", "")
    )
    head = {"shop/OrderApproved.java": less, "shop/Orders.java": service.replace("(id, state))", "(state))")}

    report = check(head, base)

    assert "record-field-removed" in {finding.rule for finding in report.findings if finding.counts}
    assert "shop.Order" in str(report.findings)


def test_a_renamed_accessor_of_a_record_that_is_not_followed_is_unknown(check):
    """A serializer reads its name, which no other code has."""
    java = (
        "import org.springframework.kafka.core.KafkaTemplate;\n"
        "class Rate { private long cents; public long getCents() { return cents; } }\n"
        "class A { KafkaTemplate<String, Object> t; void send() { t.send(Names.topic(), Rates.next()); } }\n"
    )
    base = {**BASE, "shop/pom.xml": "<project/>", "shop/A.java": java}

    report = check({"shop/A.java": java.replace("getCents", "getAmount"), "a.ksql": KSQL + "-- more\n"}, base)

    assert report.verdict is Verdict.UNKNOWN


LAYERS = {
    "producer/pom.xml": "<project><artifactId>acme-producer</artifactId></project>",
    "producer/Sender.java": (
        "package producer;\nimport org.springframework.kafka.core.KafkaTemplate;\n@Component\npublic class Sender {\n"
        "  private final KafkaTemplate<String, String> template;\n"
        "  public Sender(KafkaTemplate<String, String> template) { this.template = template; }\n"
        "  public void send(String topic, String value) { template.send(topic, value); }\n}\n"
    ),
    "core/pom.xml": "<project><artifactId>acme-core</artifactId></project>",
    "core/Price.java": (
        "package core;\n@Component\npublic class Price {\n"
        '  public String of(String total) { return "EUR " + total; }\n'
        '  public String title() { return "a"; }\n}\n'
    ),
    "messaging/pom.xml": (
        "<project><artifactId>acme-messaging</artifactId><dependency><artifactId>acme-core</artifactId></dependency>"
        "<dependency><artifactId>acme-producer</artifactId></dependency></project>"
    ),
    "messaging/Publisher.java": (
        "package messaging;\nimport core.Price;\nimport producer.Sender;\n@Component\npublic class Publisher {\n"
        "  private final Sender sender;\n  private final Price price;\n"
        "  public Publisher(Sender sender, Price price) { this.sender = sender; this.price = price; }\n"
        '  public void publish(String total) { sender.send("BIG", price.of(total)); }\n}\n'
    ),
    "app/pom.xml": (
        "<project><artifactId>acme-app</artifactId><dependency><artifactId>acme-core</artifactId></dependency>"
        "<dependency><artifactId>acme-messaging</artifactId></dependency>"
        "<dependency><artifactId>acme-producer</artifactId></dependency></project>"
    ),
    "app/App.java": (
        "package app;\n@SpringBootApplication\npublic class App {\n"
        "  public static void main(String[] given) { SpringApplication.run(App.class, given); }\n}\n"
    ),
}


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [('"EUR " + total', "total", Verdict.IMPACT), ('"a"', '"b"', Verdict.FINE)],
    ids=["what is sent", "what is not"],
)
def test_code_of_a_module_is_part_of_the_program_that_links_it(check, old: str, new: str, verdict: Verdict) -> None:
    """The call that writes is in a library of its own, and no file near the changed one names a topic."""
    code = LAYERS["core/Price.java"].replace(old, new)

    report = check({"core/Price.java": code}, {**BASE, **LAYERS, **READER})

    assert report.verdict is verdict


NAMED = {
    **LAYERS,
    "producer/Topics.java": "package producer;\npublic record Topics(String big) {}\n",
    "producer/Sender.java": (
        "package producer;\nimport org.springframework.kafka.core.KafkaTemplate;\npublic class Sender {\n"
        "  private final KafkaTemplate<String, String> template;\n  private final Topics topics;\n"
        "  public Sender(KafkaTemplate<String, String> template, Topics topics) {\n"
        "    this.template = template; this.topics = topics;\n  }\n"
        "  public void send(String value) { template.send(topics.big(), value); }\n"
        "  /* further */\n}\n"
    ),
    "messaging/Publisher.java": (
        "package messaging;\nimport org.springframework.kafka.core.KafkaTemplate;\nimport producer.Sender;\n"
        "import producer.Topics;\n@Component\npublic class Publisher {\n  private final Sender sender;\n"
        "  public Publisher(KafkaTemplate<String, String> template) {\n"
        '    this.sender = new Sender(template, new Topics("BIG"));\n  }\n'
        "  public void publish(String total) { sender.send(total); }\n}\n"
    ),
}


def test_what_programs_show_of_a_library_is_not_asked_of_it_alone(check) -> None:
    """Alone, it knows no topic but the name of a member, which is another one now."""
    changed = {
        path: NAMED[path].replace("String big", "String large").replace("topics.big()", "topics.large()")
        for path in ("producer/Topics.java", "producer/Sender.java")
    }

    assert check(changed, {**BASE, **NAMED, **READER}).verdict is Verdict.FINE


def test_what_a_library_sends_for_no_program_here_is_asked_of_it_alone(check) -> None:
    more = '  public void warn(String value) {\n    template.send(topics.big(), value + "!");\n  }\n'
    base = {**NAMED, "producer/Sender.java": NAMED["producer/Sender.java"].replace("  /* further */\n", more)}
    code = base["producer/Sender.java"].replace('value + "!"', "value")

    assert check({"producer/Sender.java": code}, {**BASE, **base, **READER}).verdict is not Verdict.FINE


def test_code_of_a_module_that_a_program_links_counts_without_a_known_topic(check) -> None:
    base = {path: text.replace('"BIG"', "topics.next()") for path, text in LAYERS.items()}
    code = base["core/Price.java"].replace('"EUR " + total', "total")

    assert check({"core/Price.java": code}, {**BASE, **base}).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("target", "more", "verdict"),
    [("b", "", Verdict.UNKNOWN), ("a", ', "@new/*": ["libs/new/*"]', Verdict.FINE)],
)
def test_settings_that_lead_imports_to_other_code_are_unknown(check, target, more, verdict):
    """No source file changes, and the program runs another serializer; a further alias changes nothing."""
    paths = '{"compilerOptions": {"paths": {"@ser/*": ["libs/%s/*"]%s}}}'
    serializer = "export const ser = (o) => JSON.stringify({ id: o.id, total: o.total });\n"
    base = {
        **BASE,
        "tsconfig.json": paths % ("a", ""),
        "libs/a/core.ts": serializer,
        "libs/b/core.ts": serializer.replace(", total: o.total", ""),
        "src/app.ts": "import { Kafka } from 'kafkajs';\nimport { ser } from '@ser/core';\n"
        "const producer = new Kafka({ brokers: [] }).producer();\nexport async function send(o) {\n"
        "  await producer.send({ topic: 'orders', messages: [{ value: ser(o) }] });\n}\n",
    }

    assert check({"tsconfig.json": paths % (target, more)}, base).verdict is verdict


BUS = (
    "import acme.bus.Bus\n\nclass Decided(private val bus: Bus) {\n"
    '    init {\n        Rule(bus).wanted("decided")\n    }\n\n'
    '    fun publish(id: String) {\n        bus.put(id, mapOf("name" to "decided", "id" to id))\n    }\n}\n'
)
DEPLOYED = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: decisions\n"
    "spec:\n  template:\n    spec:\n      containers:\n"
    "        - name: decisions\n          image: acme/decisions\n          env:\n            - name: {}\n"
    "              value: decisions\n"
)


@pytest.mark.parametrize("old", ['"name" to "decided"', 'wanted("decided")'])
@pytest.mark.parametrize(
    ("variable", "verdict"), [("KAFKA_TOPIC", Verdict.UNKNOWN), ("PAGE_TITLE", Verdict.FINE)], ids=["kafka", "none"]
)
def test_code_whose_deployment_connects_it_to_kafka_is_unknown_if_no_client_is_known(
    check, old: str, variable: str, verdict: Verdict
) -> None:
    """The client is in a library whose name does not say so; what runs when an object is made counts, too."""
    base = {
        **BASE,
        "decisions/build.gradle.kts": "plugins { kotlin }\n",
        "decisions/src/Decided.kt": BUS,
        "deploy/decisions.yaml": DEPLOYED.format(variable),
    }
    changed = BUS.replace(old, old.replace("decided", "settled"))

    assert check({"decisions/src/Decided.kt": changed}, base).verdict is verdict


@pytest.mark.parametrize(("folder", "verdict"), [("decisions/", Verdict.UNKNOWN), ("", Verdict.FINE)])
def test_a_setting_of_kafka_connects_the_program_that_it_is_beside(check, folder: str, verdict: Verdict) -> None:
    """Beside a compose file, it is for the services that are given it."""
    base = {
        **BASE,
        "decisions/build.gradle.kts": "plugins { kotlin }\n",
        "decisions/src/Decided.kt": BUS,
        f"{folder}.env": "KAFKA_ADDR=kafka:9092\n",
    }
    changed = BUS.replace('wanted("decided")', 'wanted("settled")')

    assert check({"decisions/src/Decided.kt": changed}, base).verdict is verdict


TITLES = (
    'import com.acme.house.bus.Bus\n\nfun start() = Bus(System.getenv("{}"))\n\nobject Titles {{\n'
    '    fun title(order: Order) = title(order.path("id"))\n\n    fun title(name: String) = "order $name"\n}}\n'
)


@pytest.mark.parametrize(("variable", "verdict"), [("KAFKA_BROKERS", Verdict.UNKNOWN), ("PAGES", Verdict.FINE)])
@pytest.mark.parametrize(("old", "new"), [('"id"', '"key"'), ('"order', '"the order')], ids=["first", "second"])
def test_code_that_names_a_variable_of_kafka_is_unknown_in_each_function_of_a_name(
    check, old: str, new: str, variable: str, verdict: Verdict
) -> None:
    """A platform sets the variable; functions with one name have texts of their own."""
    titles = TITLES.format(variable)
    base = {**BASE, "titles/build.gradle.kts": "plugins { kotlin }\n", "titles/src/Titles.kt": titles}

    assert check({"titles/src/Titles.kt": titles.replace(old, new)}, base).verdict is verdict


SIDECAR = (
    "from dapr.clients import DaprClient\n\n\ndef placed(order):\n    with DaprClient() as client:\n"
    "        client.publish_event('bus', 'orders', text(order))\n\n\ndef text(order):\n    return {'id': order.id}\n"
)
COMPONENT = "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {name: bus}\nspec: {type: pubsub.kafka}\n"


@pytest.mark.parametrize(("name", "verdict"), [("bus", Verdict.UNKNOWN), ("log", Verdict.FINE)])
def test_code_around_what_names_a_component_of_kafka_is_unknown(check, name: str, verdict: Verdict) -> None:
    base = {
        **BASE,
        "shop/setup.py": "setup(name='shop')\n",
        "shop/app.py": SIDECAR.replace("bus", name),
        "c/bus.yaml": COMPONENT,
    }

    assert check({"shop/app.py": base["shop/app.py"].replace("order.id", "order.key")}, base).verdict is verdict


@pytest.mark.parametrize(
    ("path", "setting", "code"),
    [
        ("svc/settings.toml", "[default]\nloan_days = {}\nport = 80\n", "value = settings.loan_days\n"),
        ("svc/config/base.yaml", "port: 80\nloanDays: {}\n", "value = house.config('loanDays')\n"),
        ("svc/.env", "SVC_PORT=80\nSVC_LOAN_DAYS={}\n", "value = settings.loan_days\n"),
    ],
)
def test_a_setting_that_may_be_part_of_what_is_sent_is_unknown(check, path: str, setting: str, code: str) -> None:
    """How a house reads its settings is not known; the name that code has for one is."""
    sent = f"import house\nfrom kafka import KafkaProducer\nfrom house import settings\n{code}"
    sent += "def send(order):\n    KafkaProducer().send('loans', {'id': order.id, 'days': value})\n"
    base = {**BASE, "svc/setup.py": "", "svc/app.py": sent, path: setting.format(21)}

    rules = {one.rule for one in check({path: setting.format(28)}, base).findings if one.counts}
    other = check({path: setting.format(21).replace("80", "81")}, base)

    assert rules == {"code-changed"}
    assert other.verdict is Verdict.FINE


APART = {
    **BASE,
    "src/cart/src/cart.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>',
    "src/cart/src/Cart.cs": "namespace Cart;\npublic class Totals { public int Of(int one) { return one + 1; } }\n",
    "src/bills/bills.csproj": (
        '<Project><Protobuf Include="src\\protos\\demo.proto" />'
        '<PackageReference Include="Confluent.Kafka" />LINK</Project>'
    ),
    "src/bills/Bills.cs": (
        "using Confluent.Kafka;\nnamespace Bills;\npublic class Sender {\n"
        "    private readonly IProducer<string, string> producer;\n"
        "    public void Send(int total) { producer.Produce(Names.Topic(), House.Of(new Totals().Of(total))); }\n}\n"
    ),
}
"""Two programs with directories of one name, and a place for a link between them."""


@pytest.mark.parametrize(
    ("link", "verdict"),
    [
        ("", Verdict.FINE),
        ('<ProjectReference Include="..\\cart\\src\\cart.csproj" />', Verdict.UNKNOWN),
    ],
    ids=["a path of its own", "a path to the other"],
)
def test_a_path_in_a_build_file_links_the_module_that_it_leads_to(check, link: str, verdict: Verdict) -> None:
    base = {**APART, "src/bills/bills.csproj": APART["src/bills/bills.csproj"].replace("LINK", link)}

    report = check({"src/cart/src/Cart.cs": APART["src/cart/src/Cart.cs"].replace("one + 1", "one + 2")}, base)

    assert report.verdict is verdict
