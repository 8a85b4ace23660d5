"""What is read of the sends of a program: topic, key, fields, conditions; and what is opaque instead of absent."""

from __future__ import annotations

import pytest

SENDER = (
    "import org.springframework.kafka.core.KafkaTemplate;\nclass Sender {{\n  KafkaTemplate<String, Order> template;\n"
    "  void send(Order order) {{\n    {}\n  }}\n}}\n"
)
ORDER = "record Order(String id, int total) {}\n"


def java(body, **others):
    return {"shop/Sender.java": SENDER.format(body), "shop/Order.java": ORDER, **others}


def test_a_send_has_its_topic_key_and_fields(sends):
    (one,) = sends(java('template.send("orders", order.id(), order);')).contracts

    assert (one.topics, one.parts) == (("orders",), (("key", "in:0.id"),))
    assert {path: (part.text, part.kind) for path, part in one.shape.fields} == {
        "id": ("in:0.id", "String"),
        "total": ("in:0.total", "int"),
    }
    assert not one.opaque


def test_a_condition_and_an_early_exit_are_conditions_of_the_send(sends):
    (inside,) = sends(java('if (order.total() > 1) { template.send("orders", order); }')).contracts
    (behind,) = sends(java('if (order.total() <= 1) { return; } template.send("orders", order);')).contracts

    assert inside.guards == behind.guards == {"<(1, in:0.total)"}


def test_a_loop_over_known_items_runs_once_for_each(sends):
    code = 'for (String topic : List.of("a", "b")) { template.send(topic, order); }'
    assert {one.topics for one in sends(java(code)).contracts} == {("a",), ("b",)}


def test_what_follows_a_block_whose_manager_swallows_failures_runs(sends):
    """Python leaves the block of a `with` by its `return` only if nothing failed in it."""
    files = {
        "a.py": (
            "from contextlib import suppress\nfrom kafka import KafkaProducer\n\n\n"
            "def register(store, order, producer: KafkaProducer):\n"
            "    with suppress(LookupError):\n        store.get(order.id)\n        return\n"
            "    producer.send('orders', order.total)\n"
        )
    }
    assert [one.topics for one in sends(files).contracts] == [("orders",)]


def test_an_object_that_an_unused_call_got_may_have_changed(sends):
    made = 'Order o = new Order("a", 1); {} template.send("orders", o);'
    plain, logged, filled = (
        sends(java(made.format(call))).contracts[0].shape
        for call in ("", 'org.slf4j.LoggerFactory.getLogger("x").info("{}", o);', "Filler.fill(o);")
    )
    assert plain == logged
    assert plain != filled


def test_a_send_of_an_unknown_object_is_a_send_where_a_client_is_used(sends):
    files = {"a.py": "from kafka import KafkaProducer\ndef publish(bus, v):\n    bus.send('orders', v)\n"}
    assert [one.topics for one in sends(files).contracts] == [("orders",)]


def test_a_record_that_an_unknown_function_is_given_is_sent(sends):
    """That is what a record of a client is for; a logger and a list do nothing with it."""
    code = (
        "import org.apache.kafka.clients.producer.ProducerRecord;\nimport org.slf4j.Logger;\nclass Outlet {{\n"
        "  Logger log;\n  House house;\n  void send(Order order) {{\n"
        '    var made = new ProducerRecord<>("orders", order.id(), order);\n    {}\n  }}\n}}\n'
    )
    files = {"Outlet.java": code.format("house.dispatch(made, 3);"), "Order.java": ORDER}
    assert [(one.topics, one.method, one.opaque) for one in sends(files).contracts] == [
        (("orders",), "dispatch", False)
    ]
    assert sends({**files, "Outlet.java": code.format('log.info("{}", made);')}).contracts == []


def test_a_file_that_uses_a_client_in_no_known_way_is_unresolved(sends):
    files = {"src/lib.rs": "use rdkafka::producer::FutureRecord;\npub fn send(order: &Order) {}\n"}
    assert sends(files).unresolved == [("src/lib.rs", 1)]


