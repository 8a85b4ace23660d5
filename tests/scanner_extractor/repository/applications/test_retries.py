"""Topics of retries and of dead letters that Spring uses because a listener is annotated so."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.applications.reader import ApplicationsReading, read_applications
from scanner_model.names import SourceId

LISTENER = """
package shop
import org.springframework.kafka.annotation.*

const val AGAIN = ".again"
data class Order(val number: String)

@Component
class Orders(private val stock: StockRepository) {
    @RetryableTopic(NOTE)
    @KafkaListener(topics = ["orders"])
    fun on(order: Order) { stock.take(order.number) }
}
"""
ONE = "sameIntervalTopicReuseStrategy = SameIntervalTopicReuseStrategy.SINGLE_TOPIC"
SEVERAL = 'attempts = "4", backoff = Backoff(delay = 100, multiplier = 3.0)'


def reading(note: str, code: str = LISTENER) -> ApplicationsReading:
    return read_applications(
        {"build.gradle.kts": "", "src/main/kotlin/Orders.kt": code.replace("NOTE", note)}, SourceId("repository")
    )


def uses(found: ApplicationsReading) -> set[str]:
    return {f"{one.origin.name}>{one.target.name}" for one in found.flows}


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        (ONE, {"orders>orders-retry", "orders-retry>", "orders>orders-dlt"}),
        (f"{ONE}, retryTopicSuffix = AGAIN", {"orders>orders.again", "orders.again>", "orders>orders-dlt"}),
        (f"{ONE}, dltStrategy = DltStrategy.NO_DLT", {"orders>orders-retry", "orders-retry>"}),
        ('attempts = "1", dltTopicSuffix = ".dead"', {"orders>orders.dead"}),
    ],
)
def test_a_listener_with_one_topic_of_retries(note: str, expected: set[str]) -> None:
    found = reading(note)

    assert uses(found) == expected
    assert not found.unresolved


def test_the_order_of_the_annotations_means_nothing() -> None:
    listens = '    @KafkaListener(topics = ["orders"])\n'
    code = LISTENER.replace(listens, "").replace("    @Retryable", f"{listens}    @Retryable")

    assert uses(reading(ONE, code)) == {"orders>orders-retry", "orders-retry>", "orders>orders-dlt"}


@pytest.mark.parametrize("note", [SEVERAL, f"{SEVERAL}, {ONE}", ""])
def test_topics_whose_names_depend_on_delays_are_not_named_but_said(note: str) -> None:
    found = reading(note)

    assert uses(found) == {"orders>orders-dlt"}
    assert "line 10" in str(found.unresolved)


def test_dead_letters_are_read_by_the_handler_of_the_class() -> None:
    code = LISTENER.rstrip().removesuffix("}") + "    @DltHandler\n    fun dead(order: Order) { }\n}\n"

    assert uses(reading(ONE, code)) == {"orders>orders-retry", "orders-retry>", "orders>orders-dlt", "orders-dlt>"}
