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
