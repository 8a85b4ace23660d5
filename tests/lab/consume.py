"""Consumes topics for the installation's consumer groups until it is ended: one consumer a group, offsets committed."""

from __future__ import annotations

import signal
import sys
from types import FrameType

import places
from confluent_kafka import Consumer

GROUPS = {
    "order-service": (["orders", "orders.RETRY"], {}),
    "billing": (["payments"], {}),
    "analytics": (["^orders.*"], {}),
    "shipping": (["shipments", "parcels"], {"group.protocol": "consumer"}),
}


def main() -> None:
    """Poll every group's consumer in turn."""
    consumers = [_consumer(group) for group in GROUPS]
    signal.signal(signal.SIGTERM, _leave)
    try:
        while True:
            for consumer in consumers:
                consumer.poll(0.2)
    finally:
        for consumer in consumers:
            consumer.close()


def _consumer(group: str) -> Consumer:
    topics, more = GROUPS[group]
    consumer = Consumer(
        {
            "bootstrap.servers": places.EXTERNAL,
            "group.id": group,
            "client.id": f"lab-{group}",
            "auto.offset.reset": "earliest",
            **more,
        }
    )
    consumer.subscribe(topics)
    return consumer


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(0)


if __name__ == "__main__":
    main()
