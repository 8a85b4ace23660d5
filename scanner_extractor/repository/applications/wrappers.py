"""Calls of libraries that wrap a Kafka client, such as one of a company: `events.NewProducer(ctx, cfg.OrdersTopic)`.

Such a library is not known, but its names are those of Kafka: a call that makes or is called like a consumer reads the
topic it is given, one like a producer writes it. An argument is a topic if its own name says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from scanner_extractor.repository.applications.expressions import Expr, Kind
from scanner_extractor.repository.languages.language import Access, Values
from scanner_extractor.repository.syntax_trees import words

USES_KAFKA = r"(?i)kafka|redpanda"
"""A file that uses Kafka; elsewhere, topics are those of other brokers or of forums."""

_READS = words("consumer consumers consume subscriber subscribers subscribe listener listen reader receiver receive")
_WRITES = words("producer producers produce publisher publishers publish writer emitter emit sender send")
_VERBS = words("publish produce consume subscribe listen")
_CLIENTS = words("kafka producer publisher consumer subscriber listener")
_SENDS = words("produce publish emit send")
_NEITHER = words(
    """record records exception metrics metric lag offset offsets describe delete reset mock fake stub test validate
    check log count health permission acl response request unsubscribe"""
)
"""Words of calls about a consumer or producer that neither read nor write."""
_STARTS = words("create of for new build make open start init register on run")
"""First words of calls that make or start what they are called on: `OrderConsumers.create(topic)`."""
_OTHER_BROKERS = re.compile(
    r"(?i)mqtt|rabbit|amqp|sns|sqs|pub_?sub|pulsar|kinesis|redis|nats(?![a-z])|jms|stomp|socket|event_?bridge|zmq|rospy"
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TOPIC, _NAMES = words("topic topics"), words("name names")
_SEPARATOR = re.compile(r"[.:/]")
_ABOUT_TOPICS = words("partitions partition replicas replication count enabled retention group prefix suffix timeout")


def name_words(name: str) -> list[str]:
    """Return the words of a name in camel or snake case, in small letters."""
    return [word.lower() for word in _WORD.findall(name)]


def access_of(call: Expr) -> Access | None:
    """Return what a call does with the topic that it is given, by its name; None if that does not tell."""
    listed = name_words(call.text)
    if listed and listed[0] in _STARTS and not {*listed} & (_READS | _WRITES):
        listed = [*listed, *name_words(call.receiver.text)]
    parts = set(listed)
    if listed and listed[0] in _SENDS and len(call.arguments) == 1 and call.arguments[0].kind is not Kind.LIST:
        return None  # its argument is what it sends
    if parts & _NEITHER or _OTHER_BROKERS.search(f"{call.text} {call.receiver.text} {call.receiver.receiver.text}"):
        return None
    reads = bool(parts & _READS) or listed in (["read", "topic"], ["read", "topics"])
    writes = bool(parts & _WRITES)
    return None if reads == writes else Access.READ if reads else Access.WRITE


def topic_arguments(call: Expr, means: Values) -> Iterator[Expr]:
    """Yield the arguments of a call that are topics: by their keyword or member, or by a name of their own.

    A text is one if it comes first: `kafkaPublisher.publish("orders", body)`.
    """
    first = next(iter(call.arguments), call)
    clients = {*name_words(call.receiver.text)} & _CLIENTS
    if first.kind is Kind.TEXT and clients and {*name_words(call.text)[:1]} & _VERBS:
        yield first
    for argument in call.arguments:
        parts = argument.parts if argument.kind is Kind.LIST else (argument,)
        for part in parts:
            if part.kind is Kind.PAIR:
                if is_topic_name(part.text):
                    yield part.parts[0]
            elif _refers_to_topic(part, means):
                yield part


def is_topic_name(name: str) -> bool:
    """Return whether a name is that of a topic or of topics: `ordersTopic`, `topic_name`, `orders.topic`."""
    parts = name_words(name)
    if len(parts) > 1 and parts[-1] in _NAMES:
        parts.pop()
    return bool(parts) and parts[-1] in _TOPIC


def _is_topic_key(key: str) -> bool:
    """Return whether a setting is a topic: `kafka.orders.topic`, `topics.orders`, but not `topic.partitions`."""
    *groups, last = _SEPARATOR.split(key)
    about = name_words(last)
    return is_topic_name(last) or (any(map(is_topic_name, groups)) and not set(about) & _ABOUT_TOPICS)


def _refers_to_topic(expr: Expr, means: Values) -> bool:
    """Return whether an expression names a topic: a variable, a getter, or a setting that is looked up."""
    match expr.kind:
        case Kind.CHOICE:
            return any(_refers_to_topic(part, means) for part in expr.parts)
        case Kind.NAME | Kind.NEW:
            return is_topic_name(expr.text)
        case Kind.MEMBER:
            return is_topic_name(expr.text) or is_topic_name(expr.receiver.text)
        case Kind.CALL:
            is_lookup = expr.text in means.properties | means.environment | means.lookups
            keys = [part.text for part in expr.positional() if part.kind is Kind.TEXT and is_lookup]
            return any(map(is_topic_name, (expr.text, expr.receiver.text))) or any(map(_is_topic_key, keys))
    return False
