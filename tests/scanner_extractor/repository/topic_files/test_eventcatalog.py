"""Pages of EventCatalog: services that send and receive messages through channels of Kafka, and their fields."""

from __future__ import annotations

from scanner_model.manual import DeclaredFlow

CHANNEL = "---\nid: order-events\nname: Orders\naddress: orders.placed\nprotocols:\n  - kafka\n---\n# Orders\n"
EVENT = "---\nid: OrderPlaced\nversion: 1.0.0\nchannels:\n  - id: order-events\n---\n"
SHOP = "---\nid: Shop\nsends:\n  - id: OrderPlaced\n---\n"
BILLING = (
    "---\nid: Billing\nreceives:\n  - id: OrderPlaced\n    from:\n      - id: order-events\n"
    "    fields: [total, customer.id]\n---\n"
)
PAGES = {
    "channels/orders/index.mdx": CHANNEL,
    "events/OrderPlaced/index.mdx": EVENT,
    "services/Shop/index.mdx": SHOP,
    "services/Billing/index.mdx": BILLING,
}


def flows(result) -> list[tuple[str, str, str]]:
    return [(flow.job, flow.origin.name, flow.target.name) for flow in result.of(DeclaredFlow)]


def test_services_read_and_write_the_topics_of_channels(read_repository):
    """The channel is named by the service, else by the page of the message."""
    assert flows(read_repository(PAGES)) == [("Billing", "orders.placed", ""), ("Shop", "", "orders.placed")]


def test_fields_of_a_message_are_declared_uses(read_repository):
    uses = read_repository(PAGES).field_uses()

    assert [(use.program, use.path, use.places) for use in uses] == [
        ("Billing", ("total",), ("services/Billing/index.mdx:4",)),
        ("Billing", ("customer", "id"), ("services/Billing/index.mdx:4",)),
    ]


def test_channels_of_other_protocols_are_left_out(read_repository):
    pages = {**PAGES, "channels/orders/index.mdx": CHANNEL.replace("kafka", "amqp")}

    assert flows(read_repository(pages)) == []
