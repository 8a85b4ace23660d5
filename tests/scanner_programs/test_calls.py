"""What is read of a function once is what reading it again gives, and is kept only until it is forgotten."""

from __future__ import annotations

import pytest

from scanner_programs import ir
from scanner_programs.calls import called_in, forget, names_in, passed_in, types_in

CODE = """
class Orders {
    private final KafkaTemplate<String, Order> template;
    void send(Order order) {
        Runnable later = () -> template.send("orders", order.getKey(), new Event(order));
        bus.give(this::send);
        later.run();
        this.last = order;
    }
}
"""


def function_of(lowered) -> ir.Function:
    return lowered("Orders.java", CODE).classes[0].functions[0]


@pytest.mark.parametrize("read", [names_in, called_in, passed_in, types_in])
def test_a_function_is_read_as_other_code_is(lowered, read) -> None:
    """Of code that is no function, such as a pair, nothing is kept."""
    function = function_of(lowered)

    assert tuple(read(function)) == tuple(read((function,))) != ()
    assert tuple(read(function)) == tuple(read(function))


def test_what_is_forgotten_is_read_again(lowered) -> None:
    function = function_of(lowered)
    first = names_in(function)
    assert names_in(function) is first

    forget([function])

    assert names_in(function) is not first
    assert tuple(names_in(function)) == tuple(first)