def test_a_file_that_only_reads_is_no_send(sends):
    code = (
        "import org.springframework.kafka.annotation.KafkaListener;\nclass Reader {\n"
        '  @KafkaListener(topics = "orders") void on(Order o) { store(o); }\n}\n'
    )
    found = sends({"shop/Reader.java": code})
    assert (found.contracts, found.unresolved, found.setup) == ([], [], {})


def test_a_program_without_a_client_has_no_endpoints(sends):
    found = sends({"a.py": "def send(x):\n    bus.send(x)\n"})
    assert (found.contracts, found.unresolved) == ([], [])


def test_a_record_of_a_schema_that_others_may_send_counts(sends):
    maker = "class Maker { Bill make(Order o) { Bill b = new Bill(); b.setState(o.id()); return b; } }\n"
    relay = java('template.send("bills", order.bill());')
    found = sends({**relay, "shop/Maker.java": maker}, frozenset({"Bill"}))
    made = next(one for one in found.contracts if one.method == "new Bill")
    assert dict(made.shape.fields)["state"].text == "in:0.id"


def test_a_queue_has_what_others_put_in(sends):
    code = """\
import queue
from kafka import KafkaProducer

class Outbox:
    def __init__(self):
        self.queue = queue.Queue()
        self.producer = KafkaProducer()

    def put(self, order):
        self.queue.put({"id": order["id"]})

    def run(self):
        while True:
            self.producer.send("orders", self.queue.get())
"""
    (one,) = (one for one in sends({"a.py": code}).contracts if one.view == "Outbox.run")
    assert [path for path, _ in one.shape.fields] == ["id"]


def test_constants_that_double_at_each_step_end(sends):
    """The last of them has as many parts as there are atoms; it is a value of two parts, which are one."""
    steps = "".join(f"const val T{step} = T{step - 1} + T{step - 1}\n" for step in range(1, 60))
    code = (
        f'import org.apache.kafka.clients.producer.*\nconst val T0 = "a"\n{steps}'
        'fun f(p: KafkaProducer<String, String>) { p.send(ProducerRecord(T59, "x")) }\n'
    )
    found = sends({"App.kt": code})
    assert not any(one.topics for one in found.contracts)


@pytest.mark.parametrize("depth", [200, 2_000])
def test_code_that_nests_deeply_is_opaque_and_ends(sends, depth):
    nested = f"{'[' * depth}1{']' * depth}"
    files = {"a.py": f"from kafka import KafkaProducer\nKafkaProducer().send('orders', {nested})\n"}
    found = sends(files)
    assert found.is_opaque or found.contracts


def test_functions_that_call_each_other_end(sends):
    code = (
        "from kafka import KafkaProducer\np = KafkaProducer()\n"
        "def a(x):\n    return b(x)\ndef b(x):\n    p.send('orders', a(x))\n    return a(x)\n"
    )
    assert {one.topics for one in sends({"a.py": code}).contracts} == {("orders",)}


@pytest.mark.parametrize("gap", [" \\\n    ", " # why\n    "])
def test_a_line_may_go_on_anywhere(sends, gap):
    """What a grammar allows between any two words is no code."""
    code = "from kafka import KafkaProducer\nKafkaProducer().send('orders', (1 if a{0}else 2), key={0}k)\n"
    broken, plain = (sends({"a.py": code.format(text)}).contracts[0] for text in (gap, " "))
    assert broken.content == plain.content


