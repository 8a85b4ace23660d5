"""Definitions of source files: what differs in them is code, not its comments, order, logging or documentation."""

from __future__ import annotations

import pytest
from scanner_extractor.repository.applications.definitions import read_definitions

JAVA = """import a.v1.Order;
class Shop {
  private String topic = "orders"; // where to
  /* sends */
  void send(Order order) { log.info("sent {}", order); template.send(topic, order); }
}
"""
PYTHON = """TOPIC = "orders"

def send(order):
    '''Send it.'''
    logger.info(order)
    producer.send(TOPIC, order)
"""
GO = """package shop

const topic = "orders"

type Order struct {
\tTotal int `json:"total"`
}

func (o *Order) send() {
\tlog.Info("x")
\tw.WriteMessages(o)
}
"""
KOTLIN = """class Shop {
  val topic = "orders"
  fun send(o: Order) { logger.info("x"); template.send(topic, o) }
}
"""
CSHARP = """class Shop {
  string Topic = "orders";
  void Send(Order o) { _logger.LogInformation("x"); producer.Produce(Topic, o); }
}
"""
TYPESCRIPT = """const topic = "orders";
export class Shop {
  send(o: Order) { console.log(o); this.producer.send({ topic, o }); }
}
"""
FILES = {"A.java": JAVA, "a.py": PYTHON, "a.go": GO, "A.kt": KOTLIN, "A.cs": CSHARP, "a.ts": TYPESCRIPT}


def texts(path: str, text: str) -> dict[str, list[tuple[str, ...]]]:
    named = read_definitions(path, text).named()
    return {name: sorted(one.texts for one in definitions) for name, definitions in named.items()}


@pytest.mark.parametrize("path", FILES)
def test_a_topic_is_part_of_the_definition_that_names_it(path: str) -> None:
    before, after = texts(path, FILES[path]), texts(path, FILES[path].replace("orders", "bills"))

    assert before.keys() == after.keys()
    assert [name.rpartition(".")[2].lower() for name in before if before[name] != after[name]] == ["topic"]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("A.java", 'log.info("sent {}", order);', ""),
        ("A.java", "// where to", "// elsewhere"),
        ("A.java", "/* sends */", "/* sends\n * all */"),
        ("a.py", "    logger.info(order)\n", ""),
        ("a.py", "Send it.", "Send the order."),
        ("a.go", '\tlog.Info("x")\n', ""),
        ("A.kt", 'logger.info("x");', ""),
        ("A.cs", '_logger.LogInformation("x");', ""),
        ("a.ts", "console.log(o);", ""),
    ],
)
def test_logging_comments_and_documentation_make_no_difference(path: str, old: str, new: str) -> None:
    assert texts(path, FILES[path]) == texts(path, FILES[path].replace(old, new))


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("A.java", "template.send(topic, order);", "template.send(topic, order); /* x */ audit(order);"),
        ("a.go", "w.WriteMessages(o)", "*o = Order{}\n\tw.WriteMessages(o)"),
        ("a.go", 'json:"total"', 'json:"sum"'),
        ("a.py", "producer.send(TOPIC, order)", "producer.send(TOPIC, order\n        * 12)"),
    ],
)
def test_code_beside_a_comment_or_behind_an_asterisk_is_code(path: str, old: str, new: str) -> None:
    assert texts(path, FILES[path]) != texts(path, FILES[path].replace(old, new))


@pytest.mark.parametrize(
    ("path", "text", "imports"),
    [
        ("A.java", "import a.v2.Order;\n", {"Order": "a.v2.Order"}),
        ("a.py", "from shop.v2 import Order, Bill as B\n", {"Order": "shop.v2.Order", "B": "shop.v2.Bill"}),
        ("a.ts", 'import { Order } from "./json";\n', {"Order": "./json"}),
        ("a.go", 'package a\n\nimport "example.org/kafka/v3"\n', {"kafka": "example.org/kafka/v3"}),
    ],
)
def test_imports_are_known_by_the_names_that_they_bind(path: str, text: str, imports: dict[str, str]) -> None:
    assert read_definitions(path, text).imports == imports
