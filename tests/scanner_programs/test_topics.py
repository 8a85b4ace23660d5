"""The texts that the name of a topic may be."""

from __future__ import annotations

import pytest

from scanner_programs.endpoints import topic_texts
from scanner_programs.ir import Kind
from scanner_programs.values import Apply, Cond, Const, Input, Items, Value


def text(value: str) -> Const:
    return Const(Kind.TEXT, value)


SETTING = Apply("setting", None, (text("orders.topic"),))


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (text("orders"), ("orders",)),
        (Cond(Input("x"), text("a"), text("b")), ("a", "b")),
        (Cond(Input("x"), text("a"), text("a")), ("a",)),
        (Apply("+", None, (text("eu."), Cond(Input("x"), text("a"), text("b")))), ("eu.a", "eu.b")),
        (Apply("+", None, (SETTING, text(".v1"))), ("${orders.topic}.v1",)),
        (Apply("text", None, (Apply("??", None, (SETTING, text("a"))), text("!"))), ("${orders.topic:a}!",)),
        (Items([text("a"), text("b")]), ("a", "b")),
        (Input("x"), ()),
    ],
)
def test_a_topic_has_the_names_of_its_value(value: Value, texts: tuple[str, ...]) -> None:
    assert topic_texts(value) == texts


@pytest.mark.parametrize("kind", ["sum", "condition"])
def test_a_value_that_is_built_of_itself_twice_is_read_once(kind: str) -> None:
    """A chain of constants such as `B = A + A` doubles at each step; it ended never, or filled the memory."""
    value: Value = text("a")
    for _ in range(60):
        value = Apply("+", None, (value, value)) if kind == "sum" else Cond(Input("x"), value, value)

    assert topic_texts(value) == (() if kind == "sum" else ("a",))
