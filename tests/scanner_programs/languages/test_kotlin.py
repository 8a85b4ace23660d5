"""Kotlin: signs before chains, negated tests of classes, and copies that a class makes of its own object."""

from __future__ import annotations

import pytest

from scanner_programs.compare import compare

CODE = """
import org.springframework.kafka.core.KafkaTemplate
sealed interface Event {
    data class Paid(val id: String, val parts: List<String>, val state: String) : Event {
        fun done() = copy(state = "done")
    }
    data class Failed(val id: String) : Event
}
class Bus(private val template: KafkaTemplate<String, Event>) {
    private fun takes(event: Event) = event !is Event.Paid || event.parts.isNotEmpty()
    fun send(event: Event) {
        if (!takes(event)) return
        template.send("events", event)
    }
    fun pay(paid: Event.Paid?) {
        val made = paid ?: throw IllegalStateException("nothing to pay")
        send(made.done())
    }
}
"""


def outer(found):
    [contract] = [one for one in found.contracts if one.view == "Bus.pay"]
    return contract


def test_a_copy_without_a_receiver_is_one_of_the_own_object(sends) -> None:
    fields = {path: part.text for path, part in outer(sends({"a.kt": CODE})).shape.fields}

    assert fields == {"id": "in:0.id", "parts": "in:0.parts", "state": '"done"'}


def test_a_sign_is_before_all_of_the_call_behind_it(sends) -> None:
    assert "!(in:0.parts.isEmpty())" in outer(sends({"a.kt": CODE})).guards


@pytest.mark.parametrize(
    ("before", "after"),
    [("!is Event.Paid ||", "is Event.Paid ||"), ("!takes(", "takes("), ("isNotEmpty()", "isEmpty()")],
)
def test_another_condition_is_found(sends, before: str, after: str) -> None:
    assert compare(sends({"a.kt": CODE}), sends({"a.kt": CODE.replace(before, after)}))


def test_a_negated_case_is_not_the_case_itself(sends) -> None:
    code = CODE.replace(
        "event !is Event.Paid || event.parts.isNotEmpty()", "when (event) { !is Event.Failed -> true\n else -> false }"
    )

    assert compare(sends({"a.kt": code}), sends({"a.kt": code.replace("!is", "is")}))


def test_a_call_of_get_behind_a_property_is_no_accessor(sends) -> None:
    code = (
        "import org.springframework.kafka.core.KafkaTemplate\n"
        "fun Route.orders(template: KafkaTemplate<String, String>) {\n    val limit by settings()\n"
        '    get("/health") { respond(limit) }\n    post("/orders") { template.send("orders", "x") }\n}\n'
        "class Order(private val amount: Int) {\n    val twice: Int\n        get() = amount * 2\n}\n"
    )

    assert [one.topics for one in sends({"a.kt": code}).contracts] == [("orders",)]
