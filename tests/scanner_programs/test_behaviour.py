"""Code that no evaluation follows is the same if a local, a constant or a helper is extracted or inlined."""

from __future__ import annotations

import pytest

from scanner_programs.compare import compare

GO = """package app

import (
	"fmt"

	"github.com/segmentio/kafka-go"
	"example.com/unknown/wire"
)

func rate(total int) int {
	return total * 3
}

func Ship(w *kafka.Writer, total int) error {
	body, err := wire.Pack(rate(total))
	if err != nil {
		return err
	}
	return wire.Post(w, body)
}
"""
PYTHON = """import requests
from kafka import KafkaProducer
from unknown import dispatch, topic

def price(order):
    base = order["net"] * 2
    if base < 0:
        raise ValueError("negative")
    return base

def publish(order):
    KafkaProducer().send(topic(order))
    dispatch(price(order))
"""
SAME = {
    "a constant": (GO, "total * 3", "total * factor", "func rate", "const factor = 3\n\nfunc rate"),
    "a helper is inlined": (GO, "wire.Pack(rate(total))", "wire.Pack(total * 3)"),
    "an error is wrapped": (GO, "\t\treturn err\n", '\t\treturn fmt.Errorf("pack: %w", err)\n'),
    "a local": (GO, "wire.Pack(rate(total))", "wire.Pack(cents)", "\tbody, err", "\tcents := rate(total)\n\tbody, err"),
    "the text of an error": (PYTHON, '"negative"', 'f"negative: {base}"'),
    "types": (PYTHON, "def price(order):", "def price(order: dict) -> int:"),
    "a docstring": (PYTHON, "def publish(order):\n", 'def publish(order):\n    """Send it."""\n'),
}
OTHERS = {
    "another constant": (GO, "total * 3", "total * 4"),
    "an error is swallowed": (GO, "\t\treturn err\n", "\t\treturn nil\n"),
    "another check": (PYTHON, "base < 0", "base < 1"),
    "another argument": (PYTHON, "price(order))", "price(order) + 1)"),
    "what a helper is given and does not use": (
        PYTHON.replace("    dispatch", "    ignored(store(order))\n    dispatch")
        + "\ndef ignored(_):\n    audit.mark()\n",
        "store(order)",
        "order",
    ),
    "an order of calls": (
        PYTHON,
        "    KafkaProducer().send(topic(order))\n    dispatch(price(order))\n",
        "    dispatch(price(order))\n    KafkaProducer().send(topic(order))\n",
    ),
}


def changed(sends, code, *pairs):
    name = "main.go" if code is GO else "main.py"
    text = code
    for old, new in zip(pairs[::2], pairs[1::2], strict=True):
        assert old in text
        text = text.replace(old, new)
    before = sends({name: code})
    assert before.is_opaque
    return compare(before, sends({name: text}))


@pytest.mark.parametrize("edit", SAME)
def test_code_in_another_form_is_no_difference(sends, edit):
    assert changed(sends, *SAME[edit]) == []


@pytest.mark.parametrize("edit", OTHERS)
def test_code_that_does_something_else_is_a_difference(sends, edit):
    assert changed(sends, *OTHERS[edit])


def test_locals_that_are_made_alike_are_told_apart(sends):
    code = PYTHON.replace("price(order))", "a, b)").replace(
        "    dispatch", "    a = take()\n    b = take()\n    dispatch"
    )

    before, after = ({"main.py": one} for one in (code, code.replace("a, b)", "b, a)")))

    assert compare(sends(before), sends(after))


def test_a_helper_that_ends_does_not_end_what_calls_it(sends):
    """A check that is moved out with its `return` no longer keeps the order back."""
    send, check = "    dispatch(price(order))\n", '    if not order["paid"]:\n        return\n'
    publish = "def publish(order):\n"
    before = PYTHON.replace(send, check + send)
    after = PYTHON.replace(send, "    check(order)\n" + send).replace(publish, f"def check(order):\n{check}\n{publish}")

    assert compare(sends({"main.py": before}), sends({"main.py": after}))
