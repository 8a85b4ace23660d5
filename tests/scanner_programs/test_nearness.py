"""Which code counts if something that is sent was not followed: what leads there, and what that uses."""

from __future__ import annotations

import pytest

from scanner_programs.compare import compare
from scanner_programs.endpoints import endpoints_of
from tests.scanner_programs.conftest import program_of

_GO = {
    "cmd/run.go": (
        'package cmd\n\nimport (\n\t"shop/internal/api"\n\t"shop/internal/worker"\n)\n\n'
        'func run(name string, cfg *Config) {\n\tswitch name {\n\tcase "api":\n\t\tapi.Serve(cfg)\n'
        '\tcase "worker":\n\t\tworker.Start(cfg)\n\t}\n}\n'
    ),
    "internal/api/main.go": (
        'package api\n\nfunc Serve(cfg *Config) {\n\tserve(cfg.Port, prices("EUR"))\n}\n\n'
        'func prices(currency string) string {\n\treturn currency + "!"\n}\n'
    ),
    "internal/worker/main.go": (
        'package worker\n\nimport "github.com/confluentinc/confluent-kafka-go/kafka"\n\n'
        "func Start(cfg *Config) {\n\tproducer, _ := kafka.NewProducer(&kafka.ConfigMap{})\n"
        "\tfor _, one := range pending() {\n\t\tproducer.Produce(wrapped(one), nil)\n\t}\n}\n\n"
        'func pending() []string {\n\treturn split(limit() + "a,b")\n}\n\nfunc limit() string {\n\treturn "10"\n}\n'
    ),
}
_PYTHON = {
    "views.py": (
        "from store import db, Order\n\n\ndef listed(request):\n    return [one.total for one in db.query(Order)]\n\n\n"
        'def paid(request):\n    order = db.get(Order, request["id"])\n    order.state = "paid"\n    db.save(order)\n'
    ),
    "worker.py": (
        "from kafka import KafkaProducer\nfrom store import db, Order\nimport house\n\nproducer = KafkaProducer()\n\n\n"
        "def send():\n    for order in db.query(Order):\n        if order.state:\n"
        "            house.push(producer.send, order)\n"
    ),
}


def _changed(files: dict[str, str], path: str, text: str, other: str) -> list[str]:
    assert text in files[path]
    sides = files, {**files, path: files[path].replace(text, other)}
    before, after = (endpoints_of(program_of(one)) for one in sides)
    assert before.is_opaque
    return [one.field for one in compare(before, after)]


@pytest.mark.parametrize(
    ("text", "other"),
    [('return "10"', 'return "20"'), ('"a,b"', '"a"'), ("range pending()", "range pending()[1:]")],
)
def test_code_that_what_sends_calls_counts(text: str, other: str) -> None:
    assert _changed(_GO, "internal/worker/main.go", text, other)


def test_code_that_decides_whether_a_sender_is_called_counts() -> None:
    assert _changed(_GO, "cmd/run.go", 'case "worker"', 'case "sender"')


def test_code_beside_the_way_to_a_send_does_not_count() -> None:
    assert _changed(_GO, "internal/api/main.go", 'currency + "!"', 'currency + "?"') == []


def test_members_that_others_set_count() -> None:
    assert _changed(_PYTHON, "views.py", '"paid"', '"billed"')


def test_what_only_reads_does_not_count() -> None:
    assert _changed(_PYTHON, "views.py", "[one.total for", "[one.net for") == []


_FAR = {
    "app.py": (
        "from kafka import KafkaProducer\nimport house\nfrom conf import SETTINGS\nfrom model import Order, session\n"
        "producer = KafkaProducer()\n\n\ndef run():\n    for order in session.query(Order):\n"
        '        house.push(producer.send, order, SETTINGS["rate"])\n'
    ),
    "conf.py": 'SETTINGS = {"rate": 3}\n',
    "model.py": (
        "from sqlalchemy import event\nimport house\n\nsession = house.session()\n\n\nclass Order:\n"
        "    total = house.column()\n\n    @property\n    def net(self):\n        return self.total * 2\n\n\n"
        '@event.listens_for(Order, "before_insert")\ndef fill(mapper, connection, target):\n    target.total = 5\n'
    ),
    "web.py": (
        "from flask import Flask\nfrom model import Order, session\n\napp = Flask(__name__)\n\n\n"
        '@app.post("/orders")\ndef add():\n    order = Order()\n    order.total = 1\n    session.add(order)\n\n\n'
        '@app.get("/health")\ndef health():\n    return "ok"\n'
    ),
    "main.go": (
        'package main\n\nimport (\n\t"shop/out"\n\t"shop/web"\n)\n\nfunc init() {\n\tout.Rate = 3\n}\n\n'
        "func main() {\n\tgo web.Serve()\n\tout.Run()\n}\n"
    ),
    "out/out.go": (
        'package out\n\nimport (\n\t"github.com/IBM/sarama"\n\t"github.com/house/push"\n)\n\nvar Rate = 1\n'
        'var hooks = map[string]func(int) int{"a": twice}\n\nfunc twice(x int) int { return x * 2 }\n\n'
        "func Run() {\n\tproducer, _ := sarama.NewSyncProducer(nil, nil)\n"
        '\tpush.Send(producer.SendMessage, hooks["a"](Rate))\n}\n'
    ),
    "web/web.go": 'package web\n\nfunc Serve() {\n\tlisten("up")\n}\n\nfunc listen(text string) {}\n',
    "sender.ts": (
        "import { Kafka } from 'kafkajs';\nimport house from 'house';\nimport { defaults } from './conf';\n"
        "import { Base } from './base';\nexport class Sender extends Base {\n"
        "  constructor(private kafka: Kafka) { super(); }\n  async run(x: any) {\n"
        "    house.push(this.kafka.producer().send, this.shape(x), defaults.rate);\n  }\n}\n"
    ),
    "base.ts": (
        "export class Base {\n  shape(x: any) { return { ...x, kind: this.kind() }; }\n  kind() { return 'a'; }\n}\n"
    ),
    "conf.ts": "export const defaults = { rate: 2 };\n",
    "web.ts": "import express from 'express';\nconst app = express();\napp.get('/h', (req, res) => res.send('fit'));\n",
}
"""Three programs whose sends are given to a library: what they send depends on code in other files."""


@pytest.mark.parametrize(
    ("path", "text", "other"),
    [
        ("conf.py", ": 3", ": 4"),
        ("model.py", "house.session()", "house.session(1)"),
        ("model.py", "* 2", "* 3"),
        ("model.py", "= 5", "= 6"),
        ("web.py", "total = 1", "total = 2"),
        ("main.go", "= 3", "= 4"),
        ("out/out.go", "Rate = 1", "Rate = 2"),
        ("out/out.go", "x * 2", "x * 3"),
        ("base.ts", "'a'", "'b'"),
        ("conf.ts", "rate: 2", "rate: 3"),
    ],
)
def test_what_is_sent_by_way_of_other_files_counts(path: str, text: str, other: str) -> None:
    assert _changed(_FAR, path, text, other)


@pytest.mark.parametrize(
    ("path", "text", "other"),
    [("web.py", '"ok"', '"up"'), ("web/web.go", '"up"', '"ok"'), ("web.ts", "'fit'", "'ok'")],
)
def test_what_other_requests_are_answered_does_not_count(path: str, text: str, other: str) -> None:
    assert _changed(_FAR, path, text, other) == []