MEASURED = {
    "Kotlin": {
        "Sender.kt": (
            "import io.github.oshai.kotlinlogging.withLoggingContext\n"
            "import org.springframework.kafka.core.KafkaTemplate\n"
            "class Sender(private val template: KafkaTemplate<String, String>) {\n"
            '    fun send(id: String) = withLoggingContext("id" to id) { template.send("orders", id) }\n}\n'
        )
    },
    "TypeScript": {
        "sender.ts": (
            "import { trace } from '@opentelemetry/api';\nimport { Kafka } from 'kafkajs';\n"
            "const producer = new Kafka({ clientId: 'a' }).producer();\nconst tracer = trace.getTracer('a');\n"
            "export async function send(id: string) {\n"
            "  await tracer.startActiveSpan('send', async (span) => {\n"
            "    await producer.send({ topic: 'orders', messages: [{ value: id }] });\n    span.end();\n  });\n}\n"
        )
    },
    "Java": {
        "Sender.java": (
            "import io.micrometer.core.instrument.Timer;\nimport org.springframework.kafka.core.KafkaTemplate;\n"
            "class Sender {\n  KafkaTemplate<String, String> template;\n  Timer timer;\n"
            '  void send(String id) { timer.record(() -> template.send("orders", id)); }\n}\n'
        )
    },
}


@pytest.mark.parametrize("language", MEASURED)
def test_what_only_watches_runs_the_function_that_it_is_given(sends, language: str) -> None:
    assert [(one.topics, one.guards) for one in sends(MEASURED[language]).contracts] == [(("orders",), frozenset())]


CAUGHT = {
    "java": (
        "Sender.java",
        "import org.springframework.kafka.core.KafkaTemplate;\nclass Sender {{\n"
        "  KafkaTemplate<String, String> template;\n"
        '  void send(Order order) {{\n    {}\n    template.send("orders", order.id());\n  }}\n'
        '  void check(Order order) {{ if (order.total() < 1) {{ throw new IllegalStateException("none"); }} }}\n}}\n',
        "check(order);",
        "try {{ check(order); }} catch (Exception e) {{ log.warn(e); {} }}",
        ("throw e;", "return;"),
    ),
    "python": (
        "sender.py",
        "from kafka import KafkaProducer\nproducer = KafkaProducer()\n\ndef check(order):\n    if order.total < 1:\n"
        "        raise ValueError('none')\n\ndef send(order):\n    {}\n    producer.send('orders', order.id)\n",
        "check(order)",
        "try:\n        check(order)\n    except Exception as error:\n        log.warning(error)\n        {}",
        ("raise", "return"),
    ),
}


@pytest.mark.parametrize("language", CAUGHT)
def test_a_send_behind_what_may_fail_depends_on_how_that_is_caught(sends, language: str) -> None:
    """It is as without handlers if these leave; where they go on, so does the send."""
    path, code, call, caught, leaving = CAUGHT[language]

    def guards(text: str) -> frozenset[str]:
        return next(one.guards for one in sends({path: code.format(text)}).contracts if one.view.endswith("send"))

    assert guards(call)
    assert [guards(caught.format(one)) for one in leaving] == [guards(call)] * len(leaving)
    assert guards(caught.format("" if language == "java" else "pass")) == frozenset()


def test_a_file_of_declarations_that_names_a_client_is_not_unresolved(sends) -> None:
    """What implements it is another file."""
    port = (
        "import org.springframework.kafka.support.SendResult;\ninterface Port {\n"
        "  void send(Order order, Callback<SendResult<String, Order>> done);\n}\n"
    )
    assert sends(java('template.send("orders", order);', **{"shop/Port.java": port})).unresolved == []


def test_what_is_private_to_the_only_implementation_is_followed(sends) -> None:
    """Nothing of it sends, and its object is known by the interface only."""
    files = java(
        'template.send("orders", rules.of(order));',
        **{
            "shop/Rules.java": "public interface Rules { String of(Order order); }\n",
            "shop/Strict.java": (
                "public class Strict implements Rules {\n  public String of(Order order) { return named(order); }\n"
                '  private String named(Order order) { return "no " + order.id(); }\n}\n'
            ),
        },
    )
    files["shop/Sender.java"] = files["shop/Sender.java"].replace("  void send", "  Rules rules;\n  void send")
    assert [dict(one.shape.fields)[""].text for one in sends(files).contracts] == ['text("no ", in:0.id)']
