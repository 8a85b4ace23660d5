"""How the serialisers of Cloudera's (Hortonworks') registry name subjects."""

from __future__ import annotations

from scanner_extractor.naming.subjects import Candidate, Subject, proposal
from scanner_model.names import Role

HORTONWORKS = "hortonworks"
"""The strategy's name in cluster.json."""

_SUFFIXES = {":k": Role.KEY, ":v": Role.VALUE}


def by_hortonworks(subject: Subject) -> tuple[Candidate, ...]:
    """Read `orders` as the value and `orders:k` as the key of topic `orders`; no topic holds a colon."""
    role = _SUFFIXES.get(subject.name[-2:])
    topic = subject.name[:-2] if role else subject.name
    return proposal(topic, role or Role.VALUE, HORTONWORKS)
