"""A naming strategy: subjects are paths, as in `shop/orders/value`."""

from __future__ import annotations

from scanner_extractor.naming import Candidate, Subject, is_topic_name
from scanner_model.names import Role, TopicName

_ROLES = {"key": Role.KEY, "value": Role.VALUE}


def by_path(subject: Subject) -> tuple[Candidate, ...]:
    """Read `shop/orders/value` as the value of topic `shop.orders`; return nothing for another form of name."""
    *steps, side = subject.name.split("/")
    topic = ".".join(steps)
    if side not in _ROLES or not is_topic_name(topic):
        return ()
    return (Candidate(topic=TopicName(topic), role=_ROLES[side], strategy="acme-path"),)
